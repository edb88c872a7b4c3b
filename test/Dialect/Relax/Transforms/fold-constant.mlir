// RUN: partita-opt %s --relax-fold-constant --split-input-file --allow-unregistered-dialect | FileCheck %s
// RUN: partita-opt %s --relax-fold-constant --split-input-file --allow-unregistered-dialect --mlir-pass-statistics 2>&1 | %if asserts %{ FileCheck %s --check-prefix=STATS %} %else %{ cat %}

// STATS: FoldConstant
// STATS-NEXT: (S) 5 folded
// STATS-NEXT: (S) 0 too-large

partita.module @chains {
  // Ops, constants and shapes that only folded ops used are removed.
  // CHECK-LABEL: relax.func @chain
  relax.func @chain(%x: tensor<?x4xf32, #relax.shape<["n", 4]>>) -> tensor<?x4xf32, #relax.shape<["n", 4]>> {
    // CHECK-NEXT: %[[C:.*]] = relax.constant dense<{{\[\[}}2.000000e+00, 3.000000e+00, 2.500000e+00, 2.000000e+01]]> : tensor<1x4xf32>
    // CHECK-NEXT: relax.dataflow
    // CHECK-NEXT:   relax.multiply %{{.*}}, %[[C]]
    // CHECK-NEXT:   relax.output
    // CHECK-NEXT: }
    // CHECK-NEXT: relax.return
    %v = relax.constant dense<[3.0, 8.0, 5.25, 399.0]> : tensor<4xf32>
    %one = relax.constant dense<1.0> : tensor<f32>
    %y = relax.dataflow -> tensor<?x4xf32, #relax.shape<["n", 4]>> {
      %0 = relax.add %v, %one : tensor<4xf32>, tensor<f32> -> tensor<4xf32>
      %1 = relax.sqrt %0 : tensor<4xf32>
      %s = relax.shape [1, 4]
      %2 = relax.reshape %1, %s : tensor<4xf32> -> tensor<1x4xf32>
      %3 = relax.multiply %x, %2 : tensor<?x4xf32, #relax.shape<["n", 4]>>, tensor<1x4xf32> -> tensor<?x4xf32, #relax.shape<["n", 4]>>
      relax.output %3 : tensor<?x4xf32, #relax.shape<["n", 4]>>
    }
    relax.return %y : tensor<?x4xf32, #relax.shape<["n", 4]>>
  }

  // An intermediate value that is needed stays, and so do values with other
  // users.
  // CHECK-LABEL: relax.func @shared
  relax.func @shared(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
    // CHECK-NEXT: %[[C:.*]] = relax.constant dense<[1.000000e+00, 2.000000e+00]>
    // CHECK-NEXT: %[[ADD:.*]] = relax.add %{{.*}}, %[[C]]
    // CHECK-NEXT: %[[N:.*]] = relax.constant dense<[-1.000000e+00, -2.000000e+00]>
    // CHECK-NEXT: %[[E:.*]] = relax.constant dense<[1.000000e+00, 4.000000e+00]>
    // CHECK-NEXT: relax.return %[[ADD]], %[[N]], %[[E]]
    %c = relax.constant dense<[1.0, 2.0]> : tensor<2xf32>
    %0 = relax.add %x, %c : tensor<2xf32>
    %1 = relax.negative %c : tensor<2xf32>
    %2 = relax.multiply %1, %1 : tensor<2xf32>
    relax.return %0, %1, %2 : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
  }
}

// -----

partita.module @blocks {
  // Constants go through the end of a dataflow block, which is dissolved if no
  // op remains in it.
  // CHECK-LABEL: relax.func @through
  relax.func @through() -> (tensor<2xi32>, tensor<2xi32>) {
    // CHECK-NEXT: %[[C:.*]] = relax.constant dense<[3, 4]> : tensor<2xi32>
    // CHECK-NEXT: %[[N:.*]] = relax.constant dense<[-3, -4]> : tensor<2xi32>
    // CHECK-NEXT: relax.return %[[C]], %[[N]]
    %c = relax.constant dense<[1, 2]> : tensor<2xi32>
    %two = relax.constant dense<2> : tensor<i32>
    %y = relax.dataflow -> tensor<2xi32> {
      %0 = relax.add %c, %two : tensor<2xi32>, tensor<i32> -> tensor<2xi32>
      relax.output %0 : tensor<2xi32>
    }
    %n = relax.negative %y : tensor<2xi32>
    relax.return %y, %n : tensor<2xi32>, tensor<2xi32>
  }

  // Names of constants, and a block with a remaining op.
  // CHECK-LABEL: relax.func @names
  // CHECK-SAME: (%[[X:.*]]: tensor<2xi32>)
  relax.func @names(%x: tensor<2xi32>) -> (tensor<2xi32>, tensor<2xi32>) {
    // CHECK-NEXT: %[[C:.*]] = relax.constant dense<[2, 4]> : tensor<2xi32>
    // CHECK-NEXT: %[[Y:.*]] = relax.dataflow -> tensor<2xi32> {
    // CHECK-NEXT:   %[[A:.*]] = relax.add %[[X]], %[[C]]
    // CHECK-NEXT:   relax.output %[[A]] : tensor<2xi32>
    // CHECK-NEXT: }
    // CHECK-NEXT: relax.return %[[C]], %[[Y]]
    %c = relax.constant dense<[1, 2]> : tensor<2xi32>
    %d = relax.alias %c : tensor<2xi32>
    %y:2 = relax.dataflow -> tensor<2xi32>, tensor<2xi32> {
      %0 = relax.add %d, %c : tensor<2xi32>
      %1 = relax.add %x, %0 : tensor<2xi32>
      relax.output %0, %1 : tensor<2xi32>, tensor<2xi32>
    }
    relax.return %y#0, %y#1 : tensor<2xi32>, tensor<2xi32>
  }

  // A block that outputs a constant twice, and a block in a block.
  // CHECK-LABEL: relax.func @nested
  relax.func @nested() -> tensor<i32> {
    // CHECK-NEXT: %[[Q:.*]] = relax.constant dense<36> : tensor<i32>
    // CHECK-NEXT: relax.return %[[Q]]
    %c = relax.constant dense<3> : tensor<i32>
    %y:2 = relax.dataflow -> tensor<i32>, tensor<i32> {
      %z:2 = relax.dataflow -> tensor<i32>, tensor<i32> {
        %0 = relax.add %c, %c : tensor<i32>
        relax.output %0, %0 : tensor<i32>, tensor<i32>
      }
      relax.output %z#1, %z#0 : tensor<i32>, tensor<i32>
    }
    %1 = relax.multiply %y#0, %y#1 : tensor<i32>
    relax.return %1 : tensor<i32>
  }
}

// -----

partita.module @representations {
  // Up to 16 elements, and splats of any size, are in the attribute.
  // CHECK-LABEL: relax.func @sizes
  relax.func @sizes() -> (tensor<16xi8>, tensor<17xi8>, tensor<4096x4096xf64>) {
    // CHECK: relax.constant dense<[-1, -2, -3, -4, -5, -6, -7, -8, -9, -10, -11, -12, -13, -14, -15, -16]> : tensor<16xi8>
    // CHECK: relax.constant dense_resource<sizes_folded_1> : tensor<17xi8>
    // CHECK: relax.constant dense<2.500000e+00> : tensor<4096x4096xf64>
    // CHECK-NEXT: return
    %a = relax.constant dense<"0x0102030405060708090A0B0C0D0E0F10"> : tensor<16xi8>
    %b = relax.constant dense<"0x0102030405060708090A0B0C0D0E0F1011"> : tensor<17xi8>
    %c = relax.constant dense<1.0> : tensor<4096x1xf64>
    %d = relax.constant dense<1.5> : tensor<1x4096xf64>
    %0 = relax.negative %a : tensor<16xi8>
    %1 = relax.negative %b : tensor<17xi8>
    %2 = relax.add %c, %d : tensor<4096x1xf64>, tensor<1x4096xf64> -> tensor<4096x4096xf64>
    relax.return %0, %1, %2 : tensor<16xi8>, tensor<17xi8>, tensor<4096x4096xf64>
  }

  // If only the shape changes, the data is shared.
  // CHECK-LABEL: relax.func @views
  relax.func @views() -> (tensor<1x2x10xi8>, tensor<20xi8>, tensor<5x4xi8>, tensor<2x2xf16>) {
    // CHECK: relax.constant dense_resource<bytes> : tensor<1x2x10xi8>
    // CHECK: relax.constant dense_resource<bytes> : tensor<20xi8>
    // CHECK: relax.constant dense_resource<bytes> : tensor<5x4xi8>
    // CHECK: relax.constant dense<1.000000e+00> : tensor<2x2xf16>
    // CHECK-NEXT: return
    %a = relax.constant dense_resource<bytes> : tensor<2x10xi8>
    %splat = relax.constant dense<1.0> : tensor<4xf16>
    %0 = relax.expand_dims %a axis = [0] : tensor<2x10xi8> -> tensor<1x2x10xi8>
    %s20 = relax.shape [20]
    %1 = relax.reshape %a, %s20 : tensor<2x10xi8> -> tensor<20xi8>
    %s54 = relax.shape [5, 4]
    %2 = relax.reshape %0, %s54 : tensor<1x2x10xi8> -> tensor<5x4xi8>
    %s22 = relax.shape [2, 2]
    %3 = relax.reshape %splat, %s22 : tensor<4xf16> -> tensor<2x2xf16>
    relax.return %0, %1, %2, %3 : tensor<1x2x10xi8>, tensor<20xi8>, tensor<5x4xi8>, tensor<2x2xf16>
  }

  // A name in use keeps its owner.
  // CHECK-LABEL: relax.func @taken
  relax.func @taken() -> (tensor<20xi8>, tensor<20xi8>) {
    // CHECK: %[[A:.*]] = relax.constant dense_resource<taken_folded_0> : tensor<20xi8>
    // CHECK: %[[B:.*]] = relax.constant dense_resource<taken_folded_0_1> : tensor<20xi8>
    // CHECK: return %[[A]], %[[B]]
    %a = relax.constant dense_resource<taken_folded_0> : tensor<20xi8>
    %0 = relax.negative %a : tensor<20xi8>
    relax.return %a, %0 : tensor<20xi8>, tensor<20xi8>
  }
}

{-#
  dialect_resources: {
    builtin: {
      bytes: "0x080000000102030405060708090A0B0C0D0E0F1011121314",
      taken_folded_0: "0x080000000102030405060708090A0B0C0D0E0F1011121314"
    }
  }
#-}

// CHECK: sizes_folded_1: "0x08000000FFFEFDFCFBFAF9F8F7F6F5F4F3F2F1F0EF"
// CHECK-NEXT: bytes: "0x080000000102030405060708090A0B0C0D0E0F1011121314"
// CHECK-NEXT: taken_folded_0: "0x080000000102030405060708090A0B0C0D0E0F1011121314"
// CHECK-NEXT: taken_folded_0_1: "0x08000000FFFEFDFCFBFAF9F8F7F6F5F4F3F2F1F0EFEEEDEC"

// -----

partita.module @values {
  // Integers wrap around; quotients round towards zero.
  // CHECK-LABEL: relax.func @integers
  relax.func @integers() -> (tensor<2xi8>, tensor<2xui8>, tensor<2xi8>, tensor<i64>, tensor<4xi32>, tensor<2xui16>) {
    // CHECK: relax.constant dense<[-128, 1]> : tensor<2xi8>
    // CHECK: relax.constant dense<[0, 254]> : tensor<2xui8>
    // CHECK: relax.constant dense<[-128, 3]> : tensor<2xi8>
    // CHECK: relax.constant dense<1> : tensor<i64>
    // CHECK: relax.constant dense<[2, -2, -2, 2]> : tensor<4xi32>
    // CHECK: relax.constant dense<[1, 0]> : tensor<2xui16>
    %a = relax.constant dense<[127, 0]> : tensor<2xi8>
    %one = relax.constant dense<1> : tensor<i8>
    %0 = relax.add %a, %one : tensor<2xi8>, tensor<i8> -> tensor<2xi8>
    %b = relax.constant dense<[255, 254]> : tensor<2xui8>
    %c = relax.constant dense<[255, 0]> : tensor<2xui8>
    %1 = relax.subtract %b, %c : tensor<2xui8>
    %d = relax.constant dense<[-128, -3]> : tensor<2xi8>
    %2 = relax.abs %d : tensor<2xi8>
    %e = relax.constant dense<0x7FFFFFFFFFFFFFFF> : tensor<i64>
    %3 = relax.multiply %e, %e : tensor<i64>
    %f = relax.constant dense<[7, -7, 7, -7]> : tensor<4xi32>
    %g = relax.constant dense<[3, 3, -3, -3]> : tensor<4xi32>
    %4 = relax.divide %f, %g : tensor<4xi32>
    %h = relax.constant dense<65535> : tensor<1xui16>
    %i = relax.constant dense<[65535, 0]> : tensor<2xui16>
    %5 = relax.multiply %h, %i : tensor<1xui16>, tensor<2xui16> -> tensor<2xui16>
    relax.return %0, %1, %2, %3, %4, %5 : tensor<2xi8>, tensor<2xui8>, tensor<2xi8>, tensor<i64>, tensor<4xi32>, tensor<2xui16>
  }

  // As in TVM, a sum of integers wraps around before it is divided, and squares
  // have 64 bits.
  // CHECK-LABEL: relax.func @averages
  relax.func @averages() -> (tensor<i8>, tensor<i8>, tensor<i8>) {
    // CHECK-NEXT: relax.constant dense<-31> : tensor<i8>
    // CHECK-NEXT: relax.constant dense<-84> : tensor<i8>
    // CHECK-NEXT: relax.constant dense<41> : tensor<i8>
    %c = relax.constant dense<[127, 127, 127, 4]> : tensor<4xi8>
    %d = relax.constant dense<[100, 20, -4, 4]> : tensor<4xi8>
    %0 = relax.mean %c : tensor<4xi8> -> tensor<i8>
    %1 = relax.variance %d : tensor<4xi8> -> tensor<i8>
    %2 = relax.std %d : tensor<4xi8> -> tensor<i8>
    relax.return %0, %1, %2 : tensor<i8>, tensor<i8>, tensor<i8>
  }

  // NaN is neither larger nor smaller, and goes through.
  // CHECK-LABEL: relax.func @nan
  relax.func @nan() -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<f32>) {
    // CHECK: relax.constant dense<[0x7FC00000, 0x7FC00000, 2.000000e+00]> : tensor<3xf32>
    // CHECK: relax.constant dense<[0x7FC00000, 0x7FC00000, -1.000000e+00]> : tensor<3xf32>
    // CHECK: relax.constant dense<[0x7FC00000, 1.000000e+00, 0.000000e+00]> : tensor<3xf32>
    // CHECK: relax.constant dense<0x7FC00000> : tensor<f32>
    %a = relax.constant dense<[0x7FC00000, 1.0, -1.0]> : tensor<3xf32>
    %b = relax.constant dense<[1.0, 0x7FC00000, 2.0]> : tensor<3xf32>
    %0 = relax.maximum %a, %b : tensor<3xf32>
    %1 = relax.minimum %a, %b : tensor<3xf32>
    %2 = relax.nn.relu %a : tensor<3xf32>
    %3 = relax.max %b : tensor<3xf32> -> tensor<f32>
    relax.return %0, %1, %2, %3 : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<f32>
  }

  // CHECK-LABEL: relax.func @booleans
  relax.func @booleans() -> (tensor<3x2xi1>, tensor<4xf32>, tensor<3xi1>, tensor<2xi1>, tensor<8xi1>, tensor<2xi8>) {
    // CHECK: relax.constant dense<{{\[\[}}true, false], [true, true], [false, false]]> : tensor<3x2xi1>
    // CHECK: relax.constant dense<1.000000e+00> : tensor<4xf32>
    // CHECK: relax.constant dense<[false, true, true]> : tensor<3xi1>
    // CHECK: relax.constant dense<true> : tensor<2xi1>
    // CHECK: relax.constant dense<[true, true, true, true, true, true, false, true]> : tensor<8xi1>
    // CHECK: relax.constant dense<[0, 1]> : tensor<2xi8>
    %a = relax.constant dense<[[true, true, false], [false, true, false]]> : tensor<2x3xi1>
    %b = relax.constant dense<true> : tensor<4xi1>
    %c = relax.constant dense<[0.0, -0.5, 0x7F800000]> : tensor<3xf32>
    %d = relax.constant dense<7> : tensor<2xi64>
    %e = relax.constant dense<[false, true]> : tensor<2xi1>
    %f = relax.constant dense<true> : tensor<2xi1>
    %0 = relax.permute_dims %a : tensor<2x3xi1> -> tensor<3x2xi1>
    %1 = relax.astype %b : tensor<4xi1> -> tensor<4xf32>
    %2 = relax.astype %c : tensor<3xf32> -> tensor<3xi1>
    %3 = relax.astype %d : tensor<2xi64> -> tensor<2xi1>
    %4 = relax.concat %b, %f, %e : tensor<4xi1>, tensor<2xi1>, tensor<2xi1> -> tensor<8xi1>
    %5 = relax.astype %e : tensor<2xi1> -> tensor<2xi8>
    relax.return %0, %1, %2, %3, %4, %5 : tensor<3x2xi1>, tensor<4xf32>, tensor<3xi1>, tensor<2xi1>, tensor<8xi1>, tensor<2xi8>
  }

  // Tensors without elements, and reductions that have a value on them.
  // CHECK-LABEL: relax.func @empty
  relax.func @empty() -> (tensor<0x3xf32>, tensor<3x0xf32>, tensor<2x2xi32>, tensor<3xf32>, tensor<2x2xf32>, tensor<0xf16>, tensor<0xi1>) {
    // CHECK: relax.constant dense<> : tensor<0x3xf32>
    // CHECK: relax.constant dense<> : tensor<3x0xf32>
    // CHECK: relax.constant dense<{{\[\[}}1, 2], [3, 4]]> : tensor<2x2xi32>
    // CHECK: relax.constant dense<0.000000e+00> : tensor<3xf32>
    // CHECK: relax.constant dense<0.000000e+00> : tensor<2x2xf32>
    // CHECK: relax.constant dense<> : tensor<0xf16>
    // CHECK: relax.constant dense<> : tensor<0xi1>
    %a = relax.constant dense<> : tensor<0x3xf32>
    %one = relax.constant dense<1.0> : tensor<1x3xf32>
    %0 = relax.add %a, %one : tensor<0x3xf32>, tensor<1x3xf32> -> tensor<0x3xf32>
    %1 = relax.permute_dims %a : tensor<0x3xf32> -> tensor<3x0xf32>
    %b = relax.constant dense<> : tensor<0x2xi32>
    %c = relax.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>
    %2 = relax.concat %b, %c, %b axis = -2 : tensor<0x2xi32>, tensor<2x2xi32>, tensor<0x2xi32> -> tensor<2x2xi32>
    %3 = relax.sum %a axis = [0] : tensor<0x3xf32> -> tensor<3xf32>
    %d = relax.constant dense<> : tensor<2x0xf32>
    %e = relax.constant dense<> : tensor<0x2xf32>
    %4 = relax.matmul %d, %e : tensor<2x0xf32>, tensor<0x2xf32> -> tensor<2x2xf32>
    %f = relax.constant dense<1.0> : tensor<0xf32>
    %5 = relax.astype %f : tensor<0xf32> -> tensor<0xf16>
    %g = relax.constant dense<> : tensor<0x1xi1>
    %6 = relax.squeeze %g axis = [1] : tensor<0x1xi1> -> tensor<0xi1>
    relax.return %0, %1, %2, %3, %4, %5, %6 : tensor<0x3xf32>, tensor<3x0xf32>, tensor<2x2xi32>, tensor<3xf32>, tensor<2x2xf32>, tensor<0xf16>, tensor<0xi1>
  }
}

// -----

partita.module @untouched {
  // Nothing here may change: operands that are not constant, have no value, or
  // cannot be read.
  // CHECK-LABEL: relax.func @not_constant
  relax.func @not_constant(%x: tensor<2xf32>, %s: !relax.shape<[2]>) -> (tensor<2xf32>, tensor<2xf32>) {
    // CHECK: relax.constant
    // CHECK: relax.add
    // CHECK: relax.reshape
    %c = relax.constant dense<[1.0, 2.0]> : tensor<2xf32>
    %0 = relax.add %x, %c : tensor<2xf32>
    %1 = relax.reshape %x, %s : tensor<2xf32>, !relax.shape<[2]> -> tensor<2xf32>
    relax.return %0, %1 : tensor<2xf32>, tensor<2xf32>
  }

  // CHECK-LABEL: relax.func @no_value
  relax.func @no_value() -> (tensor<2xi32>, tensor<2xi8>, tensor<2xi32>, tensor<2xi64>, tensor<ui8>, tensor<3xf32>, tensor<f32>, tensor<0xf32>) {
    // CHECK: relax.divide
    // CHECK: relax.divide
    // CHECK: relax.astype
    // CHECK: relax.astype
    // CHECK: relax.astype
    // CHECK: relax.max
    // CHECK: relax.mean
    // CHECK: relax.min
    %a = relax.constant dense<[1, 2]> : tensor<2xi32>
    %zero = relax.constant dense<[1, 0]> : tensor<2xi32>
    %0 = relax.divide %a, %zero : tensor<2xi32>
    %b = relax.constant dense<[-128, 0]> : tensor<2xi8>
    %minus = relax.constant dense<-1> : tensor<i8>
    %1 = relax.divide %b, %minus : tensor<2xi8>, tensor<i8> -> tensor<2xi8>
    %c = relax.constant dense<[0.0, 0x7FC00000]> : tensor<2xf32>
    %2 = relax.astype %c : tensor<2xf32> -> tensor<2xi32>
    %d = relax.constant dense<[0.0, 9.223372036854775808e18]> : tensor<2xf64>
    %3 = relax.astype %d : tensor<2xf64> -> tensor<2xi64>
    %e = relax.constant dense<-1.0> : tensor<f16>
    %4 = relax.astype %e : tensor<f16> -> tensor<ui8>
    %f = relax.constant dense<> : tensor<0x3xf32>
    %5 = relax.max %f axis = [0] : tensor<0x3xf32> -> tensor<3xf32>
    %6 = relax.mean %f : tensor<0x3xf32> -> tensor<f32>
    %7 = relax.min %f axis = [1] : tensor<0x3xf32> -> tensor<0xf32>
    relax.return %0, %1, %2, %3, %4, %5, %6, %7 : tensor<2xi32>, tensor<2xi8>, tensor<2xi32>, tensor<2xi64>, tensor<ui8>, tensor<3xf32>, tensor<f32>, tensor<0xf32>
  }

  // CHECK-LABEL: relax.func @unreadable
  relax.func @unreadable() -> (tensor<4xf32>, tensor<4xf32>, tensor<2xi4>, tensor<2xf8E4M3FN>, tensor<2xi32>) {
    // CHECK: relax.negative
    // CHECK: relax.negative
    // CHECK: relax.negative
    // CHECK: relax.exp
    // CHECK: relax.negative
    %a = relax.constant dense_resource<missing> : tensor<4xf32>
    %0 = relax.negative %a : tensor<4xf32>
    %b = relax.constant dense_resource<short> : tensor<4xf32>
    %1 = relax.negative %b : tensor<4xf32>
    %c = relax.constant dense<[1, 2]> : tensor<2xi4>
    %2 = relax.negative %c : tensor<2xi4>
    %d = relax.constant dense<[1.0, 2.0]> : tensor<2xf8E4M3FN>
    %3 = relax.exp %d : tensor<2xf8E4M3FN>
    %e = relax.constant sparse<[[0]], [1]> : tensor<2xi32>
    %4 = relax.negative %e : tensor<2xi32>
    relax.return %0, %1, %2, %3, %4 : tensor<4xf32>, tensor<4xf32>, tensor<2xi4>, tensor<2xf8E4M3FN>, tensor<2xi32>
  }

  // A type that does not say the size cannot be a constant's.
  // CHECK-LABEL: relax.func @dynamic
  relax.func @dynamic(%x: tensor<?xf32, #relax.shape<["n"]>>) -> (tensor<?xf32>, tensor<?xf32, #relax.shape<["n"]>>, tensor<2xf32>) {
    // CHECK: relax.negative
    // CHECK-SAME: tensor<?xf32>
    // CHECK: relax.reshape
    // CHECK: relax.exp
    // CHECK: relax.tuple
    %c = relax.constant dense<[1.0, 2.0]> : tensor<2xf32>
    %cast = relax.match_cast %c : tensor<2xf32> -> tensor<?xf32>
    %0 = relax.negative %cast : tensor<?xf32>
    %s = relax.shape ["n"]
    %1 = relax.reshape %c, %s : tensor<2xf32> -> tensor<?xf32, #relax.shape<["n"]>>
    %2 = relax.exp %1 : tensor<?xf32, #relax.shape<["n"]>>
    %t = relax.tuple(%c, %c) : tensor<2xf32>, tensor<2xf32>
    %3 = relax.tuple_get_item %t[0] : tuple<tensor<2xf32>, tensor<2xf32>>
    relax.return %0, %2, %3 : tensor<?xf32>, tensor<?xf32, #relax.shape<["n"]>>, tensor<2xf32>
  }

  // An index outside of the tensor, about which TVM says nothing, and numbers
  // that are not constant.
  // CHECK-LABEL: relax.func @outside
  relax.func @outside(%i: i64) -> (tensor<1xf32>, tensor<2xf32>, tensor<f32>) {
    // CHECK: relax.take
    // CHECK: relax.strided_slice
    // CHECK: relax.take
    %c = relax.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
    %three = relax.constant dense<3> : tensor<1xi32>
    %0 = relax.take %c, %three {axis = 0 : i64} : (tensor<3xf32>, tensor<1xi32>) -> tensor<1xf32>
    %zero = relax.prim_value 0 : i64
    %two = relax.prim_value 2 : i64
    %four = relax.prim_value 4 : i64
    %axes = relax.tuple(%zero) : i64
    %begin = relax.tuple(%two) : i64
    %end = relax.tuple(%four) : i64
    %1 = relax.strided_slice %c, %axes, %begin, %end {assume_inbound = true} : (tensor<3xf32>, tuple<i64>, tuple<i64>, tuple<i64>) -> tensor<2xf32>
    %2 = relax.take %c, %i {axis = 0 : i64} : (tensor<3xf32>, i64) -> tensor<f32>
    relax.return %0, %1, %2 : tensor<1xf32>, tensor<2xf32>, tensor<f32>
  }

  // CHECK-LABEL: relax.func @turned
  relax.func @turned() -> tensor<3xf32> {
    // CHECK: relax.constant dense<[3.000000e+00, 2.000000e+00, 1.000000e+00]>
    %c = relax.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
    %0 = relax.layout_transform %c {index_map = #relax.index_map<(d0) -> (2 - d0), i64>} : (tensor<3xf32>) -> tensor<3xf32>
    relax.return %0 : tensor<3xf32>
  }

  // A layout that puts two elements in one place, one that is no affine map, and
  // padding of another type.
  // CHECK-LABEL: relax.func @layouts
  relax.func @layouts() -> (tensor<2xf32>, tensor<?xf32>, tensor<2xf32>) {
    // CHECK: relax.layout_transform
    // CHECK: relax.layout_transform
    // CHECK: relax.layout_transform
    %c = relax.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
    %d = relax.constant dense<[1.0, 2.0]> : tensor<2xf32>
    %0 = relax.layout_transform %c {index_map = #relax.index_map<(d0, d1) -> (d0), i64>} : (tensor<2x2xf32>) -> tensor<2xf32>
    %1 = relax.layout_transform %d {index_map = #relax.opaque<"tirx.IndexMap", "{}">} : (tensor<2xf32>) -> tensor<?xf32>
    %one = relax.constant dense<[[1.0], [2.0]]> : tensor<2x1xf32>
    %2 = relax.layout_transform %one {index_map = #relax.index_map<(d0, d1) -> (d0), i64>, pad_value = 0 : i32} : (tensor<2x1xf32>) -> tensor<2xf32>
    relax.return %0, %1, %2 : tensor<2xf32>, tensor<?xf32>, tensor<2xf32>
  }

  // Parameters that do not fit, updates outside the tensor or without an end,
  // and padding that reflects more than there is. A NaN that is quantized is the
  // largest integer, as in TVM.
  // CHECK-LABEL: relax.func @misfits
  relax.func @misfits() -> (tensor<2x3xf32>, tensor<2x3xi8>, tensor<3xf32>, tensor<9xf32>, tensor<3xf32>) {
    // CHECK: relax.nn.prelu
    // CHECK: relax.constant dense<127> : tensor<2x3xi8>
    // CHECK: relax.scatter_elements
    // CHECK: relax.nn.pad
    // CHECK: relax.scatter_elements
    %x = relax.constant dense<1.0> : tensor<2x3xf32>
    %two = relax.constant dense<[1.0, 2.0]> : tensor<2xf32>
    %0 = relax.nn.prelu %x, %two {axis = 1 : i64} : (tensor<2x3xf32>, tensor<2xf32>) -> tensor<2x3xf32>
    %zero = relax.constant dense<0> : tensor<1xi8>
    %scale = relax.constant dense<1.0> : tensor<1xf32>
    %nan = relax.constant dense<0x7FC00000> : tensor<2x3xf32>
    %1 = relax.quantize %nan, %scale, %zero {out_dtype = i8, axis = 1 : i64} : (tensor<2x3xf32>, tensor<1xf32>, tensor<1xi8>) -> tensor<2x3xi8>
    %y = relax.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
    %three = relax.constant dense<[3, 0]> : tensor<2xi64>
    %2 = relax.scatter_elements %y, %three, %two : (tensor<3xf32>, tensor<2xi64>, tensor<2xf32>) -> tensor<3xf32>
    %3 = relax.nn.pad %y {pad_width = array<i64: 3, 3>, pad_mode = "reflect"} : (tensor<3xf32>) -> tensor<9xf32>
    %many = relax.constant dense<0> : tensor<1099511627776xi64>
    %ones = relax.constant dense<1.0> : tensor<1099511627776xf32>
    %4 = relax.scatter_elements %y, %many, %ones : (tensor<3xf32>, tensor<1099511627776xi64>, tensor<1099511627776xf32>) -> tensor<3xf32>
    relax.return %0, %1, %2, %3, %4 : tensor<2x3xf32>, tensor<2x3xi8>, tensor<3xf32>, tensor<9xf32>, tensor<3xf32>
  }

  // The fields of a tuple.
  // CHECK-LABEL: relax.func @joined
  relax.func @joined(%x: tensor<2xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
    // CHECK: relax.tuple
    // CHECK: relax.concat
    // CHECK: %[[C:.*]] = relax.constant dense<[1.000000e+00, 2.000000e+00, 1.000000e+00, 2.000000e+00]>
    // CHECK-NEXT: relax.return %{{.*}}, %[[C]]
    %c = relax.constant dense<[1.0, 2.0]> : tensor<2xf32>
    %t = relax.tuple(%x, %c) : tensor<2xf32>, tensor<2xf32>
    %0 = relax.concat %t axis = 0 : tuple<tensor<2xf32>, tensor<2xf32>> -> tensor<4xf32>
    %u = relax.tuple(%c, %c) : tensor<2xf32>, tensor<2xf32>
    %1 = relax.concat %u axis = 0 : tuple<tensor<2xf32>, tensor<2xf32>> -> tensor<4xf32>
    relax.return %0, %1 : tensor<4xf32>, tensor<4xf32>
  }

  // The numbers of a folded slice are removed, and so are unused results.
  // CHECK-LABEL: relax.func @parts
  relax.func @parts() -> (tensor<2xf32>, tensor<1xf32>) {
    // CHECK-NEXT: %[[A:.*]] = relax.constant dense<[2.000000e+00, 3.000000e+00]>
    // CHECK-NEXT: %[[B:.*]] = relax.constant dense<3.000000e+00> : tensor<1xf32>
    // CHECK-NEXT: relax.return %[[A]], %[[B]]
    %c = relax.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
    %zero = relax.prim_value 0 : i64
    %one = relax.prim_value 1 : i64
    %three = relax.prim_value 3 : i64
    %axes = relax.tuple(%zero) : i64
    %begin = relax.tuple(%one) : i64
    %end = relax.tuple(%three) : i64
    %0 = relax.strided_slice %c, %axes, %begin, %end {assume_inbound = false} : (tensor<3xf32>, tuple<i64>, tuple<i64>, tuple<i64>) -> tensor<2xf32>
    %1:2 = relax.split %c {indices_or_sections = 2 : i64, axis = 0 : i64} : (tensor<3xf32>) -> (tensor<2xf32>, tensor<1xf32>)
    relax.return %0, %1#1 : tensor<2xf32>, tensor<1xf32>
  }

  // Ops of other dialects, and declarations.
  // CHECK-LABEL: relax.func @others
  relax.func @others() -> tensor<2xf32> attributes {is_pure = false} {
    // CHECK: relax.constant
    // CHECK-NEXT: "other.op"
    // CHECK-NEXT: relax.cumsum
    %c = relax.constant dense<[1.0, 2.0]> : tensor<2xf32>
    %0 = "other.op"(%c) : (tensor<2xf32>) -> tensor<2xf32>
    %1 = relax.cumsum %c {axis = 0 : i64} : (tensor<2xf32>) -> tensor<2xf32>
    relax.return %1 : tensor<2xf32>
  }
  // CHECK: relax.func private @declared
  relax.func private @declared(tensor<2xf32>) -> tensor<2xf32>
}

{-#
  dialect_resources: {
    builtin: {
      short: "0x080000000000803F"
    }
  }
#-}

// -----

partita.module @created {
  // Tensors that a shape alone makes, up to 1024 elements as in TVM.
  // CHECK-LABEL: relax.func @created
  relax.func @created(%n: !relax.shape<["n"]>) -> (tensor<2x3xf16>, tensor<1025xi32>, tensor<4x2xi8>, tensor<2x2xf32>, tensor<3xf32>, tensor<2xi64>, tensor<?xf32, #relax.shape<["n"]>>) {
    // CHECK-DAG: %[[ONES:.*]] = relax.constant dense<1.000000e+00> : tensor<2x3xf16>
    // CHECK-DAG: %[[MANY:.*]] = relax.ones
    // CHECK-DAG: %[[B:.*]] = relax.constant dense<{{\[\[}}1, 2], [1, 2], [1, 2], [1, 2]]> : tensor<4x2xi8>
    // CHECK-DAG: %[[F:.*]] = relax.constant dense<2.500000e+00> : tensor<2x2xf32>
    // CHECK-DAG: %[[Z:.*]] = relax.constant dense<0.000000e+00> : tensor<3xf32>
    // CHECK-DAG: %[[S:.*]] = relax.constant dense<[2, 3]> : tensor<2xi64>
    // CHECK-DAG: %[[N:.*]] = relax.zeros
    // CHECK: relax.return %[[ONES]], %[[MANY]], %[[B]], %[[F]], %[[Z]], %[[S]], %[[N]]
    %s = relax.shape [2, 3]
    %0 = relax.ones %s {dtype = f16} : (!relax.shape<[2, 3]>) -> tensor<2x3xf16>
    %many = relax.shape [1025]
    %1 = relax.ones %many {dtype = i32} : (!relax.shape<[1025]>) -> tensor<1025xi32>
    %c = relax.constant dense<[1, 2]> : tensor<2xi8>
    %to = relax.shape [4, 2]
    %2 = relax.broadcast_to %c, %to : (tensor<2xi8>, !relax.shape<[4, 2]>) -> tensor<4x2xi8>
    %v = relax.constant dense<2.5> : tensor<f32>
    %square = relax.shape [2, 2]
    %3 = relax.full %square, %v : (!relax.shape<[2, 2]>, tensor<f32>) -> tensor<2x2xf32>
    %d = relax.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
    %4 = relax.zeros_like %d : (tensor<3xf32>) -> tensor<3xf32>
    %5 = relax.shape_to_tensor %s : (!relax.shape<[2, 3]>) -> tensor<2xi64>
    %6 = relax.zeros %n {dtype = f32} : (!relax.shape<["n"]>) -> tensor<?xf32, #relax.shape<["n"]>>
    relax.return %0, %1, %2, %3, %4, %5, %6 : tensor<2x3xf16>, tensor<1025xi32>, tensor<4x2xi8>, tensor<2x2xf32>, tensor<3xf32>, tensor<2xi64>, tensor<?xf32, #relax.shape<["n"]>>
  }

  // So does the shape of a tensor that is not known itself, of any size.
  // CHECK-LABEL: relax.func @created_like
  relax.func @created_like(%x: tensor<2x3xf32>, %large: tensor<1025xf32>, %n: tensor<?xf32, #relax.shape<["n"]>>, %number: tensor<f32>) -> (tensor<2x3xf32>, tensor<1025xf32>, tensor<2x3xi32>, tensor<2x3xf16>, tensor<1x3xf32>, tensor<?xf32, #relax.shape<["n"]>>, tensor<2x3xf32>, tensor<1x3xf32>) {
    // CHECK-DAG: %[[ONES:.*]] = relax.constant dense<1.000000e+00> : tensor<2x3xf32>
    // CHECK-DAG: %[[MANY:.*]] = relax.constant dense<0.000000e+00> : tensor<1025xf32>
    // CHECK-DAG: %[[FULL:.*]] = relax.constant dense<2> : tensor<2x3xi32>
    // CHECK-DAG: %[[EYE:.*]] = relax.constant dense<{{\[\[}}0.000000e+00, 1.000000e+00, 0.000000e+00], [0.000000e+00, 0.000000e+00, 1.000000e+00]]> : tensor<2x3xf16>
    // CHECK-DAG: %[[SUM:.*]] = relax.constant dense<2.000000e+00> : tensor<1x3xf32>
    // CHECK-DAG: %[[N:.*]] = relax.ones_like %n
    // CHECK-DAG: %[[NUMBER:.*]] = relax.full_like %x, %number
    // CHECK-DAG: %[[X:.*]] = relax.collapse_sum_like %x, %[[SUM]]
    // CHECK: relax.return %[[ONES]], %[[MANY]], %[[FULL]], %[[EYE]], %[[SUM]], %[[N]], %[[NUMBER]], %[[X]]
    %0 = relax.ones_like %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
    %1 = relax.zeros_like %large : (tensor<1025xf32>) -> tensor<1025xf32>
    %v = relax.constant dense<2.0> : tensor<f32>
    %2 = relax.full_like %x, %v {dtype = i32} : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xi32>
    %k = relax.prim_value 1 : i64
    %3 = relax.eye_like %x, %k {dtype = f16} : (tensor<2x3xf32>, i64) -> tensor<2x3xf16>
    %row = relax.shape [1, 3]
    %like = relax.zeros %row {dtype = f32} : (!relax.shape<[1, 3]>) -> tensor<1x3xf32>
    %4 = relax.collapse_sum_like %0, %like : (tensor<2x3xf32>, tensor<1x3xf32>) -> tensor<1x3xf32>
    %5 = relax.ones_like %n : (tensor<?xf32, #relax.shape<["n"]>>) -> tensor<?xf32, #relax.shape<["n"]>>
    %6 = relax.full_like %x, %number : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
    %7 = relax.collapse_sum_like %x, %4 : (tensor<2x3xf32>, tensor<1x3xf32>) -> tensor<1x3xf32>
    relax.return %0, %1, %2, %3, %4, %5, %6, %7 : tensor<2x3xf32>, tensor<1025xf32>, tensor<2x3xi32>, tensor<2x3xf16>, tensor<1x3xf32>, tensor<?xf32, #relax.shape<["n"]>>, tensor<2x3xf32>, tensor<1x3xf32>
  }

  // Constants have no other name and leave a block. As in TVM, unused ops are
  // removed, though nothing is computed.
  // CHECK-LABEL: relax.func @names
  relax.func @names(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
    // CHECK-NEXT: %[[C:.*]] = relax.constant
    // CHECK-NEXT: %[[Y:.*]] = relax.dataflow -> tensor<2xf32> {
    // CHECK-NEXT:   %[[A:.*]] = relax.add %{{.*}}, %[[C]]
    // CHECK-NEXT:   relax.output %[[A]]
    // CHECK-NEXT: }
    // CHECK-NEXT: relax.return %[[Y]], %[[C]]
    %y:3 = relax.dataflow -> tensor<2xf32>, tensor<2xf32>, tensor<2xf32> {
      %c = relax.constant dense<[1.0, 2.0]> : tensor<2xf32>
      %k = relax.alias %c : tensor<2xf32>
      %0 = relax.add %x, %k : tensor<2xf32>
      %1 = relax.exp %0 : tensor<2xf32>
      relax.output %0, %k, %1 : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
    }
    %2 = relax.exp %x : tensor<2xf32>
    relax.return %y#0, %y#1 : tensor<2xf32>, tensor<2xf32>
  }
}

// -----

// A constant that is read as a shape makes types more specific.
partita.module @shapes {
  // CHECK-LABEL: relax.func @data_dependent
  // CHECK-SAME: -> (tensor<16x4xf32>, !relax.shape<[16, 4]>)
  relax.func @data_dependent(%x: tensor<64xf32>) -> (tensor<?x?xf32>, !relax.shape<[?, ?]>) {
    // CHECK-NEXT: %[[T:.*]] = relax.shape [16, 4]
    // CHECK-NEXT: %[[S:.*]] = relax.shape [16, 4]
    // CHECK-NEXT: %[[R:.*]] = relax.dataflow -> tensor<16x4xf32> {
    // CHECK-NEXT:   %[[Y:.*]] = relax.reshape %{{.*}}, %[[T]] : tensor<64xf32> -> tensor<16x4xf32>
    // CHECK-NEXT:   relax.output %[[Y]]
    // CHECK-NEXT: }
    // CHECK-NEXT: relax.return %[[R]], %[[S]]
    %c = relax.constant dense<[8, 2]> : tensor<2xi64>
    %0 = relax.add %c, %c : tensor<2xi64>
    %s = relax.tensor_to_shape %0 : (tensor<2xi64>) -> !relax.shape<[?, ?]>
    %r = relax.dataflow -> tensor<?x?xf32> {
      %y = relax.reshape %x, %s : tensor<64xf32>, !relax.shape<[?, ?]> -> tensor<?x?xf32>
      relax.output %y : tensor<?x?xf32>
    }
    relax.return %r, %s : tensor<?x?xf32>, !relax.shape<[?, ?]>
  }

  // A known shape makes more ops constant; a caller's types stay.
  // CHECK-LABEL: relax.func @called() -> tensor<?x?xf32>
  relax.func @called() -> tensor<?x?xf32> {
    // CHECK-NEXT: %[[C:.*]] = relax.constant dense<1.000000e+00> : tensor<4x4xf32>
    // CHECK-NEXT: %[[M:.*]] = relax.match_cast %[[C]] : tensor<4x4xf32> -> tensor<?x?xf32>
    // CHECK-NEXT: relax.return %[[M]]
    %x = relax.constant dense<1.0> : tensor<16xf32>
    %c = relax.constant dense<4> : tensor<2xi64>
    %s = relax.tensor_to_shape %c : (tensor<2xi64>) -> !relax.shape<[?, ?]>
    %y = relax.reshape %x, %s : tensor<16xf32>, !relax.shape<[?, ?]> -> tensor<?x?xf32>
    %z = relax.negative %y : tensor<?x?xf32>
    %l = relax.abs %z : tensor<?x?xf32>
    relax.return %l : tensor<?x?xf32>
  }
  // CHECK-LABEL: relax.func @caller
  relax.func @caller() -> tensor<?x?xf32> {
    // CHECK-NEXT: relax.call @called() : () -> tensor<?x?xf32>
    %0 = relax.call @called() : () -> tensor<?x?xf32>
    relax.return %0 : tensor<?x?xf32>
  }

  // If it can't be the shape, that fails in the run.
  // CHECK-LABEL: relax.func @impossible
  relax.func @impossible(%x: tensor<64xf32>) -> (tensor<?x?xf32>, tensor<4x4xf32>) {
    // CHECK-DAG: %[[S:.*]] = relax.tensor_to_shape
    // CHECK-DAG: relax.reshape %{{.*}}, %[[S]] : tensor<64xf32> -> tensor<?x?xf32>
    // CHECK-DAG: %[[T:.*]] = relax.shape [8, 8]
    // CHECK-DAG: %[[R:.*]] = relax.reshape %{{.*}}, %[[T]] : tensor<64xf32> -> tensor<8x8xf32>
    // CHECK: %[[O:.*]] = relax.match_cast %[[R]] : tensor<8x8xf32> -> !relax.object
    // CHECK: relax.match_cast %[[O]] : !relax.object -> tensor<4x4xf32>
    %c = relax.constant dense<[16, 5]> : tensor<2xi64>
    %s = relax.tensor_to_shape %c : (tensor<2xi64>) -> !relax.shape<[?, ?]>
    %y = relax.reshape %x, %s : tensor<64xf32>, !relax.shape<[?, ?]> -> tensor<?x?xf32>
    %d = relax.constant dense<8> : tensor<2xi64>
    %t = relax.tensor_to_shape %d : (tensor<2xi64>) -> !relax.shape<[?, ?]>
    %z = relax.reshape %x, %t : tensor<64xf32>, !relax.shape<[?, ?]> -> tensor<?x?xf32>
    %w = relax.match_cast %z : tensor<?x?xf32> -> tensor<4x4xf32>
    relax.return %y, %w : tensor<?x?xf32>, tensor<4x4xf32>
  }

  // CHECK-LABEL: relax.func @left_alone
  relax.func @left_alone(%b: tensor<i1>) -> (!relax.shape<[?]>, !relax.shape<[?, ?]>) {
    // CHECK: relax.tensor_to_shape
    // CHECK: relax.if
    // CHECK: relax.shape [1, 2]
    // CHECK: relax.shape [2, 2]
    %c = relax.constant dense<-1> : tensor<1xi64>
    %s = relax.tensor_to_shape %c : (tensor<1xi64>) -> !relax.shape<[?]>
    %i = relax.if %b : tensor<i1> -> !relax.shape<[?, ?]> {
      %d = relax.constant dense<[1, 2]> : tensor<2xi64>
      %t = relax.tensor_to_shape %d : (tensor<2xi64>) -> !relax.shape<[?, ?]>
      relax.yield %t : !relax.shape<[?, ?]>
    } else {
      %d = relax.constant dense<2> : tensor<2xi64>
      %t = relax.tensor_to_shape %d : (tensor<2xi64>) -> !relax.shape<[?, ?]>
      relax.yield %t : !relax.shape<[?, ?]>
    }
    relax.return %s, %i : !relax.shape<[?]>, !relax.shape<[?, ?]>
  }
}
