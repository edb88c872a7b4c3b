//===- PartitaExtension.cpp - What Python needs of the C API --------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Modules, passes, contexts and instruments as Python objects; the classes that
// users see derive from these, in partita/*.py. The GIL is released while
// passes run, and held by the callbacks.
//
//===----------------------------------------------------------------------===//

#include "partita-c/Dialects.h"

#include "Expr.h"
#include "FunctionPass.h"
#include "Functions.h"
#include "Module.h"
#include "Pass.h"
#include "PassContext.h"
#include "PassInstrument.h"

#include "mlir/Bindings/Python/NanobindAdaptors.h"

using namespace partita::python;

NB_MODULE(_partita, m) {
  partitaRegisterAllPasses();

  nb::module_::import_("atexit").attr("register")(
      nb::cpp_function(beginShutdown));
  m.def("register_dialects", [](MlirDialectRegistry registry) {
    partitaRegisterAllDialects(registry);
#ifdef PARTITA_ENABLE_RUNTIME
    partitaRegisterLoweringInterfaces(registry);
#endif
  });
  bindKnown(m);
  bindModule(m);
  bindElements(m);
  bindPasses(m);
  bindFunctions(m);
  bindFunctionPass(m);
  bindInstruments(m);
  bindPassContext(m);
  bindExpr(m);
  bindExprInfer(m);
  bindExprTypes(m);
  bindArray(m);
  bindExprReader(m);
  bindExprBuilder(m);
  bindExprFunctor(m);
}
