//===- LegalizeOpInterface.td - How ops are lowered --------*- tablegen -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_DIALECT_RELAX_TRANSFORMS_LEGALIZEOPINTERFACE
#define PARTITA_DIALECT_RELAX_TRANSFORMS_LEGALIZEOPINTERFACE

include "mlir/IR/OpBase.td"

def LegalizeOpInterface : OpInterface<"LegalizeOpInterface"> {
  let description = [{
    An op that `relax-legalize-ops` turns into a call of a prim_func. Ops get the
    interface from external models, which lib/Dialect/Relax/Transforms/Legalize
    has for the ops of the relax dialect.
  }];
  let cppNamespace = "::partita::relax";
  let methods = [
    InterfaceMethod<[{
      Builds code that computes the op's results in `kernel`. Fails, without an
      error, if TVM does not legalize such an op either.
    }], "::llvm::LogicalResult", "legalize",
    (ins "::partita::relax::KernelBuilder &":$kernel)>
  ];
}

#endif // PARTITA_DIALECT_RELAX_TRANSFORMS_LEGALIZEOPINTERFACE
