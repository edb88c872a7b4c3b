//===- Functions.h - The functions of a module -----------------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_PYTHON_EXTENSION_FUNCTIONS_H
#define PARTITA_PYTHON_EXTENSION_FUNCTIONS_H

#include "Support.h"

#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/IR.h"

#include "llvm/ADT/DenseMap.h"

namespace partita::python {

/// Calls `function` with each op in `module` that has a name, and with that.
template <typename Function>
void forEachSymbol(MlirOperation module, Function function) {
  static const MlirStringRef symName =
      mlirStringRefCreateFromCString("sym_name");
  for (intptr_t i = 0, e = mlirOperationGetNumRegions(module); i < e; ++i)
    for (MlirBlock block =
             mlirRegionGetFirstBlock(mlirOperationGetRegion(module, i));
         !mlirBlockIsNull(block); block = mlirBlockGetNextInRegion(block))
      for (MlirOperation op = mlirBlockGetFirstOperation(block);
           !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op)) {
        MlirAttribute name = mlirOperationGetAttributeByName(op, symName);
        if (!mlirAttributeIsNull(name) && mlirAttributeIsAString(name))
          function(op, name);
      }
}

/// The Python objects of the functions of one module, as long as somebody holds
/// them. It has weak references without callbacks, which Python code would run
/// for.
class FunctionsTable {
public:
  FunctionsTable() = default;
  FunctionsTable(const FunctionsTable &) = delete;
  ~FunctionsTable();

  /// The function that is a view of `op`; an invalid object if there is none.
  nb::object find(MlirOperation op);
  void set(MlirOperation op, nb::handle function);
  /// Forgets the function that is a view of `op`, and returns it.
  nb::object pop(MlirOperation op);

private:
  void dropDead();

  /// By the address of the op. Python's collector does not know them: weak
  /// references are in no cycle.
  llvm::DenseMap<void *, PyObject *> references;
  /// At this size, the references to functions that are gone are dropped.
  size_t limit = 64;
};

/// The OpForm or PartsForm of a function in Python, and the op of an OpForm.
nb::object getFunctionForm(nb::handle function);
nb::object getFunctionOp(nb::handle function);

/// The fields of a PartsForm in Python.
struct FunctionFields {
  nb::handle parts, header, type, location, context;
};
/// A Function of a PartsForm. No Python code runs.
nb::object createFunctionOfParts(const FunctionFields &fields);

void bindFunctions(nb::module_ &m);

} // namespace partita::python

#endif // PARTITA_PYTHON_EXTENSION_FUNCTIONS_H
