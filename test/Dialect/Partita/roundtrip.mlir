// RUN: partita-opt %s --no-implicit-module | FileCheck %s
// RUN: partita-opt %s --no-implicit-module | partita-opt --no-implicit-module | FileCheck %s
// RUN: partita-opt %s --no-implicit-module --mlir-print-op-generic | partita-opt --no-implicit-module | FileCheck %s
// RUN: partita-opt %s --no-implicit-module --emit-bytecode | partita-opt --no-implicit-module | FileCheck %s

// A module is the root of this file.

// CHECK: partita.module @root attributes {
// CHECK-SAME: context = #partita.pass_context,
// CHECK-SAME: default = #partita.pass_context,
// CHECK-SAME: full = #partita.pass_context<opt_level = 3, required_pass = ["A", "B"], disabled_pass = ["C"], config = {tir.UnrollLoop = {auto_max_step = 16 : i64}}, instruments = ["print-ir-after{all}"]>,
// CHECK-SAME: global_infos = {vdevice = ["llvm", "cuda"]},
// CHECK-SAME: info = #partita.pass_info<"FuseOps">,
// CHECK-SAME: info_full = #partita.pass_info<"Fuse\22Ops", opt_level = 1, required = ["FoldConstant", "Normalize"]>,
// CHECK-SAME: level = #partita.pass_context<opt_level = 0>
// CHECK-SAME: }
partita.module @root attributes {
  context = #partita.pass_context,
  default = #partita.pass_context<opt_level = 2, required_pass = [], config = {}, instruments = []>,
  full = #partita.pass_context<
    instruments = ["print-ir-after{all}"],
    config = {tir.UnrollLoop = {auto_max_step = 16 : i64}},
    disabled_pass = ["C"], required_pass = ["A", "B"], opt_level = 3>,
  global_infos = {vdevice = ["llvm", "cuda"]},
  info = #partita.pass_info<"FuseOps">,
  info_full = #partita.pass_info<"Fuse\"Ops", required = ["FoldConstant", "Normalize"], opt_level = 1>,
  level = #partita.pass_context<opt_level = 0>
} {
  // CHECK: partita.module @nested {
  // CHECK-NEXT: }
  partita.module @nested {
  }
  // CHECK: partita.module @private attributes {sym_visibility = "private"}
  partita.module @private attributes {sym_visibility = "private"} {
  }
  // CHECK: builtin.module @upstream
  builtin.module @upstream {
    // CHECK: partita.module {
    partita.module {
    }
  }
  // CHECK: func.func private @anything()
  func.func private @anything()
  // CHECK: relax.func private @function()
  relax.func private @function()
  // CHECK: tir.prim_func private @kernel()
  tir.prim_func private @kernel()
}
