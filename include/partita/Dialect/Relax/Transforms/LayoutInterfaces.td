//===- LayoutInterfaces.td - Layouts and precision of ops --*- tablegen -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_DIALECT_RELAX_TRANSFORMS_LAYOUTINTERFACES
#define PARTITA_DIALECT_RELAX_TRANSFORMS_LAYOUTINTERFACES

include "mlir/IR/OpBase.td"

def LayoutOpInterface : OpInterface<"LayoutOpInterface"> {
  let description = [{
    An op that `relax-convert-layout` lets compute on tensors in another layout.
    Ops get the interface from external models, which
    lib/Dialect/Relax/Transforms/Layout/LayoutModels.cpp has for the ops of the
    relax dialect.
  }];
  let cppNamespace = "::partita::relax";
  let methods = [
    InterfaceMethod<[{
      Says in which layouts the op takes its operands and gives its results, and
      with which attributes it computes the same then. Fails, without an error,
      if it computes on the layouts that the program has.
    }], "::llvm::LogicalResult", "inferLayouts",
    (ins "::partita::relax::LayoutInference &":$layouts)>
  ];
}

def PrecisionOpInterface : OpInterface<"PrecisionOpInterface"> {
  let description = [{
    An op that `relax-to-mixed-precision` lets compute in 16 bits. Ops get the
    interface from external models, which
    lib/Dialect/Relax/Transforms/Layout/PrecisionModels.cpp has for the ops of
    the relax dialect. An op without it computes as it did.
  }];
  let cppNamespace = "::partita::relax";
  let methods = [
    InterfaceMethod<[{
      Whether the op is worth the conversion of its operands to 16 bits. If not,
      it follows them: it computes in 16 bits if they all have 16 bits.
    }], "bool", "prefersHalf">
  ];
}

#endif // PARTITA_DIALECT_RELAX_TRANSFORMS_LAYOUTINTERFACES
