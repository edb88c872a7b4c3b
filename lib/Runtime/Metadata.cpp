//===- Metadata.cpp - What the lowering says about functions --------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Metadata.h"
#include "RuntimeError.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"

namespace json = llvm::json;

namespace partita::runtime {

char ArgumentError::ID;

namespace {
/// Reads the parameters of one function.
class FunctionReader {
public:
  FunctionReader(Function &function, bool isPacked)
      : function(function), isPacked(isPacked) {}

  llvm::Error read(const json::Object &object);

private:
  llvm::Error fail(const llvm::Twine &what, const Param &param) const;
  llvm::Error readParam(const json::Value *value, std::string path,
                        Param &param);
  llvm::Error readObject(const json::Object &object, Param &param);
  llvm::Error readDType(const json::Object &object, Param &param);
  llvm::Error readSizes(const json::Array *sizes, Param &param);

  Function &function;
  bool isPacked;
};
} // namespace

static std::string printTuple(llvm::ArrayRef<std::string> sizes) {
  return "(" + llvm::join(sizes, ", ") + (sizes.size() == 1 ? ",)" : ")");
}

std::string printSizes(llvm::ArrayRef<int64_t> sizes) {
  return printTuple(llvm::to_vector(llvm::map_range(
      sizes, [](int64_t size) { return std::to_string(size); })));
}

std::string Function::print(llvm::ArrayRef<Size> sizes) const {
  return printTuple(llvm::to_vector(llvm::map_range(sizes, [&](Size size) {
    if (size.variable >= 0)
      return variables[size.variable];
    return size.value >= 0 ? std::to_string(size.value) : std::string("?");
  })));
}

static unsigned countSlots(const Param &param) {
  unsigned count = 0;
  param.visitLeaves([&](const Param &leaf) {
    count += leaf.kind == ParamKind::Shape    ? leaf.sizes.size()
             : leaf.kind == ParamKind::String ? 0
                                              : 1;
  });
  return count;
}

unsigned Function::countResults() const { return runtime::countSlots(result); }

bool Function::returnsValue() const {
  bool isScalar = countResults() == 1;
  result.visitLeaves(
      [&](const Param &leaf) { isScalar &= leaf.kind != ParamKind::Tensor; });
  return isScalar;
}

unsigned Function::countSlots() const {
  unsigned count = 0;
  for (const Param &param : params)
    count += runtime::countSlots(param);
  return count;
}

llvm::Error FunctionReader::fail(const llvm::Twine &what,
                                 const Param &param) const {
  return makeFailure("expected the metadata of '" + function.name +
                     "' to have " + what + " of '" + param.path + "'");
}

llvm::Error FunctionReader::readDType(const json::Object &object,
                                      Param &param) {
  param.dtype = getDType(object.getString("dtype").value_or(""));
  return param.dtype.bits ? llvm::Error::success()
                          : fail("a dtype that can be computed with", param);
}

llvm::Error FunctionReader::readObject(const json::Object &object,
                                       Param &param) {
  llvm::StringRef of = object.getString("of").value_or("");
  if (of == "shape")
    param.of = ObjectKind::Shape;
  if (of != "tensor")
    return llvm::Error::success();
  param.of = ObjectKind::Tensor;
  if (object.get("dtype"))
    if (llvm::Error error = readDType(object, param))
      return error;
  param.isRanked = object.get("shape");
  return param.isRanked ? readSizes(object.getArray("shape"), param)
                        : llvm::Error::success();
}

llvm::Error FunctionReader::readSizes(const json::Array *sizes, Param &param) {
  if (!sizes)
    return fail("the sizes", param);
  for (const json::Value &value : *sizes) {
    Size &size = param.sizes.emplace_back();
    if (std::optional<llvm::StringRef> name = value.getAsString()) {
      auto it = llvm::find(function.variables, *name);
      size.variable = it - function.variables.begin();
      if (it == function.variables.end())
        function.variables.push_back(name->str());
      continue;
    }
    if (value.kind() == json::Value::Null)
      continue;
    size.value = value.getAsInteger().value_or(-1);
    if (size.value < 0)
      return fail("a number, a name or null for each size", param);
  }
  return llvm::Error::success();
}

llvm::Error FunctionReader::readParam(const json::Value *value,
                                      std::string path, Param &param) {
  param.path = std::move(path);
  const json::Object *object = value ? value->getAsObject() : nullptr;
  llvm::StringRef kind =
      object ? object->getString("kind").value_or("") : llvm::StringRef();
  if (kind == "tensor") {
    param.kind = ParamKind::Tensor;
    param.isWritten = object->getBoolean("is_written").value_or(false);
    if (llvm::Error error = readDType(*object, param))
      return error;
    return readSizes(object->getArray("shape"), param);
  }
  if (kind == "shape") {
    param.kind = ParamKind::Shape;
    return readSizes(object->getArray("values"), param);
  }
  if (kind == "prim") {
    param.kind = ParamKind::Prim;
    return readDType(*object, param);
  }
  if (kind == "object") {
    param.kind = ParamKind::Object;
    return readObject(*object, param);
  }
  if (kind == "string" && isPacked) {
    param.kind = ParamKind::String;
    param.text = object->getString("value").value_or("").str();
    return llvm::Error::success();
  }
  const json::Array *fields = object ? object->getArray("fields") : nullptr;
  if (kind != "tuple" || !fields)
    return fail("a tensor, shape, prim, object or tuple as the kind", param);
  param.fields.resize(fields->size());
  for (auto [index, field] : llvm::enumerate(*fields)) {
    std::string path = param.path + "[" + std::to_string(index) + "]";
    if (llvm::Error error = readParam(&field, path, param.fields[index]))
      return error;
  }
  return llvm::Error::success();
}

llvm::Error FunctionReader::read(const json::Object &object) {
  const json::Array *params = object.getArray("params");
  if (!params)
    return makeFailure("expected the metadata of '" + function.name +
                       "' to have params");
  function.params.resize(params->size());
  for (auto [index, value] : llvm::enumerate(*params)) {
    const json::Object *param = value.getAsObject();
    std::optional<llvm::StringRef> name;
    if (param)
      name = param->getString("name");
    std::string path = name ? name->str() : std::to_string(index);
    if (llvm::Error error = readParam(&value, path, function.params[index]))
      return error;
  }
  // Null is an empty tuple.
  const json::Value *result = object.get("result");
  if (!result || result->kind() == json::Value::Null)
    return llvm::Error::success();
  return readParam(result, "result", function.result);
}

llvm::Expected<Metadata> parseMetadata(llvm::StringRef text) {
  llvm::Expected<json::Value> value = json::parse(text);
  if (!value)
    return makeFailure("expected metadata in JSON, but found: " +
                       llvm::toString(value.takeError()));
  const json::Object *root = value->getAsObject();
  if (!root || root->getInteger("version") != 1)
    return makeFailure("expected metadata of version 1, but found another");
  const json::Object *functions = root->getObject("functions");
  if (!functions)
    return makeFailure("expected metadata with functions, but found none");
  Metadata metadata;
  auto read = [](Function &function, const json::Value &value, bool isPacked) {
    llvm::raw_string_ostream(function.description) << value;
    const json::Object *object = value.getAsObject();
    return FunctionReader(function, isPacked)
        .read(object ? *object : json::Object());
  };
  auto readAll = [&](const json::Object &from,
                     std::vector<Function> &to) -> llvm::Error {
    for (const auto &[name, value] : from) {
      Function &function = to.emplace_back();
      function.name = name.str();
      if (llvm::Error error = read(function, value, /*isPacked=*/false))
        return error;
    }
    llvm::sort(to, [](const auto &left, const auto &right) {
      return left.name < right.name;
    });
    return llvm::Error::success();
  };
  if (llvm::Error error = readAll(*functions, metadata.functions))
    return error;
  if (const json::Object *closures = root->getObject("closures"))
    if (llvm::Error error = readAll(*closures, metadata.closures))
      return error;
  const json::Object *packed = root->getObject("packed_funcs");
  for (const auto &[symbol, value] : packed ? *packed : json::Object()) {
    PackedFunc &func = metadata.packedFuncs.emplace_back();
    func.symbol = symbol.str();
    std::optional<llvm::StringRef> name;
    if (const json::Object *object = value.getAsObject()) {
      name = object->getString("name");
      func.function.what = object->getString("what").value_or("").str();
    }
    func.isArgument = !name;
    func.function.name = name ? name->str() : "a function that the caller gave";
    if (llvm::Error error = read(func.function, value, /*isPacked=*/true))
      return error;
    llvm::ArrayRef<Param> params = func.function.params;
    if (func.isArgument &&
        (params.empty() || params.front().kind != ParamKind::Object))
      return makeFailure("expected the metadata of '" + symbol.str() +
                         "' to have a name or an object as the first param");
  }
  llvm::sort(metadata.packedFuncs, [](const auto &left, const auto &right) {
    return left.symbol < right.symbol;
  });
  return metadata;
}

} // namespace partita::runtime
