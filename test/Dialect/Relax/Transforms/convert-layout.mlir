// RUN: partita-opt %s '--relax-convert-layout=desired-layouts=relax.nn.conv2d=NHWC:OHWI,relax.image.resize2d=NHWC' | FileCheck %s
// RUN: partita-opt %s '--relax-convert-layout=desired-layouts=relax.nn.conv2d=NHWC:OHWI,relax.image.resize2d=NHWC' | \
// RUN:   partita-opt - '--relax-convert-layout=desired-layouts=relax.nn.conv2d=NHWC:OHWI,relax.image.resize2d=NHWC' | FileCheck %s

partita.module {
  // Ops between convolutions compute on the new layout.
  // CHECK-LABEL: relax.func @chain
  // CHECK-SAME: (%[[X:.*]]: tensor<?x3x28x28xf32, #relax.shape<["n", 3, 28, 28]>>, %[[W:.*]]: tensor<4x3x3x3xf32>, %b
  relax.func @chain(%x: tensor<?x3x28x28xf32, #relax.shape<["n", 3, 28, 28]>>, %w: tensor<4x3x3x3xf32>, %b: tensor<4x1x1xf32>) -> tensor<?x4x13x13xf32, #relax.shape<["n", 4, 13, 13]>> {
    // CHECK: relax.dataflow
    // CHECK-NEXT: %[[XT:.*]] = relax.permute_dims %[[X]] axes = [0, 2, 3, 1]
    // CHECK-SAME: -> tensor<?x28x28x3xf32, #relax.shape<["n", 28, 28, 3]>>
    // CHECK-NEXT: %[[WT:.*]] = relax.permute_dims %[[W]] axes = [0, 2, 3, 1]
    // CHECK-NEXT: %[[C:.*]] = relax.nn.conv2d %[[XT]], %[[WT]] data_layout = "NHWC" kernel_layout = "OHWI" {mark}
    // CHECK-SAME: -> tensor<?x26x26x4xf32, #relax.shape<["n", 26, 26, 4]>>
    // CHECK-NEXT: %[[R:.*]] = relax.nn.relu %[[C]]
    // CHECK-NEXT: %[[P:.*]] = relax.nn.max_pool2d %[[R]] pool_size = [2, 2] strides = [2, 2] layout = "NHWC"
    // CHECK-NEXT: %[[S:.*]] = relax.nn.softmax %[[P]] axis = 3
    // CHECK-NEXT: %[[Y:.*]] = relax.permute_dims %[[S]] axes = [0, 3, 1, 2]
    // CHECK-NEXT: relax.output %[[Y]]
    %y = relax.dataflow -> tensor<?x4x13x13xf32, #relax.shape<["n", 4, 13, 13]>> {
      %0 = relax.nn.conv2d %x, %w {mark} : tensor<?x3x28x28xf32, #relax.shape<["n", 3, 28, 28]>>, tensor<4x3x3x3xf32> -> tensor<?x4x26x26xf32, #relax.shape<["n", 4, 26, 26]>>
      %1 = relax.nn.relu %0 : tensor<?x4x26x26xf32, #relax.shape<["n", 4, 26, 26]>>
      %2 = relax.nn.max_pool2d %1 pool_size = [2, 2] strides = [2, 2] : tensor<?x4x26x26xf32, #relax.shape<["n", 4, 26, 26]>> -> tensor<?x4x13x13xf32, #relax.shape<["n", 4, 13, 13]>>
      %3 = relax.nn.softmax %2 axis = 1 : tensor<?x4x13x13xf32, #relax.shape<["n", 4, 13, 13]>>
      relax.output %3 : tensor<?x4x13x13xf32, #relax.shape<["n", 4, 13, 13]>>
    }
    relax.return %y : tensor<?x4x13x13xf32, #relax.shape<["n", 4, 13, 13]>>
  }

  // A bias of lower rank needs the layout of the program, and so do an op without
  // a rule, one that the dialect lacks, a tuple that leaves the block, and a name.
  // CHECK-LABEL: relax.func @restored
  relax.func @restored(%x: tensor<1x3x8x8xf32>, %w: tensor<4x3x3x3xf32>, %b: tensor<4x1x1xf32>) -> tuple<tensor<1x4x6x6xf32>, tensor<1x4x6x6xf32>> {
    // CHECK: %[[C:.*]] = relax.nn.conv2d
    // CHECK-NEXT: %[[BACK:.*]] = relax.permute_dims %[[C]] axes = [0, 3, 1, 2]
    // CHECK-NEXT: %[[A:.*]] = relax.add %[[BACK]], %b
    // CHECK-NEXT: %[[BACK2:.*]] = relax.permute_dims %[[C]] axes = [0, 3, 1, 2]
    // CHECK-NEXT: relax.call_op "relax.new"(%[[BACK2]])
    // CHECK-NEXT: %[[BACK3:.*]] = relax.permute_dims %[[C]] axes = [0, 3, 1, 2]
    // CHECK-NEXT: %[[L:.*]] = relax.nn.log_softmax %[[BACK3]]
    // CHECK-NEXT: %[[BACK4:.*]] = relax.permute_dims %[[C]] axes = [0, 3, 1, 2]
    // CHECK-NEXT: %[[E:.*]] = relax.exp %[[BACK4]]
    // CHECK-NEXT: %[[ADD:.*]] = relax.add %[[A]], %[[E]]
    // CHECK-NEXT: %[[T:.*]] = relax.tuple(%[[ADD]], %[[L]])
    // CHECK-NEXT: relax.output %[[T]]
    %y = relax.dataflow -> tuple<tensor<1x4x6x6xf32>, tensor<1x4x6x6xf32>> {
      %0 = relax.nn.conv2d %x, %w : tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32> -> tensor<1x4x6x6xf32>
      %1 = relax.add %0, %b : tensor<1x4x6x6xf32>, tensor<4x1x1xf32> -> tensor<1x4x6x6xf32>
      %2 = relax.call_op "relax.new"(%0) {is_pure = true} : (tensor<1x4x6x6xf32>) -> tensor<1x4x6x6xf32>
      %3 = relax.nn.log_softmax %0 axis = 1 : tensor<1x4x6x6xf32>
      %4 = relax.alias %0 : tensor<1x4x6x6xf32>
      %5 = relax.exp %4 : tensor<1x4x6x6xf32>
      %6 = relax.add %1, %5 : tensor<1x4x6x6xf32>
      %7 = relax.tuple(%6, %3) : tensor<1x4x6x6xf32>, tensor<1x4x6x6xf32>
      relax.output %7 : tuple<tensor<1x4x6x6xf32>, tensor<1x4x6x6xf32>>
    }
    relax.return %y : tuple<tensor<1x4x6x6xf32>, tensor<1x4x6x6xf32>>
  }

  // Axes move with the dimensions, also through tuples and casts.
  // CHECK-LABEL: relax.func @axes
  relax.func @axes(%x: tensor<1x3x8x8xf32>, %w: tensor<4x3x3x3xf32>) -> (tensor<1x12xf32>, tensor<6x4x6x1xf32>) {
    // CHECK: %[[C:.*]] = relax.nn.conv2d
    // CHECK-NEXT: %[[CAT:.*]] = relax.concat %[[C]], %[[C]], %[[C]] axis = 3
    // CHECK-NEXT: %[[SPLIT:.*]]:2 = relax.split %[[CAT]] {axis = 3 : i64, indices_or_sections = array<i64: 4>}
    // CHECK-NEXT: %[[T:.*]] = relax.tuple(%[[SPLIT]]#0, %[[CAT]]) : tensor<1x6x6x4xf32>, tensor<1x6x6x12xf32>
    // CHECK-NEXT: %[[G:.*]] = relax.tuple_get_item %[[T]][1]
    // CHECK-NEXT: %[[CAST:.*]] = relax.match_cast %[[G]] : tensor<1x6x6x12xf32> -> tensor<?x6x6x12xf32, #relax.shape<["m", 6, 6, 12]>>
    // CHECK-NEXT: %[[SUM:.*]] = relax.sum %[[CAT]] axis = [1, 2] : tensor<1x6x6x12xf32> -> tensor<1x12xf32>
    // CHECK: %[[AXES:.*]] = relax.prim_value 1 : i64
    // CHECK-NEXT: %[[TUPLE:.*]] = relax.tuple(%[[AXES]])
    // CHECK-NEXT: %[[SLICE:.*]] = relax.strided_slice %[[C]], %[[TUPLE]]
    // CHECK-SAME: -> tensor<1x2x6x4xf32>
    // CHECK: %[[TR:.*]] = relax.permute_dims %[[C]] axes = [1, 3, 2, 0]
    // CHECK-NEXT: relax.output %[[SUM]], %[[TR]]
    %y:2 = relax.dataflow -> tensor<1x12xf32>, tensor<6x4x6x1xf32> {
      %0 = relax.nn.conv2d %x, %w : tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32> -> tensor<1x4x6x6xf32>
      %1 = relax.concat %0, %0, %0 axis = 1 : tensor<1x4x6x6xf32>, tensor<1x4x6x6xf32>, tensor<1x4x6x6xf32> -> tensor<1x12x6x6xf32>
      %2:2 = relax.split %1 {axis = 1 : i64, indices_or_sections = array<i64: 4>} : (tensor<1x12x6x6xf32>) -> (tensor<1x4x6x6xf32>, tensor<1x8x6x6xf32>)
      %3 = relax.tuple(%2#0, %1) : tensor<1x4x6x6xf32>, tensor<1x12x6x6xf32>
      %4 = relax.tuple_get_item %3[1] : tuple<tensor<1x4x6x6xf32>, tensor<1x12x6x6xf32>>
      %5 = relax.match_cast %4 : tensor<1x12x6x6xf32> -> tensor<?x12x6x6xf32, #relax.shape<["m", 12, 6, 6]>>
      %6 = relax.sum %1 axis = [-2, 3] : tensor<1x12x6x6xf32> -> tensor<1x12xf32>
      %axis = relax.prim_value 2 : i64
      %axes = relax.tuple(%axis) : i64
      %begin = relax.tuple(%axis) : i64
      %last = relax.prim_value 4 : i64
      %end = relax.tuple(%last) : i64
      %7 = relax.strided_slice %0, %axes, %begin, %end : (tensor<1x4x6x6xf32>, tuple<i64>, tuple<i64>, tuple<i64>) -> tensor<1x4x2x6xf32>
      %8 = relax.permute_dims %0 axes = [2, 1, 3, 0] : tensor<1x4x6x6xf32> -> tensor<6x4x6x1xf32>
      relax.output %6, %8 : tensor<1x12xf32>, tensor<6x4x6x1xf32>
    }
    relax.return %y#0, %y#1 : tensor<1x12xf32>, tensor<6x4x6x1xf32>
  }

  // Dimensions that come and go stay where they are, and the others keep their
  // order. New results of TVM's repeat, stack and scatter_nd would be wrong.
  // CHECK-LABEL: relax.func @new_dims
  relax.func @new_dims(%x: tensor<1x3x8x8xf32>, %w: tensor<4x3x3x3xf32>, %i: tensor<1x1xi64>) -> (tensor<4x6x6xf32>, tensor<1x2x4x6x6xf32>, tensor<144xf32>, tensor<1x4x6x6xf32>) {
    // CHECK: %[[C:.*]] = relax.nn.conv2d
    // CHECK-NEXT: %[[EXP:.*]] = relax.expand_dims %[[C]] axis = [1] : tensor<1x6x6x4xf32> -> tensor<1x1x6x6x4xf32>
    // CHECK-NEXT: %[[SQ:.*]] = relax.squeeze %[[EXP]] axis = [0, 1] : tensor<1x1x6x6x4xf32> -> tensor<6x6x4xf32>
    // CHECK-NEXT: relax.permute_dims %[[SQ]] axes = [2, 0, 1]
    // CHECK-NEXT: %[[ST:.*]] = relax.stack %[[C]], %[[C]] {axis = 1 : i64}
    // CHECK-SAME: -> tensor<1x2x6x6x4xf32>
    // CHECK-NEXT: relax.permute_dims %[[ST]] axes = [0, 1, 4, 2, 3]
    // CHECK-NEXT: %[[F:.*]] = relax.permute_dims %[[C]] axes = [0, 3, 1, 2]
    // CHECK-NEXT: relax.repeat %[[F]] {repeats = 1 : i64}
    // CHECK: relax.scatter_nd {{.*}} : (tensor<1x4x6x6xf32>
    %y:4 = relax.dataflow -> tensor<4x6x6xf32>, tensor<1x2x4x6x6xf32>, tensor<144xf32>, tensor<1x4x6x6xf32> {
      %0 = relax.nn.conv2d %x, %w : tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32> -> tensor<1x4x6x6xf32>
      %1 = relax.expand_dims %0 axis = [1] : tensor<1x4x6x6xf32> -> tensor<1x1x4x6x6xf32>
      %2 = relax.squeeze %1 : tensor<1x1x4x6x6xf32> -> tensor<4x6x6xf32>
      %3 = relax.stack %0, %0 {axis = 1 : i64} : (tensor<1x4x6x6xf32>, tensor<1x4x6x6xf32>) -> tensor<1x2x4x6x6xf32>
      %4 = relax.repeat %0 {repeats = 1 : i64} : (tensor<1x4x6x6xf32>) -> tensor<144xf32>
      %5 = relax.scatter_nd %0, %i, %0 : (tensor<1x4x6x6xf32>, tensor<1x1xi64>, tensor<1x4x6x6xf32>) -> tensor<1x4x6x6xf32>
      relax.output %2, %3, %4, %5 : tensor<4x6x6xf32>, tensor<1x2x4x6x6xf32>, tensor<144xf32>, tensor<1x4x6x6xf32>
    }
    relax.return %y#0, %y#1, %y#2, %y#3 : tensor<4x6x6xf32>, tensor<1x2x4x6x6xf32>, tensor<144xf32>, tensor<1x4x6x6xf32>
  }

  // Scalars and numbers have no layout. Normalizations keep the layout of their
  // parameters.
  // CHECK-LABEL: relax.func @norms
  relax.func @norms(%x: tensor<1x3x8x8xf32>, %w: tensor<4x3x3x3xf32>, %p: tensor<4xf32>, %s: tensor<f32>) -> tensor<1x4x12x12xf32> {
    // CHECK: %[[C:.*]] = relax.nn.conv2d
    // CHECK: %[[A:.*]] = relax.add %[[C]], %s : tensor<1x6x6x4xf32>, tensor<f32>
    // CHECK: %[[M:.*]] = relax.multiply %{{.*}}, %[[A]] : f32, tensor<1x6x6x4xf32>
    // CHECK: %[[N:.*]], %{{.*}}, %{{.*}} = relax.nn.batch_norm %[[M]], %p, %p, %p, %p axis = 3
    // CHECK: %[[G:.*]] = relax.nn.group_norm %[[N]], %p, %p {axes = array<i64: 1, 2>, channel_axis = 3 : i64, num_groups = 2 : i64}
    // CHECK: relax.image.resize2d %[[G]], %{{.*}} {layout = "NHWC"
    // CHECK-SAME: -> tensor<1x12x12x4xf32>
    %y = relax.dataflow -> tensor<1x4x12x12xf32> {
      %0 = relax.nn.conv2d %x, %w : tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32> -> tensor<1x4x6x6xf32>
      %1 = relax.add %0, %s : tensor<1x4x6x6xf32>, tensor<f32> -> tensor<1x4x6x6xf32>
      %two = relax.prim_value 2.0 : f32
      %2 = relax.multiply %two, %1 : f32, tensor<1x4x6x6xf32> -> tensor<1x4x6x6xf32>
      %3, %m, %v = relax.nn.batch_norm %2, %p, %p, %p, %p axis = 1 : (tensor<1x4x6x6xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<1x4x6x6xf32>, tensor<4xf32>, tensor<4xf32>)
      %4 = relax.nn.group_norm %3, %p, %p {axes = array<i64: 2, -1>, channel_axis = 1 : i64, num_groups = 2 : i64} : (tensor<1x4x6x6xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<1x4x6x6xf32>
      %size = relax.shape [12, 12]
      %5 = relax.image.resize2d %4, %size {roi = [0.0 : f32]} : (tensor<1x4x6x6xf32>, !relax.shape<[12, 12]>) -> tensor<1x4x12x12xf32>
      relax.output %5 : tensor<1x4x12x12xf32>
    }
    relax.return %y : tensor<1x4x12x12xf32>
  }

  // Results that leave the block together are one tuple in TVM.
  // CHECK-LABEL: relax.func @whole
  relax.func @whole(%x: tensor<1x3x8x8xf32>, %w: tensor<4x3x3x3xf32>) -> (tensor<1x2x6x6xf32>, tensor<1x2x6x6xf32>) {
    // CHECK: %[[T:.*]] = relax.dataflow -> tuple<tensor<1x2x6x6xf32>, tensor<1x2x6x6xf32>>
    // CHECK: %[[S:.*]]:2 = relax.split
    // CHECK-NEXT: %[[A:.*]] = relax.alias %[[S]]#0
    // CHECK-NEXT: %[[P:.*]] = relax.permute_dims %[[A]]
    // CHECK-NEXT: %[[B:.*]] = relax.alias %[[S]]#1
    // CHECK-NEXT: %[[Q:.*]] = relax.permute_dims %[[B]]
    // CHECK-NEXT: %[[Y:.*]] = relax.tuple(%[[P]], %[[Q]])
    // CHECK-NEXT: relax.output %[[Y]]
    // CHECK: %[[C:.*]] = relax.tuple_get_item %[[T]][0]
    // CHECK-NEXT: %[[D:.*]] = relax.tuple_get_item %[[T]][1]
    // CHECK-NEXT: relax.return %[[C]], %[[D]]
    %y:2 = relax.dataflow -> tensor<1x2x6x6xf32>, tensor<1x2x6x6xf32> {
      %0 = relax.nn.conv2d %x, %w : tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32> -> tensor<1x4x6x6xf32>
      %1:2 = relax.split %0 {axis = 1 : i64, indices_or_sections = 2 : i64} : (tensor<1x4x6x6xf32>) -> (tensor<1x2x6x6xf32>, tensor<1x2x6x6xf32>)
      relax.output %1#0, %1#1 : tensor<1x2x6x6xf32>, tensor<1x2x6x6xf32>
    }
    relax.return %y#0, %y#1 : tensor<1x2x6x6xf32>, tensor<1x2x6x6xf32>
  }

  // Outside of a dataflow block nothing changes, and neither does an op on
  // tensors of unknown rank.
  // CHECK-LABEL: relax.func @untouched
  // CHECK-NOT: permute_dims
  // CHECK: relax.return
  relax.func @untouched(%x: tensor<1x3x8x8xf32>, %w: tensor<4x3x3x3xf32>, %u: tensor<*xf32>) -> (tensor<1x4x6x6xf32>, tensor<*xf32>) {
    %y = relax.nn.conv2d %x, %w : tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32> -> tensor<1x4x6x6xf32>
    %z = relax.dataflow -> tensor<*xf32> {
      %0 = relax.add %u, %x : tensor<*xf32>, tensor<1x3x8x8xf32> -> tensor<*xf32>
      relax.output %0 : tensor<*xf32>
    }
    relax.return %y, %z : tensor<1x4x6x6xf32>, tensor<*xf32>
  }
}
