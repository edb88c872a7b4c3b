// RUN: partita-opt %s --relax-gradient=func-name=main -split-input-file | FileCheck %s

// The function stays. The new one is public, has its attributes, and drops what
// the result does not need.
// CHECK-LABEL: partita.module @mlp
// CHECK: relax.func private @main
// CHECK-SAME: {num_input = 1 : i64} {
// CHECK: %unused = relax.exp
// CHECK: relax.func @main_adjoint(%x: tensor<3x10xf32>, %w: tensor<10x5xf32>, %b: tensor<5xf32>, %l: tensor<3x5xf32>, %i: tensor<2xi64>)
// CHECK-SAME: -> (tensor<f32>, tuple<tensor<3x10xf32>, tensor<10x5xf32>, tensor<5xf32>, tensor<3x5xf32>, tensor<2xi64>>)
// CHECK-SAME: {global_symbol = "main_adjoint", num_input = 1 : i64}
// CHECK-NEXT: %loss, %x_adjoint_out, %w_adjoint_out, %b_adjoint_out, %l_adjoint_out, %i_adjoint_out = relax.dataflow
// CHECK-NEXT: %m = relax.matmul %x, %w
// CHECK-NEXT: %o = relax.add %m, %b
// CHECK-NEXT: %s = relax.nn.log_softmax %o
// CHECK-NEXT: %[[LOSS:.*]] = relax.nn.cross_entropy_with_logits %s, %l
// CHECK-NEXT: %[[S:.*]] = relax.shape []
// CHECK-NEXT: %[[ONE:.*]] = relax.ones %[[S]]
// CHECK-NEXT: %[[THREE:.*]] = relax.constant dense<3.000000e+00> : tensor<f32>
// CHECK-NEXT: %[[D:.*]] = relax.divide %[[ONE]], %[[THREE]]
// CHECK-NEXT: %[[N:.*]] = relax.negative %[[D]]
// CHECK-NEXT: %s_adjoint = relax.multiply %[[N]], %l
// CHECK-NEXT: %[[N2:.*]] = relax.negative %[[D]]
// CHECK-NEXT: %l_adjoint = relax.multiply %[[N2]], %s
// CHECK-NEXT: %[[SUM:.*]] = relax.sum %s_adjoint axis = [-1] keepdims = true
// CHECK-NEXT: %[[E:.*]] = relax.exp %s
// CHECK-NEXT: %[[P:.*]] = relax.multiply %[[SUM]], %[[E]]
// CHECK-NEXT: %o_adjoint = relax.subtract %s_adjoint, %[[P]]
// CHECK-NEXT: %m_adjoint = relax.alias %o_adjoint
// CHECK-NEXT: %[[S5:.*]] = relax.shape [5]
// CHECK-NEXT: %b_adjoint = relax.collapse_sum_to %o_adjoint, %[[S5]]
// CHECK-NEXT: %[[WT:.*]] = relax.permute_dims %w axes = [1, 0]
// CHECK-NEXT: %[[XT:.*]] = relax.permute_dims %x axes = [1, 0]
// CHECK-NEXT: %x_adjoint = relax.matmul %m_adjoint, %[[WT]]
// CHECK-NEXT: %w_adjoint = relax.matmul %[[XT]], %m_adjoint
// CHECK-NEXT: %x_adjoint_out{{.*}} = relax.alias %x_adjoint
// CHECK-NEXT: %w_adjoint_out{{.*}} = relax.alias %w_adjoint
// CHECK-NEXT: %b_adjoint_out{{.*}} = relax.alias %b_adjoint
// CHECK-NEXT: %l_adjoint_out{{.*}} = relax.alias %l_adjoint
// CHECK: %i_adjoint = relax.zeros %{{.*}} {dtype = i64}
// CHECK: relax.output
// CHECK: %[[T:.*]] = relax.tuple(
// CHECK: relax.return %{{.*}}, %[[T]]
partita.module @mlp {
  relax.func private @main(%x: tensor<3x10xf32>, %w: tensor<10x5xf32>, %b: tensor<5xf32>, %l: tensor<3x5xf32>, %i: tensor<2xi64>) -> tensor<f32> attributes {num_input = 1 : i64} {
    %loss = relax.dataflow -> tensor<f32> {
      %unused = relax.exp %x : tensor<3x10xf32>
      %m = relax.matmul %x, %w : tensor<3x10xf32>, tensor<10x5xf32> -> tensor<3x5xf32>
      %o = relax.add %m, %b : tensor<3x5xf32>, tensor<5xf32> -> tensor<3x5xf32>
      %s = relax.nn.log_softmax %o : tensor<3x5xf32>
      %0 = relax.nn.cross_entropy_with_logits %s, %l : (tensor<3x5xf32>, tensor<3x5xf32>) -> tensor<f32>
      relax.output %0 : tensor<f32>
    }
    relax.return %loss : tensor<f32>
  }
}

// -----

// Tuples and fields: gradients of fields add up in a tuple of zeros. A constant
// has none.
// CHECK-LABEL: partita.module @tuples
// CHECK: relax.func @main_adjoint
// CHECK: %d_adjoint = relax.broadcast_to
// CHECK-NEXT: %c_adjoint = relax.alias %d_adjoint
// CHECK-NEXT: %b_adjoint = relax.alias %d_adjoint
// CHECK: %[[Z:.*]] = relax.zeros
// CHECK-NEXT: %t_adjoint = relax.tuple(%[[Z]], %b_adjoint)
// CHECK: %[[L0:.*]] = relax.tuple_get_item %t_adjoint[0]
// CHECK-NEXT: %[[SUM:.*]] = relax.add %[[L0]], %{{.*}}
// CHECK-NEXT: %[[L1:.*]] = relax.tuple_get_item %t_adjoint[1]
// CHECK-NEXT: %[[T:t_adjoint.*]] = relax.tuple(%[[SUM]], %[[L1]])
// CHECK: %x_adjoint = relax.tuple_get_item %[[T]][0]
partita.module @tuples {
  relax.func @main(%x: tensor<3xf32>, %y: tuple<tensor<3xf32>, tensor<3xf32>>) -> tensor<f32> {
    %k = relax.constant dense<2.0> : tensor<3xf32>
    %r = relax.dataflow -> tensor<f32> {
      %t = relax.tuple(%x, %k) : tensor<3xf32>, tensor<3xf32>
      %a = relax.tuple_get_item %t[0] : tuple<tensor<3xf32>, tensor<3xf32>>
      %b = relax.tuple_get_item %t[1] : tuple<tensor<3xf32>, tensor<3xf32>>
      %c = relax.multiply %a, %k : tensor<3xf32>
      %d = relax.add %c, %b : tensor<3xf32>
      %0 = relax.sum %d : tensor<3xf32> -> tensor<f32>
      relax.output %0 : tensor<f32>
    }
    relax.return %r : tensor<f32>
  }
}

// -----

// The results of an op of several are a tuple. Where all are taken whole, the
// gradient is one op, too.
// CHECK-LABEL: partita.module @several
// CHECK: relax.func @main_adjoint
// CHECK: %c_adjoint = relax.broadcast_to
// CHECK-NEXT: %s_adjoint:2 = relax.split %c_adjoint {indices_or_sections = array<i64: 3>}
// CHECK-NEXT: %x_adjoint = relax.concat %s_adjoint#0, %s_adjoint#1 axis = 1
// CHECK-NEXT: relax.alias %x_adjoint
partita.module @several {
  relax.func @main(%x: tensor<3x4xf32>) -> tensor<f32> {
    %r = relax.dataflow -> tensor<f32> {
      %s:2 = relax.split %x {axis = 1 : i64, indices_or_sections = 2 : i64} : (tensor<3x4xf32>) -> (tensor<3x2xf32>, tensor<3x2xf32>)
      %c = relax.concat %s#0, %s#1 axis = 0 : tensor<3x2xf32>, tensor<3x2xf32> -> tensor<6x2xf32>
      %0 = relax.sum %c : tensor<6x2xf32> -> tensor<f32>
      relax.output %0 : tensor<f32>
    }
    relax.return %r : tensor<f32>
  }
}

// -----

// Between the marks values are computed again; the marks go.
// CHECK-LABEL: partita.module @checkpoints
// CHECK: relax.func @main_adjoint
// CHECK-NOT: checkpoint
// CHECK: %a = relax.exp %x
// CHECK-NEXT: %b = relax.exp %a
// CHECK-NEXT: %c = relax.exp %b
// CHECK: %c_adjoint = relax.broadcast_to
// CHECK-NEXT: %[[A:a_cp]] = relax.exp %x
// CHECK-NEXT: %[[B:b_cp]] = relax.exp %[[A]]
// CHECK-NEXT: %b_adjoint = relax.multiply %c_adjoint, %c
// CHECK-NEXT: %a_adjoint = relax.multiply %b_adjoint, %[[B]]
// CHECK-NEXT: %x_adjoint = relax.multiply %a_adjoint, %[[A]]
partita.module @checkpoints {
  relax.func @main(%x: tensor<3xf32>) -> tensor<f32> {
    %r = relax.dataflow -> tensor<f32> {
      %x_scp = relax.grad.start_checkpoint %x : (tensor<3xf32>) -> tensor<3xf32>
      %a = relax.exp %x_scp : tensor<3xf32>
      %b = relax.exp %a : tensor<3xf32>
      %b_ecp = relax.grad.end_checkpoint %b : (tensor<3xf32>) -> tensor<3xf32>
      %c = relax.exp %b_ecp : tensor<3xf32>
      %0 = relax.sum %c : tensor<3xf32> -> tensor<f32>
      relax.output %0 : tensor<f32>
    }
    relax.return %r : tensor<f32>
  }
}

// -----

// Transposed twice is not transposed; a transposed product is one of the
// transposed.
// CHECK-LABEL: partita.module @transposed
// CHECK: relax.func @main_adjoint
// CHECK: %x_adjoint = relax.matmul %p_adjoint, %w
// CHECK-NEXT: %[[T:.*]] = relax.permute_dims %p_adjoint axes = [1, 0]
// CHECK-NEXT: %w_adjoint = relax.matmul %[[T]], %x
partita.module @transposed {
  relax.func @main(%x: tensor<3x4xf32>, %w: tensor<5x4xf32>) -> tensor<f32> {
    %r = relax.dataflow -> tensor<f32> {
      %t = relax.permute_dims %w : tensor<5x4xf32> -> tensor<4x5xf32>
      %p = relax.matmul %x, %t : tensor<3x4xf32>, tensor<4x5xf32> -> tensor<3x5xf32>
      %0 = relax.sum %p : tensor<3x5xf32> -> tensor<f32>
      relax.output %0 : tensor<f32>
    }
    relax.return %r : tensor<f32>
  }
}

// -----

// Symbolic sizes, and results beside the differentiated one.
// CHECK-LABEL: partita.module @symbolic
// CHECK: relax.func @main_adjoint
// CHECK-SAME: -> (tuple<tensor<f32>, tensor<4xf32>>, tuple<tensor<?x4xf32, #relax.shape<["n", 4]>>, tensor<4xf32>>)
// CHECK: relax.shape ["n", 4]
// CHECK: relax.broadcast_to
// CHECK: %[[R:.*]] = relax.tuple(%{{.*}}) : tensor<f32>, tensor<4xf32>
// CHECK: relax.return %[[R]]
partita.module @symbolic {
  relax.func @main(%x: tensor<?x4xf32, #relax.shape<["n", 4]>>, %y: tensor<4xf32>) -> (tensor<f32>, tensor<4xf32>) {
    %r:2 = relax.dataflow -> tensor<f32>, tensor<4xf32> {
      %a = relax.add %x, %y : tensor<?x4xf32, #relax.shape<["n", 4]>>, tensor<4xf32> -> tensor<?x4xf32, #relax.shape<["n", 4]>>
      %s = relax.sum %a axis = [0] : tensor<?x4xf32, #relax.shape<["n", 4]>> -> tensor<4xf32>
      %0 = relax.sum %s : tensor<4xf32> -> tensor<f32>
      relax.output %0, %s : tensor<f32>, tensor<4xf32>
    }
    relax.return %r#0, %r#1 : tensor<f32>, tensor<4xf32>
  }
}
