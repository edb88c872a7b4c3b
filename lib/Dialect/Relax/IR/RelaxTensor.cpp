//===- RelaxTensor.cpp - Elements that constants own ----------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "partita/Dialect/Relax/IR/RelaxTensor.h"

#include "RelaxDetail.h"
#include "TensorAttrStorage.h"

#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/BuiltinDialect.h"
#include "llvm/ADT/StringMap.h"

#include <atomic>
#include <mutex>

using namespace mlir;
using namespace partita::relax;

using BlobEntry = DialectResourceBlobManager::BlobEntry;

/// Guards what attributes and TensorHolders hold, and how many hold it.
static std::mutex holders;
static SmallVector<TensorHolder *> tensorHolders;

//===----------------------------------------------------------------------===//
// TensorNames
//===----------------------------------------------------------------------===//

class partita::relax::TensorNames {
public:
  /// The resource of `data`, which holds it from then on if `keep` says so.
  static DenseResourceElementsHandle
  get(const TensorDataRef &data, MLIRContext *context, bool keep = false);
  /// The tensor that takes over the elements of a resource, and its name.
  static TensorDataRef takeOver(BlobEntry *entry, MLIRContext *context);
  /// Takes back the resource of tensors that are freed.
  void release(TensorData &data);
  /// From now on there are no resources: their context is being destroyed.
  void close();

private:
  BlobEntry &make(StringRef name, DialectResourceBlobManager &manager);

  struct Name {
    std::vector<BlobEntry *> unused;
    size_t count = 0;
  };

  std::mutex lock;
  llvm::StringMap<Name> entries;
  /// Resources to use again, without the ones that a parser has made.
  llvm::DenseSet<BlobEntry *> made;
  bool isOpen = true;
};

BlobEntry &TensorNames::make(StringRef name,
                             DialectResourceBlobManager &manager) {
  Name &known = entries[name];
  if (!known.unused.empty()) {
    BlobEntry *entry = known.unused.back();
    known.unused.pop_back();
    return *entry;
  }
  // MLIR finds a free name by trying all from the first.
  size_t number = known.count++;
  BlobEntry &entry =
      manager.insert(number ? (name + "_" + Twine(number)).str() : name.str());
  made.insert(&entry);
  return entry;
}

TensorDataRef TensorNames::takeOver(BlobEntry *entry, MLIRContext *context) {
  const std::shared_ptr<TensorNames> &names =
      context->getLoadedDialect<RelaxDialect>()->getTensorNames();
  auto data = std::make_shared<TensorData>(
      std::exchange(*entry->getBlob(), AsmResourceBlob()), entry->getKey());
  data->entry = entry;
  data->names = names;
  entry->setBlob(UnmanagedAsmResourceBlob::allocateWithAlign(
      data->blob.getData(), data->blob.getDataAlignment()));
  return data;
}

DenseResourceElementsHandle TensorNames::get(const TensorDataRef &data,
                                             MLIRContext *context, bool keep) {
  auto &manager = DenseResourceElementsHandle::getManagerInterface(context);
  const std::shared_ptr<TensorNames> &names =
      context->getLoadedDialect<RelaxDialect>()->getTensorNames();
  std::lock_guard<std::mutex> guard(names->lock);
  if (!data->entry) {
    data->entry = &names->make(data->name, manager.getBlobManager());
    data->names = names;
    data->entry->setBlob(UnmanagedAsmResourceBlob::allocateWithAlign(
        data->blob.getData(), data->blob.getDataAlignment()));
  }
  if (keep && !data->isResource) {
    data->entry->setBlob(UnmanagedAsmResourceBlob::allocateWithAlign(
        data->blob.getData(), data->blob.getDataAlignment(),
        [data](void *, size_t, size_t) {}));
    data->isResource = true;
  }
  return {data->entry, cast<BuiltinDialect>(manager.getDialect())};
}

void TensorNames::release(TensorData &data) {
  std::lock_guard<std::mutex> guard(lock);
  if (!isOpen || data.isResource)
    return;
  data.entry->setBlob(AsmResourceBlob());
  if (made.contains(data.entry))
    entries[data.name].unused.push_back(data.entry);
}

void TensorNames::close() {
  std::lock_guard<std::mutex> guard(lock);
  isOpen = false;
}

RelaxDialect::~RelaxDialect() { tensorNames->close(); }

void RelaxDialect::registerTensors() {
  tensorNames = std::make_shared<TensorNames>();
}

//===----------------------------------------------------------------------===//
// TensorData
//===----------------------------------------------------------------------===//

TensorData::TensorData(AsmResourceBlob blob, StringRef name)
    : blob(std::move(blob)), name(name) {
  static std::atomic<uint64_t> lastId{0};
  id = ++lastId;
}

TensorData::~TensorData() {
  if (names)
    names->release(*this);
}

//===----------------------------------------------------------------------===//
// TensorAttr
//===----------------------------------------------------------------------===//

TensorAttr TensorAttr::get(ShapedType type, TensorDataRef data) {
  TensorAttr attr = Base::get(
      type.getContext(), detail::TensorAttrStorage::KeyTy(type, data->getId()));
  std::lock_guard<std::mutex> guard(holders);
  attr.getImpl()->data = std::move(data);
  return attr;
}

ShapedType TensorAttr::getType() const {
  return cast<ShapedType>(getImpl()->type);
}

TensorDataRef TensorAttr::getTensorData() const {
  std::lock_guard<std::mutex> guard(holders);
  return getImpl()->data;
}

ArrayRef<char> TensorAttr::getData() const {
  TensorData *data = getImpl()->data.get();
  return data ? data->getBytes() : ArrayRef<char>();
}

DenseResourceElementsHandle TensorAttr::getHandle() const {
  return TensorNames::get(getTensorData(), getContext());
}

DenseResourceElementsAttr TensorAttr::getResource(uint64_t holder) const {
  TensorDataRef data = getTensorData();
  bool isHeld = false;
  if (holder != 0) {
    std::lock_guard<std::mutex> guard(holders);
    auto *found = llvm::find_if(tensorHolders, [&](TensorHolder *other) {
      return other->id == holder;
    });
    isHeld = found != tensorHolders.end();
    if (isHeld)
      (*found)->tensors.push_back(data);
  }
  return DenseResourceElementsAttr::get(
      getType(), TensorNames::get(data, getContext(), /*keep=*/!isHeld));
}

void TensorAttr::retain() const {
  std::lock_guard<std::mutex> guard(holders);
  ++getImpl()->owners;
}

void TensorAttr::release() const {
  TensorDataRef last; // Freed after the lock.
  std::lock_guard<std::mutex> guard(holders);
  if (--getImpl()->owners == 0)
    last = std::move(getImpl()->data);
}

Attribute TensorAttr::parse(AsmParser &parser, Type) {
  ElementsAttr elements;
  if (parser.parseLess() || parser.parseAttribute(elements) ||
      parser.parseGreater())
    return {};
  return elements;
}

/// Prints the elements as a builtin attribute.
static void printAsResource(AsmPrinter &printer, TensorAttr attr) {
  printer << "dense_resource<";
  if (attr.isFreed())
    printer << "__freed__";
  else
    printer.printResourceHandle(attr.getHandle());
  printer << "> : " << attr.getType();
}

void TensorAttr::print(AsmPrinter &printer) const {
  printer << "<";
  printAsResource(printer, *this);
  printer << ">";
}

//===----------------------------------------------------------------------===//
// OwnedElements
//===----------------------------------------------------------------------===//

void OwnedElements::retain() const {
  if (auto tensor = dyn_cast_or_null<TensorAttr>(Attribute(*this)))
    tensor.retain();
}

void OwnedElements::release() const {
  if (auto tensor = dyn_cast_or_null<TensorAttr>(Attribute(*this)))
    tensor.release();
}

OwnedElements &OwnedElements::operator=(const OwnedElements &other) {
  other.retain();
  release();
  ElementsAttr::operator=(other);
  return *this;
}

OwnedElements partita::relax::reshapeElements(ElementsAttr elements,
                                              ShapedType type) {
  if (auto tensor = dyn_cast<TensorAttr>(elements)) {
    TensorDataRef data = tensor.getTensorData();
    OwnedElements result = TensorAttr::get(type, data);
    // Another thread can have let the attribute go before `result` held it.
    TensorAttr::get(type, std::move(data));
    return result;
  }
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(elements))
    return DenseResourceElementsAttr::get(type, resource.getRawHandle());
  auto dense = cast<DenseElementsAttr>(elements);
  return dense.isSplat() ? dense.resizeSplat(type) : dense.reshape(type);
}

void partita::relax::adoptResources(Operation *root) {
  // Each resource with its elements, once it has given them away.
  llvm::MapVector<BlobEntry *, TensorDataRef> adopted;
  SmallVector<ConstantOp> constants;
  root->walk([&](ConstantOp constant) {
    auto resource = dyn_cast<DenseResourceElementsAttr>(constant.getValue());
    if (resource && resource.getRawHandle().getBlob()) {
      adopted.insert({resource.getRawHandle().getResource(), nullptr});
      constants.push_back(constant);
    }
  });
  if (constants.empty())
    return;

  AttrTypeWalker others;
  others.addWalk([&](DenseResourceElementsAttr resource) {
    adopted.erase(resource.getRawHandle().getResource());
  });
  root->walk([&](Operation *op) {
    NamedAttrList attrs(llvm::to_vector(op->getDiscardableAttrs()));
    if (!isa<ConstantOp>(op) && op->isRegistered())
      op->getName().populateInherentAttrs(op, attrs);
    for (NamedAttribute attr : attrs)
      others.walk(attr.getValue());
  });

  for (ConstantOp constant : constants) {
    auto resource = cast<DenseResourceElementsAttr>(constant.getValue());
    auto *it = adopted.find(resource.getRawHandle().getResource());
    if (it == adopted.end())
      continue;
    if (!it->second)
      it->second = TensorNames::takeOver(it->first, root->getContext());
    constant.setValueAttr(TensorAttr::get(resource.getType(), it->second));
  }
}

//===----------------------------------------------------------------------===//
// TensorHolder
//===----------------------------------------------------------------------===//

static constexpr StringLiteral holderAttr = "relax.tensor_holder";

TensorHolder::TensorHolder(Operation *module) {
  static std::atomic<uint64_t> lastId{0};
  id = ++lastId;
  module->setDiscardableAttr(
      holderAttr, Builder(module->getContext()).getI64IntegerAttr(id));
  std::lock_guard<std::mutex> guard(holders);
  tensorHolders.push_back(this);
}

TensorHolder::~TensorHolder() {
  std::lock_guard<std::mutex> guard(holders);
  llvm::erase(tensorHolders, this);
}

uint64_t TensorHolder::takeFrom(Operation *module) {
  auto id =
      dyn_cast_or_null<IntegerAttr>(module->removeDiscardableAttr(holderAttr));
  return id && id.getType().isInteger(64) ? id.getInt() : 0;
}

//===----------------------------------------------------------------------===//
// TensorStore
//===----------------------------------------------------------------------===//

namespace {
/// The state of a TensorStore.
struct StoredTensors {
  std::vector<TensorDataRef> *tensors;
  llvm::DenseMap<const TensorData *, size_t> positions;
};
} // namespace

static thread_local std::optional<StoredTensors> store;

TensorStore::TensorStore(std::vector<TensorDataRef> &tensors) {
  assert(!store && "expected one TensorStore at a time");
  store.emplace();
  store->tensors = &tensors;
}

TensorStore::~TensorStore() { store.reset(); }

/// Prints the elements of a constant.
static void printElements(OpAsmPrinter &printer, ElementsAttr elements) {
  auto tensor = dyn_cast_or_null<TensorAttr>(elements);
  if (!tensor)
    return printer.printAttribute(elements);
  if (!store || tensor.isFreed())
    return printAsResource(printer, tensor);
  TensorDataRef data = tensor.getTensorData();
  auto [it, isNew] =
      store->positions.try_emplace(data.get(), store->tensors->size());
  if (isNew)
    store->tensors->push_back(data);
  printer << "data<" << it->second << "> : " << tensor.getType();
}

static ParseResult parseElements(OpAsmParser &parser, OwnedElements &elements) {
  ElementsAttr attr;
  if (!store || failed(parser.parseOptionalKeyword("data"))) {
    if (parser.parseAttribute(attr))
      return failure();
    elements = attr;
    return success();
  }
  size_t position = 0;
  RankedTensorType type;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess() || parser.parseInteger(position) ||
      parser.parseGreater() || parser.parseColonType(type))
    return failure();
  if (position >= store->tensors->size())
    return parser.emitError(loc, "expected one of ")
           << store->tensors->size() << " tensors, found number " << position;
  elements = TensorAttr::get(type, (*store->tensors)[position]);
  return success();
}

//===----------------------------------------------------------------------===//
// ConstantOp
//===----------------------------------------------------------------------===//

// By hand, because a generated printer of attributes makes a dictionary of them
// that lives as long as the context.
void ConstantOp::print(OpAsmPrinter &printer) {
  printer.printOptionalAttrDict((*this)->getRawDictionaryAttrs().getValue());
  printer << ' ';
  printElements(printer, getValueAttr());
}

ParseResult ConstantOp::parse(OpAsmParser &parser, OperationState &result) {
  OwnedElements elements;
  if (parser.parseOptionalAttrDict(result.attributes) ||
      parseElements(parser, elements))
    return failure();
  result.getOrAddProperties<Properties>().value = elements;
  result.addTypes(elements.getType());
  return success();
}

Attribute ConstantOp::getPropertiesAsAttr(MLIRContext *context,
                                          Properties &properties) {
  auto tensor = dyn_cast_or_null<TensorAttr>(Attribute(properties.value));
  if (!tensor || tensor.isFreed())
    return getPropertiesAsAttr(context, std::as_const(properties));
  Builder builder(context);
  return builder.getDictionaryAttr(
      builder.getNamedAttr("value", tensor.getResource()));
}

LogicalResult ConstantOp::verify() {
  auto tensor = dyn_cast<TensorAttr>(getValue());
  if (tensor && tensor.isFreed())
    return emitOpError("expected elements that a constant holds, found some "
                       "that were freed with the last constant that held them");
  return success();
}
