//===- NameHintOpInterface.td - Ops with a name for people -*- tablegen -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_SUPPORT_NAMEHINTOPINTERFACE
#define PARTITA_SUPPORT_NAMEHINTOPINTERFACE

include "mlir/IR/OpBase.td"

def Partita_NameHintOpInterface : OpInterface<"NameHintOpInterface"> {
  let description = [{
    An op with an attribute that names it for people, as the name_hint of TVM's
    SBlock. The name does not count in structural equality.
  }];
  let cppNamespace = "::partita";
  let methods = [
    InterfaceMethod<[{
      The name of the attribute, which is inherent.
    }], "::mlir::StringAttr", "getNameHintAttrName">
  ];
}

#endif // PARTITA_SUPPORT_NAMEHINTOPINTERFACE
