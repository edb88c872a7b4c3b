// RUN: partita-opt %s --split-input-file '--relax-convert-layout=desired-layouts=relax.nn.conv2d=NCHW4c:OIHW4o' | FileCheck %s

partita.module {
  // The index maps of the layouts, and ops on split dimensions.
  // CHECK-LABEL: relax.func @chain
  relax.func @chain(%x: tensor<2x16x28x28xf32>, %w: tensor<8x16x3x3xf32>, %b: tensor<1x8x1x1xf32>) -> (tensor<2x16x26x26xf32>, tensor<2x26xf32>) {
    // CHECK: %[[X:.*]] = relax.layout_transform %x {index_map = #relax.index_map<(d0, d1, d2, d3) -> (d0, d1 floordiv 4, d2, d3, d1 mod 4), i32>} : (tensor<2x16x28x28xf32>) -> tensor<2x4x28x28x4xf32>
    // CHECK: %[[W:.*]] = relax.layout_transform %w {{.*}} -> tensor<2x16x3x3x4xf32>
    // CHECK: %[[C:.*]] = relax.nn.conv2d %[[X]], %[[W]] data_layout = "NCHW4c" kernel_layout = "OIHW4o" : {{.*}} -> tensor<2x2x26x26x4xf32>
    // CHECK: %[[B:.*]] = relax.layout_transform %b {{.*}} -> tensor<1x2x1x1x4xf32>
    // CHECK: %[[A:.*]] = relax.add %[[C]], %[[B]]
    // CHECK: %[[P:.*]] = relax.nn.avg_pool2d %[[A]] layout = "NCHW4c"
    // CHECK: %[[CAT:.*]] = relax.concat %[[P]], %[[C]] axis = 1 : {{.*}} -> tensor<2x4x26x26x4xf32>
    // CHECK: %[[SPLIT:.*]]:2 = relax.split %[[CAT]] {axis = 1 : i64, indices_or_sections = array<i64: 1>} : {{.*}} -> (tensor<2x1x26x26x4xf32>, tensor<2x3x26x26x4xf32>)
    // CHECK: %[[S:.*]] = relax.sum %[[SPLIT]]#0 axis = [1, 2, 4] : tensor<2x1x26x26x4xf32> -> tensor<2x26xf32>
    // CHECK: %[[Y:.*]] = relax.layout_transform %[[CAT]] {index_map = #relax.index_map<(d0, d1, d2, d3, d4) -> (d0, d1 * 4 + d4, d2, d3), i32>} : (tensor<2x4x26x26x4xf32>) -> tensor<2x16x26x26xf32>
    // CHECK: relax.output
    %y, %z = relax.dataflow -> tensor<2x16x26x26xf32>, tensor<2x26xf32> {
      %0 = relax.nn.conv2d %x, %w : tensor<2x16x28x28xf32>, tensor<8x16x3x3xf32> -> tensor<2x8x26x26xf32>
      %1 = relax.add %0, %b : tensor<2x8x26x26xf32>, tensor<1x8x1x1xf32> -> tensor<2x8x26x26xf32>
      %2 = relax.nn.avg_pool2d %1 : tensor<2x8x26x26xf32>
      %3 = relax.concat %2, %0 axis = 1 : tensor<2x8x26x26xf32>, tensor<2x8x26x26xf32> -> tensor<2x16x26x26xf32>
      %4:2 = relax.split %3 {axis = 1 : i64, indices_or_sections = array<i64: 4>} : (tensor<2x16x26x26xf32>) -> (tensor<2x4x26x26xf32>, tensor<2x12x26x26xf32>)
      %5 = relax.sum %4#0 axis = [1, 2] : tensor<2x4x26x26xf32> -> tensor<2x26xf32>
      %6 = relax.alias %3 : tensor<2x16x26x26xf32>
      relax.output %6, %5 : tensor<2x16x26x26xf32>, tensor<2x26xf32>
    }
    relax.return %y, %z : tensor<2x16x26x26xf32>, tensor<2x26xf32>
  }

  // What can't be split, or is not known to be a multiple, stays.
  // CHECK-LABEL: relax.func @stays
  // CHECK-NOT: layout_transform
  // CHECK: relax.return
  relax.func @stays(%x: tensor<2x3x8x8xf32>, %w: tensor<8x3x3x3xf32>, %s: tensor<2x?x8x8xf32, #relax.shape<[2, "c", 8, 8]>>, %v: tensor<8x?x3x3xf32, #relax.shape<[8, "c", 3, 3]>>) -> tensor<2x8x6x6xf32> {
    %y = relax.dataflow -> tensor<2x8x6x6xf32> {
      %0 = relax.nn.conv2d %x, %w : tensor<2x3x8x8xf32>, tensor<8x3x3x3xf32> -> tensor<2x8x6x6xf32>
      %1 = relax.nn.conv2d %s, %v : tensor<2x?x8x8xf32, #relax.shape<[2, "c", 8, 8]>>, tensor<8x?x3x3xf32, #relax.shape<[8, "c", 3, 3]>> -> tensor<2x8x6x6xf32>
      %2 = relax.add %0, %1 : tensor<2x8x6x6xf32>
      relax.output %2 : tensor<2x8x6x6xf32>
    }
    relax.return %y : tensor<2x8x6x6xf32>
  }

  // A kept dimension of size 1 broadcasts, and is not joined with others.
  // CHECK-LABEL: relax.func @kept
  relax.func @kept(%x: tensor<1x4x8x8xf32>, %w: tensor<8x4x1x1xf32>, %g: tensor<8xf32>) -> (tensor<1x2x8x8xf32>, tensor<1x8x8x8xf32>) {
    // CHECK: %[[C:.*]] = relax.nn.conv2d
    // CHECK: %[[M:.*]] = relax.max %[[C]] axis = [1, 4] keepdims = true : tensor<1x2x8x8x4xf32> -> tensor<1x1x8x8x1xf32>
    // CHECK: %[[E:.*]] = relax.exp %[[M]]
    // CHECK: %[[J:.*]] = relax.layout_transform %[[E]] {{.*}} -> tensor<1x1x8x8xf32>
    // CHECK: relax.concat %{{.*}}, %{{.*}} axis = 1 : tensor<1x1x8x8xf32>
    // Channels that are split are not normalized.
    // CHECK: %[[T:.*]] = relax.layout_transform %[[C]] {{.*}} -> tensor<1x8x8x8xf32>
    // CHECK: relax.nn.layer_norm %[[T]], %g, %g axes = [1]
    %y:2 = relax.dataflow -> tensor<1x2x8x8xf32>, tensor<1x8x8x8xf32> {
      %0 = relax.nn.conv2d %x, %w : tensor<1x4x8x8xf32>, tensor<8x4x1x1xf32> -> tensor<1x8x8x8xf32>
      %1 = relax.max %0 axis = [1] keepdims = true : tensor<1x8x8x8xf32> -> tensor<1x1x8x8xf32>
      %2 = relax.exp %1 : tensor<1x1x8x8xf32>
      %3 = relax.concat %2, %2 axis = 1 : tensor<1x1x8x8xf32>, tensor<1x1x8x8xf32> -> tensor<1x2x8x8xf32>
      %4 = relax.nn.layer_norm %0, %g, %g axes = [1] : tensor<1x8x8x8xf32>, tensor<8xf32>, tensor<8xf32> -> tensor<1x8x8x8xf32>
      relax.output %3, %4 : tensor<1x2x8x8xf32>, tensor<1x8x8x8xf32>
    }
    relax.return %y#0, %y#1 : tensor<1x2x8x8xf32>, tensor<1x8x8x8xf32>
  }

  // Layouts of its own come before the option, and go away. Between two split
  // layouts is one op.
  // CHECK-LABEL: relax.func @own
  relax.func @own(%x: tensor<1x8x8x8xf32>, %w: tensor<8x8x1x1xf32>) -> tensor<1x8x8x8xf32> {
    // CHECK: relax.nn.conv2d {{.*}} data_layout = "NHWC8c" kernel_layout = "OHWI" :
    // CHECK-NEXT: relax.layout_transform {{.*}} : (tensor<1x8x8x1x8xf32>) -> tensor<1x2x8x8x4xf32>
    // CHECK-NEXT: relax.layout_transform %w
    // CHECK-NEXT: relax.nn.conv2d {{.*}} data_layout = "NCHW4c"
    %y = relax.dataflow -> tensor<1x8x8x8xf32> {
      %0 = relax.nn.conv2d %x, %w {relax.desired_layouts = ["NHWC8c", "OHWI"]} : tensor<1x8x8x8xf32>, tensor<8x8x1x1xf32> -> tensor<1x8x8x8xf32>
      %1 = relax.nn.conv2d %0, %w : tensor<1x8x8x8xf32>, tensor<8x8x1x1xf32> -> tensor<1x8x8x8xf32>
      relax.output %1 : tensor<1x8x8x8xf32>
    }
    relax.return %y : tensor<1x8x8x8xf32>
  }
}
