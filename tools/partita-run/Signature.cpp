//===- Signature.cpp - Parameters of compiled functions -------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Signature.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"

using namespace partita;
namespace json = llvm::json;

std::string Param::print() const {
  std::vector<std::string> parts;
  if (kind == Tuple) {
    for (const Param &field : fields)
      parts.push_back(field.print());
    return "(" + llvm::join(parts, ", ") + ")";
  }
  if (kind == Object)
    return "object";
  for (const Size &size : sizes)
    parts.push_back(!size.name.empty() ? size.name
                    : size.value >= 0  ? std::to_string(size.value)
                                       : "?");
  std::string text = kind == Shape ? "shape" : getName(dtype);
  if (isWritten)
    text = "written " + text;
  return kind == Scalar ? text : text + "[" + llvm::join(parts, ", ") + "]";
}

void Param::getLeaves(std::vector<const Param *> &leaves) const {
  if (kind != Tuple && kind != Object)
    leaves.push_back(this);
  for (const Param &field : fields)
    field.getLeaves(leaves);
}

/// Reads a description that the runtime has checked.
static Param readParam(const json::Value *value, std::string path) {
  Param param;
  param.path = std::move(path);
  const json::Object *object = value ? value->getAsObject() : nullptr;
  if (!object)
    return param;
  llvm::StringRef kind = object->getString("kind").value_or("");
  param.kind = kind == "tensor"   ? Param::Tensor
               : kind == "shape"  ? Param::Shape
               : kind == "prim"   ? Param::Scalar
               : kind == "object" ? Param::Object
                                  : Param::Tuple;
  param.of = object->getString("of").value_or("").str();
  param.isWritten = object->getBoolean("is_written").value_or(false);
  param.dtype = getDType(object->getString("dtype").value_or(""));
  const json::Array *sizes =
      object->getArray(param.kind == Param::Shape ? "values" : "shape");
  for (const json::Value &size : sizes ? *sizes : json::Array())
    param.sizes.push_back({size.getAsInteger().value_or(-1),
                           size.getAsString().value_or("").str()});
  const json::Array *fields = object->getArray("fields");
  for (auto [index, field] : llvm::enumerate(fields ? *fields : json::Array()))
    param.fields.push_back(
        readParam(&field, param.path + "[" + std::to_string(index) + "]"));
  return param;
}

Signature Signature::parse(llvm::StringRef name, llvm::StringRef text) {
  Signature signature;
  signature.name = name.str();
  llvm::Expected<json::Value> value = json::parse(text);
  if (!value) {
    llvm::consumeError(value.takeError());
    return signature;
  }
  const json::Object *object = value->getAsObject();
  const json::Array *params = object ? object->getArray("params") : nullptr;
  for (auto [index, param] :
       llvm::enumerate(params ? *params : json::Array())) {
    std::string path = std::to_string(index);
    if (const json::Object *described = param.getAsObject())
      path = described->getString("name").value_or(path).str();
    signature.params.push_back(readParam(&param, path));
  }
  if (object && object->get("result"))
    signature.result = readParam(object->get("result"), "result");
  return signature;
}

std::string Signature::print() const {
  std::vector<std::string> parts;
  for (const Param &param : params)
    parts.push_back(param.path + ": " + param.print());
  return name + "(" + llvm::join(parts, ", ") + ") -> " +
         (result ? result->print() : "None");
}
