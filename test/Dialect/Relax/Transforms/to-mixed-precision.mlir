// RUN: partita-opt %s --split-input-file --relax-to-mixed-precision | FileCheck %s
// RUN: partita-opt %s --split-input-file '--relax-to-mixed-precision=out-dtype=float16' | FileCheck %s --check-prefix=F16
// RUN: partita-opt %s --split-input-file '--relax-to-mixed-precision=out-dtype=bfloat16' | FileCheck %s --check-prefix=BF16
// RUN: partita-opt %s --split-input-file '--relax-to-mixed-precision=fp16-input-names=w,none' | FileCheck %s --check-prefix=NAMES
// RUN: not partita-opt %s --split-input-file '--relax-to-mixed-precision=out-dtype=int8' 2>&1 | FileCheck %s --check-prefix=WRONG
// WRONG: error: expected out-dtype to be float32, float16 or bfloat16, but found 'int8'

partita.module {
  // Parameters that only products use are converted once, in front. Sums are f32.
  // A value that leaves the block has the type that it had.
  // CHECK-LABEL: relax.func @chain
  // CHECK-SAME: %w: tensor<8x8xf32>
  // F16-LABEL: relax.func @chain
  // BF16-LABEL: relax.func @chain
  // NAMES-LABEL: relax.func @chain
  // NAMES-SAME: %w: tensor<8x8xf16>
  relax.func @chain(%x: tensor<?x8xf32, #relax.shape<["n", 8]>>, %w: tensor<8x8xf32>, %b: tensor<8xf32>) -> tensor<?x8xf32, #relax.shape<["n", 8]>> {
    // CHECK: relax.dataflow
    // CHECK-NEXT: %[[X:.*]] = relax.astype %x : {{.*}} -> tensor<?x8xf16, #relax.shape<["n", 8]>>
    // CHECK-NEXT: %[[W:.*]] = relax.astype %w
    // CHECK-NEXT: %[[M:.*]] = relax.matmul %[[X]], %[[W]] out_dtype = f32 {mark}
    // CHECK-NEXT: %[[H:.*]] = relax.astype %[[M]]
    // CHECK-NEXT: %[[B:.*]] = relax.astype %[[H]] : {{.*}} -> tensor<?x8xf32,
    // CHECK-NEXT: %[[A:.*]] = relax.add %[[B]], %b
    // CHECK-NEXT: %[[R:.*]] = relax.nn.relu %[[A]]
    // CHECK-NEXT: %[[RH:.*]] = relax.astype %[[R]]
    // CHECK-NEXT: %[[Y:.*]] = relax.matmul %[[RH]], %[[W]] out_dtype = f32
    // CHECK-NEXT: relax.output %[[Y]]
    // F16: %[[M:.*]] = relax.matmul %{{.*}}, %{{.*}} out_dtype = f16 {mark}
    // F16-NEXT: %[[B:.*]] = relax.astype %[[M]]
    // F16-NEXT: relax.add %[[B]], %b
    // F16: relax.matmul %{{.*}}, %{{.*}} out_dtype = f16
    // F16-NEXT: relax.astype
    // F16-NEXT: relax.output
    // BF16: relax.matmul %{{.*}}, %{{.*}} out_dtype = bf16 {mark}
    // NAMES: relax.dataflow
    // NAMES-NEXT: %[[X:.*]] = relax.astype %x
    // NAMES-NEXT: relax.matmul %[[X]], %w
    %y = relax.dataflow -> tensor<?x8xf32, #relax.shape<["n", 8]>> {
      %0 = relax.matmul %x, %w {mark} : tensor<?x8xf32, #relax.shape<["n", 8]>>, tensor<8x8xf32> -> tensor<?x8xf32, #relax.shape<["n", 8]>>
      %1 = relax.add %0, %b : tensor<?x8xf32, #relax.shape<["n", 8]>>, tensor<8xf32> -> tensor<?x8xf32, #relax.shape<["n", 8]>>
      %2 = relax.nn.relu %1 : tensor<?x8xf32, #relax.shape<["n", 8]>>
      %3 = relax.matmul %2, %w : tensor<?x8xf32, #relax.shape<["n", 8]>>, tensor<8x8xf32> -> tensor<?x8xf32, #relax.shape<["n", 8]>>
      relax.output %3 : tensor<?x8xf32, #relax.shape<["n", 8]>>
    }
    relax.return %y : tensor<?x8xf32, #relax.shape<["n", 8]>>
  }

  // Ops follow into f16 if constants allow it. Others compute as they did, and so
  // does the code outside of the block.
  // CHECK-LABEL: relax.func @follow
  // NAMES-LABEL: relax.func @follow
  // NAMES: %[[F32:.*]] = relax.astype %w : tensor<8x8xf16> -> tensor<8x8xf32>
  // NAMES: relax.exp %[[F32]]
  relax.func @follow(%x: tensor<8x8xf32>, %w: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>) {
    // CHECK: %[[P:.*]] = relax.matmul
    // CHECK-NEXT: %[[H:.*]] = relax.astype %[[P]] : tensor<8x8xf32> -> tensor<8x8xf16>
    // CHECK-NEXT: %[[C:.*]] = relax.astype %small : tensor<f32> -> tensor<f16>
    // CHECK-NEXT: %[[S:.*]] = relax.add %[[H]], %[[C]] : tensor<8x8xf16>, tensor<f16>
    // CHECK-NEXT: %[[L:.*]] = relax.astype %[[H]] : tensor<8x8xf16> -> tensor<8x8xf32>
    // CHECK-NEXT: relax.add %[[L]], %large : tensor<8x8xf32>
    // CHECK-NEXT: %[[M:.*]] = relax.astype %[[S]] : tensor<8x8xf16> -> tensor<8x8xf32>
    // CHECK-NEXT: relax.nn.softmax %[[M]] : tensor<8x8xf32>
    // CHECK-NEXT: %[[N:.*]] = relax.astype %[[S]]
    // CHECK-NEXT: relax.call_op "relax.new"(%[[N]])
    // CHECK: relax.exp %w : tensor<8x8xf32>
    %small = relax.constant dense<6.5504e+04> : tensor<f32>
    %large = relax.constant dense<6.6e+04> : tensor<f32>
    %y, %z = relax.dataflow -> tensor<8x8xf32>, tensor<8x8xf32> {
      %0 = relax.matmul %x, %w : tensor<8x8xf32>, tensor<8x8xf32> -> tensor<8x8xf32>
      %1 = relax.add %0, %small : tensor<8x8xf32>, tensor<f32> -> tensor<8x8xf32>
      %2 = relax.add %0, %large : tensor<8x8xf32>, tensor<f32> -> tensor<8x8xf32>
      %3 = relax.nn.softmax %1 : tensor<8x8xf32>
      %4 = relax.call_op "relax.new"(%1) {is_pure = true} : (tensor<8x8xf32>) -> tensor<8x8xf32>
      %5 = relax.add %3, %4 : tensor<8x8xf32>
      relax.output %2, %5 : tensor<8x8xf32>, tensor<8x8xf32>
    }
    %e = relax.exp %w : tensor<8x8xf32>
    relax.return %y, %z, %e : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>
  }

  // What tuples hold stays f16, and results of several are converted one by one.
  // CHECK-LABEL: relax.func @tuples
  relax.func @tuples(%x: tensor<8x8xf32>, %w: tensor<8x8xf32>) -> tuple<tensor<8x8xf32>, tensor<4x8xf32>> {
    // CHECK: %[[A:.*]] = relax.matmul
    // CHECK-NEXT: %[[H:.*]] = relax.astype %[[A]] : tensor<8x8xf32> -> tensor<8x8xf16>
    // CHECK-NEXT: %[[T:.*]] = relax.tuple(%[[H]], %[[H]]) : tensor<8x8xf16>, tensor<8x8xf16>
    // CHECK-NEXT: %[[G:.*]] = relax.tuple_get_item %[[T]][1]
    // CHECK-NEXT: %[[P:.*]]:2 = relax.split %[[G]] {{.*}} -> (tensor<4x8xf16>, tensor<4x8xf16>)
    // CHECK-NEXT: %[[M:.*]] = relax.matmul %[[P]]#0,
    // CHECK-NEXT: %[[MH:.*]] = relax.astype %[[M]]
    // CHECK-NEXT: %[[B:.*]] = relax.astype %[[H]] : tensor<8x8xf16> -> tensor<8x8xf32>
    // CHECK-NEXT: %[[C:.*]] = relax.astype %[[MH]] : tensor<4x8xf16> -> tensor<4x8xf32>
    // CHECK-NEXT: %[[Y:.*]] = relax.tuple(%[[B]], %[[C]])
    // CHECK-NEXT: relax.output %[[Y]]
    %y = relax.dataflow -> tuple<tensor<8x8xf32>, tensor<4x8xf32>> {
      %0 = relax.matmul %x, %w : tensor<8x8xf32>, tensor<8x8xf32> -> tensor<8x8xf32>
      %1 = relax.tuple(%0, %0) : tensor<8x8xf32>, tensor<8x8xf32>
      %2 = relax.tuple_get_item %1[1] : tuple<tensor<8x8xf32>, tensor<8x8xf32>>
      %3:2 = relax.split %2 {axis = 0 : i64, indices_or_sections = 2 : i64} : (tensor<8x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>)
      %4 = relax.matmul %3#0, %w : tensor<4x8xf32>, tensor<8x8xf32> -> tensor<4x8xf32>
      %5 = relax.tuple(%0, %4) : tensor<8x8xf32>, tensor<4x8xf32>
      relax.output %5 : tuple<tensor<8x8xf32>, tensor<4x8xf32>>
    }
    relax.return %y : tuple<tensor<8x8xf32>, tensor<4x8xf32>>
  }

  // A wrapped parameter stands for the tensor that it converts.
  // CHECK-LABEL: relax.func @wrapped
  relax.func @wrapped(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
    // CHECK: %[[A:.*]] = relax.alias %{{.*}} : tensor<8x8xf16>
    // CHECK-NEXT: relax.matmul %{{.*}}, %[[A]] out_dtype = f32 : tensor<8x8xf16>, tensor<8x8xf16>
    %c = relax.constant dense<1.0> : tensor<8x8xf16>
    %y = relax.dataflow -> tensor<8x8xf32> {
      %w = relax.wrap_param %c {dtype = f32} : (tensor<8x8xf16>) -> tensor<8x8xf32>
      %0 = relax.matmul %x, %w : tensor<8x8xf32>, tensor<8x8xf32> -> tensor<8x8xf32>
      relax.output %0 : tensor<8x8xf32>
    }
    relax.return %y : tensor<8x8xf32>
  }

  // Results that leave the block together are one tuple in TVM.
  // CHECK-LABEL: relax.func @whole
  relax.func @whole(%x: tensor<8x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
    // CHECK: %[[T:.*]] = relax.dataflow -> tuple<tensor<4x8xf32>, tensor<4x8xf32>>
    // CHECK: %[[S:.*]]:2 = relax.split
    // CHECK-NEXT: %[[A:.*]] = relax.alias %[[S]]#0 : tensor<4x8xf16>
    // CHECK-NEXT: %[[P:.*]] = relax.astype %[[A]]
    // CHECK-NEXT: %[[B:.*]] = relax.alias %[[S]]#1
    // CHECK-NEXT: %[[Q:.*]] = relax.astype %[[B]]
    // CHECK-NEXT: %[[Y:.*]] = relax.tuple(%[[P]], %[[Q]])
    // CHECK-NEXT: relax.output %[[Y]]
    // CHECK: %[[E:.*]] = relax.tuple_get_item %[[T]][0]
    // CHECK: %[[C:.*]] = relax.tuple_get_item %[[T]][1]
    // CHECK: relax.return %[[E]], %[[C]]
    %y:2 = relax.dataflow -> tensor<4x8xf32>, tensor<4x8xf32> {
      %0 = relax.matmul %x, %x : tensor<8x8xf32>, tensor<8x8xf32> -> tensor<8x8xf32>
      %1:2 = relax.split %0 {axis = 0 : i64, indices_or_sections = 2 : i64} : (tensor<8x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>)
      relax.output %1#0, %1#1 : tensor<4x8xf32>, tensor<4x8xf32>
    }
    relax.return %y#0, %y#1 : tensor<4x8xf32>, tensor<4x8xf32>
  }

  // Two variables for fields of one tuple: each is converted by itself.
  // CHECK-LABEL: relax.func @variables
  relax.func @variables(%x: tensor<8x4xf32>) -> tensor<4x4xf32> {
    // CHECK: %[[S:.*]]:2 = relax.split %x
    // CHECK-NEXT: %a = relax.alias %[[S]]#0 : tensor<4x4xf32>
    // CHECK-NEXT: %[[A:.*]] = relax.astype %a : tensor<4x4xf32> -> tensor<4x4xf16>
    // CHECK-NEXT: %b = relax.alias %[[S]]#1 : tensor<4x4xf32>
    // CHECK-NEXT: %[[B:.*]] = relax.astype %b : tensor<4x4xf32> -> tensor<4x4xf16>
    // CHECK-NEXT: relax.matmul %[[A]], %[[B]]
    %y = relax.dataflow -> tensor<4x4xf32> {
      %0:2 = relax.split %x {axis = 0 : i64, indices_or_sections = 2 : i64} : (tensor<8x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>)
      %a = relax.alias %0#0 : tensor<4x4xf32>
      %b = relax.alias %0#1 : tensor<4x4xf32>
      %1 = relax.matmul %a, %b : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
      relax.output %1 : tensor<4x4xf32>
    }
    relax.return %y : tensor<4x4xf32>
  }

  // A value that products of a later block use is converted there.
  // CHECK-LABEL: relax.func @blocks
  relax.func @blocks(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
    // CHECK: %[[A:.*]] = relax.matmul
    // CHECK-NEXT: relax.output %[[A]]
    // CHECK: %[[X:.*]] = relax.astype %x
    // CHECK-NEXT: %[[Y:.*]] = relax.astype %y
    // CHECK-NEXT: relax.matmul %[[Y]], %[[X]]
    %y = relax.dataflow -> tensor<8x8xf32> {
      %0 = relax.matmul %x, %x : tensor<8x8xf32>, tensor<8x8xf32> -> tensor<8x8xf32>
      relax.output %0 : tensor<8x8xf32>
    }
    %z = relax.dataflow -> tensor<8x8xf32> {
      %0 = relax.matmul %y, %x : tensor<8x8xf32>, tensor<8x8xf32> -> tensor<8x8xf32>
      relax.output %0 : tensor<8x8xf32>
    }
    relax.return %z : tensor<8x8xf32>
  }

  // Outside of dataflow blocks, and with other elements, nothing changes.
  // CHECK-LABEL: relax.func @untouched
  // CHECK-NOT: f16
  // CHECK: relax.return
  relax.func @untouched(%x: tensor<8x8xf32>, %i: tensor<8x8xi8>, %d: tensor<8x8xf64>, %u: !relax.tensor<[8, 8], ?>) -> (tensor<8x8xf32>, tensor<8x8xi32>, tensor<8x8xf64>, !relax.tensor<[8, 8], ?>) {
    %o = relax.matmul %x, %x : tensor<8x8xf32>, tensor<8x8xf32> -> tensor<8x8xf32>
    %y, %z, %v = relax.dataflow -> tensor<8x8xi32>, tensor<8x8xf64>, !relax.tensor<[8, 8], ?> {
      %0 = relax.matmul %i, %i out_dtype = i32 : tensor<8x8xi8>, tensor<8x8xi8> -> tensor<8x8xi32>
      %1 = relax.matmul %d, %d : tensor<8x8xf64>, tensor<8x8xf64> -> tensor<8x8xf64>
      %2 = relax.nn.relu %u : !relax.tensor<[8, 8], ?>
      relax.output %0, %1, %2 : tensor<8x8xi32>, tensor<8x8xf64>, !relax.tensor<[8, 8], ?>
    }
    relax.return %o, %y, %z, %v : tensor<8x8xf32>, tensor<8x8xi32>, tensor<8x8xf64>, !relax.tensor<[8, 8], ?>
  }
}
