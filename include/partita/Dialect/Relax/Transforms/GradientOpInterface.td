//===- GradientOpInterface.td - How ops pass gradients on --*- tablegen -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_DIALECT_RELAX_TRANSFORMS_GRADIENTOPINTERFACE
#define PARTITA_DIALECT_RELAX_TRANSFORMS_GRADIENTOPINTERFACE

include "mlir/IR/OpBase.td"

def GradientOpInterface : OpInterface<"GradientOpInterface"> {
  let description = [{
    An op that `relax-gradient` can differentiate. Ops get the interface from
    external models, which lib/Dialect/Relax/Transforms/Algebra has for the ops of
    the relax dialect.
  }];
  let cppNamespace = "::partita::relax";
  let methods = [
    InterfaceMethod<[{
      Appends for each argument of TVM's op how to build its gradient from the
      gradients of the results. Fails, without an error, if there is none for such
      operands and attributes.
    }], "::llvm::LogicalResult", "getGradients",
    (ins "::partita::relax::GradientBuilder &":$builder,
         "::llvm::SmallVectorImpl<::partita::relax::PartialGradient> &":$partials)>
  ];
}

#endif // PARTITA_DIALECT_RELAX_TRANSFORMS_GRADIENTOPINTERFACE
