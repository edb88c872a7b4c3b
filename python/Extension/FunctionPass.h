//===- FunctionPass.h - Passes on functions in Python ----------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_PYTHON_EXTENSION_FUNCTIONPASS_H
#define PARTITA_PYTHON_EXTENSION_FUNCTIONPASS_H

#include "Pass.h"

namespace partita::python {

/// A PartitaModulePassFunc that calls the function (func, mod, ctx) -> func of
/// the ModulePassDataRef at `userData` on each function of `root` that is not
/// to be skipped.
MlirLogicalResult runFunctionPass(MlirOperation root, bool *isPreserved,
                                  void *userData);

void bindFunctionPass(nb::module_ &m);

} // namespace partita::python

#endif // PARTITA_PYTHON_EXTENSION_FUNCTIONPASS_H
