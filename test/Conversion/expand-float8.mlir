// RUN: partita-opt --arith-expand-float8 --split-input-file %s | FileCheck %s

// An infinity has bits of its own, above the largest number.

// CHECK-LABEL: func.func @extend_e5m2(
// CHECK-SAME: %[[X:.*]]: f8E5M2) -> f32
// CHECK: %[[BYTE:.*]] = arith.bitcast %[[X]] : f8E5M2 to i8
// CHECK: %[[BITS:.*]] = arith.extui %[[BYTE]] : i8 to i32
// CHECK: %[[MAGNITUDE:.*]] = arith.andi %[[BITS]], %{{.*}} : i32
// CHECK: arith.mulf
// CHECK: %[[LARGEST:.*]] = arith.constant 123 : i32
// CHECK: arith.cmpi ugt, %[[MAGNITUDE]], %[[LARGEST]]
// CHECK-NOT: arith.extf
// CHECK: %[[F:.*]] = arith.bitcast %{{.*}} : i32 to f32
// CHECK: return %[[F]] : f32
func.func @extend_e5m2(%x: f8E5M2) -> f32 {
  %0 = arith.extf %x : f8E5M2 to f32
  return %0 : f32
}

// NaN is minus zero.
// CHECK-LABEL: func.func @extend_fnuz(
// CHECK: %[[BITS:.*]] = arith.extui
// CHECK: arith.constant 2143289344 : i32
// CHECK: %[[NAN:.*]] = arith.constant 128 : i32
// CHECK: arith.cmpi eq, %[[BITS]], %[[NAN]] : i32
// CHECK: arith.extf %{{.*}} : f32 to f64
func.func @extend_fnuz(%x: f8E4M3FNUZ) -> f64 {
  %0 = arith.extf %x : f8E4M3FNUZ to f64
  return %0 : f64
}

// CHECK-LABEL: func.func @truncate(
// CHECK-SAME: %[[X:.*]]: vector<4xf16>
// CHECK: %[[WIDE:.*]] = arith.extf %[[X]] : vector<4xf16> to vector<4xf32>
// CHECK: arith.bitcast %[[WIDE]] : vector<4xf32> to vector<4xi32>
// CHECK-NOT: arith.truncf
// CHECK: %[[BYTE:.*]] = arith.trunci %{{.*}} : vector<4xi32> to vector<4xi8>
// CHECK: arith.bitcast %[[BYTE]] : vector<4xi8> to vector<4xf8E4M3FN>
func.func @truncate(%x: vector<4xf16>) -> vector<4xf8E4M3FN> {
  %0 = arith.truncf %x : vector<4xf16> to vector<4xf8E4M3FN>
  return %0 : vector<4xf8E4M3FN>
}

// CHECK-LABEL: func.func @compute(
// CHECK-NOT: {{(addf|exp) .*}}f8
// CHECK: arith.addf %{{.*}} : f32
// CHECK-NOT: {{(addf|exp) .*}}f8
// CHECK: math.exp %{{.*}} : f32
// CHECK-NOT: {{(addf|exp) .*}}f8
// CHECK: return
func.func @compute(%x: f8E4M3FN, %y: f8E4M3FN) -> f8E4M3FN {
  %0 = arith.addf %x, %y : f8E4M3FN
  %1 = math.exp %0 : f8E4M3FN
  return %1 : f8E4M3FN
}

// -----

// What it does not touch.

// CHECK-LABEL: func.func @others(
// CHECK-NEXT: arith.addf %{{.*}} : f16
// CHECK-NEXT: arith.extf %{{.*}} : f16 to f32
// CHECK-NEXT: math.exp %{{.*}} : f16
// CHECK-NEXT: arith.truncf %{{.*}} : f16 to f8E8M0FNU
// CHECK-NEXT: return
func.func @others(%x: f16) -> (f32, f16, f8E8M0FNU) {
  %0 = arith.addf %x, %x : f16
  %1 = arith.extf %0 : f16 to f32
  %2 = math.exp %0 : f16
  %3 = arith.truncf %2 : f16 to f8E8M0FNU
  return %1, %2, %3 : f32, f16, f8E8M0FNU
}

// -----

// CHECK-LABEL: func.func @kept(
// CHECK: arith.truncf %{{.*}} upward : f32 to f8E5M2
// CHECK: arith.extf %{{.*}} : tensor<?xf8E5M2> to tensor<?xf32>
// CHECK: arith.select %{{.*}} : f8E5M2
func.func @kept(%x: f32, %t: tensor<?xf8E5M2>, %c: i1, %z: f8E5M2) -> (f8E5M2, tensor<?xf32>) {
  %0 = arith.truncf %x upward : f32 to f8E5M2
  %1 = arith.extf %t : tensor<?xf8E5M2> to tensor<?xf32>
  %2 = arith.select %c, %0, %z : f8E5M2
  return %2, %1 : f8E5M2, tensor<?xf32>
}
