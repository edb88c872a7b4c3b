//===- RelaxInterfaces.td - Interfaces of Relax ops --------*- tablegen -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_DIALECT_RELAX_IR_RELAXINTERFACES
#define PARTITA_DIALECT_RELAX_IR_RELAXINTERFACES

include "mlir/IR/OpBase.td"

def Relax_TVMCallInterface : OpInterface<"TVMCallOpInterface"> {
  let description = [{
    A call of TVM's op of the same name. The op's operands are the arguments and
    its attributes the fields of TVM's object of attributes, in TVM's order.
  }];
  let cppNamespace = "::partita::relax";
  let methods = [
    StaticInterfaceMethod<[{
      The class of that object, less `relax.attrs.`; empty if there is none.
    }], "::llvm::StringRef", "getTVMAttrs", (ins), "", [{ return ""; }]>,
    StaticInterfaceMethod<[{
      The argument that is a tuple of the op's variadic operand, or -1.
    }], "int", "getTVMTuple", (ins), "", [{ return -1; }]>
  ];
}

#endif // PARTITA_DIALECT_RELAX_IR_RELAXINTERFACES
