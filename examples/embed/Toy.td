//===- Toy.td - A compiler's own dialect -------------------*- tablegen -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBED_TOY
#define EMBED_TOY

include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Toy_Dialect : Dialect {
  let name = "toy";
  let cppNamespace = "::toy";
}

def Toy_TwiceOp : Op<Toy_Dialect, "twice", [Pure]> {
  let summary = "Twice a number";
  let arguments = (ins I32:$x);
  let results = (outs I32:$result);
  let assemblyFormat = "$x attr-dict";
}

#endif // EMBED_TOY
