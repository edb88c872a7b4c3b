//===- RelaxDialect.td - The relax dialect -----------------*- tablegen -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_DIALECT_RELAX_IR_RELAXDIALECT
#define PARTITA_DIALECT_RELAX_IR_RELAXDIALECT

include "mlir/IR/DialectBase.td"

def Relax_Dialect : Dialect {
  let name = "relax";
  let cppNamespace = "::partita::relax";
  let summary = "TVM's Relax: functions on tensors with symbolic shapes";
  let description = [{
    Ops carry TVM's names and attribute names; an attribute that TVM holds as
    None is absent. Tensors are builtin tensors. A dimension is a number, a
    name (`tensor<?x16xf32, #relax.shape<["n", 16]>>`) or unknown (`?` without
    a name); equal names are equal sizes. An op that computes is pure, infers
    its result types from its operands and is verified against them: a result
    may know a dimension that cannot be inferred, but not contradict one.

    A location that is a name is the name of TVM's variable. Values are printed
    by it (`%lv3`), and what is parsed without a location gets the name that it
    has in the text; `%3`, `%arg0` and `%cst` are no names.
  }];
  let hasConstantMaterializer = 1;
  let hasNonDefaultDestructor = 1;
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
  let extraClassDeclaration = [{
    void registerAttributes();
    void registerBytecode();
    void registerTypes();
    void registerInliner();
    void registerTensors();

    /// Gives all ops an OpAsmOpInterface that shows the names of locations.
    void *getRegisteredInterfaceForOp(::mlir::TypeID interfaceID,
                                      ::mlir::OperationName opName) override;

    const std::shared_ptr<TensorNames> &getTensorNames() { return tensorNames; }

  private:
    std::shared_ptr<TensorNames> tensorNames;
  }];
}

#endif // PARTITA_DIALECT_RELAX_IR_RELAXDIALECT
