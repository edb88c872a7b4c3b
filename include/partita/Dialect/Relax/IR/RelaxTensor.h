//===- RelaxTensor.h - Elements that constants own --------------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MLIR frees neither attributes nor the resources that they name before their
// context, so that a process that compiles for weeks keeps all weights that it
// has ever seen. A TensorAttr is a name of elements that something else holds:
// the properties of `relax.constant`, and whoever has an OwnedElements. The
// last of them frees the elements.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_DIALECT_RELAX_IR_RELAXTENSOR_H
#define PARTITA_DIALECT_RELAX_IR_RELAXTENSOR_H

#include "mlir/IR/AsmState.h"
#include "mlir/IR/BuiltinAttributeInterfaces.h"
#include "mlir/IR/DialectResourceBlobManager.h"

#include <memory>
#include <vector>

namespace partita::relax {

namespace detail {
struct TensorAttrStorage;
} // namespace detail

/// The names of resources that a context's tensors are printed with. They are
/// used again, because MLIR never forgets one.
class TensorNames;

/// Elements in row-major order; booleans take a byte each. TensorAttrs of
/// several types can share them.
class TensorData {
public:
  /// `name` is what to print for them, if nothing else has that name.
  TensorData(mlir::AsmResourceBlob blob, llvm::StringRef name);
  ~TensorData();
  TensorData(const TensorData &) = delete;

  llvm::ArrayRef<char> getBytes() const { return blob.getData(); }
  size_t getAlignment() const { return blob.getDataAlignment(); }
  llvm::StringRef getName() const { return name; }
  uint64_t getId() const { return id; }

private:
  friend class TensorNames;

  mlir::AsmResourceBlob blob;
  std::string name;
  uint64_t id;
  /// The resource that they are printed as, made when they are.
  mlir::DialectResourceBlobManager::BlobEntry *entry = nullptr;
  std::shared_ptr<TensorNames> names;
  /// The resource holds the elements, too, and for good.
  bool isResource = false;
};

using TensorDataRef = std::shared_ptr<TensorData>;

/// An ElementsAttr whose elements are not freed while this holds it.
class OwnedElements : public mlir::ElementsAttr {
public:
  OwnedElements() = default;
  OwnedElements(std::nullptr_t) {}
  OwnedElements(mlir::ElementsAttr attr) : ElementsAttr(attr) { retain(); }
  template <typename T, typename = std::enable_if_t<
                            std::is_base_of_v<mlir::Attribute, T> &&
                            std::is_convertible_v<T, mlir::ElementsAttr>>>
  OwnedElements(T attr) : OwnedElements(mlir::ElementsAttr(attr)) {}
  explicit OwnedElements(const mlir::Attribute::ImplType *impl)
      : ElementsAttr(mlir::Attribute(impl)) {
    retain();
  }
  OwnedElements(const OwnedElements &other)
      : OwnedElements(static_cast<const mlir::ElementsAttr &>(other)) {}
  OwnedElements &operator=(const OwnedElements &other);
  ~OwnedElements() { release(); }

private:
  void retain() const;
  void release() const;
};

/// The same elements as a tensor of another type, which has as many.
OwnedElements reshapeElements(mlir::ElementsAttr elements,
                              mlir::ShapedType type);

/// Gives constants in `root` that hold resources their elements to own. A
/// resource that anything else in `root` refers to stays; nothing outside may
/// refer to one, as after `root` was parsed.
void adoptResources(mlir::Operation *root);

/// While it lives, this thread prints constants' elements into `tensors`, with
/// their position in the text, and parses them from there: `data<0>`. Text and
/// tensors together are a module that was saved without making resources.
class TensorStore {
public:
  explicit TensorStore(std::vector<TensorDataRef> &tensors);
  ~TensorStore();
  TensorStore(const TensorStore &) = delete;

private:
  TensorStore *outer;
};

/// While it lives, it holds the elements that a lowering of `module` refers to
/// as resources, so that the context need not keep them. Passes can run on a
/// copy: an attribute of the module says which holder it has. Nobody may keep
/// the lowered module any longer.
class TensorHolder {
public:
  explicit TensorHolder(mlir::Operation *module);
  ~TensorHolder();
  TensorHolder(const TensorHolder &) = delete;

  /// Takes the attribute from `module`: the number of its holder, or 0.
  static uint64_t takeFrom(mlir::Operation *module);

private:
  friend class TensorAttr;

  uint64_t id;
  std::vector<TensorDataRef> tensors;
};

} // namespace partita::relax

#endif // PARTITA_DIALECT_RELAX_IR_RELAXTENSOR_H
