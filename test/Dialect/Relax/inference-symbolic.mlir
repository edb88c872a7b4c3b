// RUN: partita-opt %s --split-input-file --verify-diagnostics

// Inference with dimensions that are not numbers. Results without the inferred
// type show it in the diagnostic.

// A name with itself is the name.
relax.func @f(%a: tensor<?x16xf32, #relax.shape<["n", 16]>>, %b: tensor<?x16xf32, #relax.shape<["n", 16]>>) {
  // expected-error @below {{inferred type(s) 'tensor<?x16xf32, #relax.shape<["n", 16]>>' are incompatible}}
  // expected-error @below {{failed to infer returned types}}
  %0 = "relax.add"(%a, %b) : (tensor<?x16xf32, #relax.shape<["n", 16]>>, tensor<?x16xf32, #relax.shape<["n", 16]>>) -> tensor<7x7x7x7x7xf32>
  relax.return
}

// -----

// A name with 1 is the name.
relax.func @f(%a: tensor<?x16xf32, #relax.shape<["n", 16]>>, %b: tensor<1x16xf32>) {
  // expected-error @below {{inferred type(s) 'tensor<?x16xf32, #relax.shape<["n", 16]>>' are incompatible}}
  // expected-error @below {{failed to infer returned types}}
  %0 = "relax.multiply"(%a, %b) : (tensor<?x16xf32, #relax.shape<["n", 16]>>, tensor<1x16xf32>) -> tensor<7x7x7x7x7xf32>
  relax.return
}

// -----

// A name on the right with 1 is the name.
relax.func @f(%a: tensor<1xf32>, %b: tensor<?xf32, #relax.shape<["n"]>>) {
  // expected-error @below {{inferred type(s) 'tensor<?xf32, #relax.shape<["n"]>>' are incompatible}}
  // expected-error @below {{failed to infer returned types}}
  %0 = "relax.subtract"(%a, %b) : (tensor<1xf32>, tensor<?xf32, #relax.shape<["n"]>>) -> tensor<7x7x7x7x7xf32>
  relax.return
}

// -----

// A dimension that only one operand has is kept.
relax.func @f(%a: tensor<?x16xf32, #relax.shape<["n", 16]>>, %b: tensor<16xf32>) {
  // expected-error @below {{inferred type(s) 'tensor<?x16xf32, #relax.shape<["n", 16]>>' are incompatible}}
  // expected-error @below {{failed to infer returned types}}
  %0 = "relax.add"(%a, %b) : (tensor<?x16xf32, #relax.shape<["n", 16]>>, tensor<16xf32>) -> tensor<7x7x7x7x7xf32>
  relax.return
}

// -----

// Two names may be equal, or one of them 1: unknown.
relax.func @f(%a: tensor<?x16xf32, #relax.shape<["n", 16]>>, %b: tensor<?x16xf32, #relax.shape<["m", 16]>>) {
  // expected-error @below {{inferred type(s) 'tensor<?x16xf32>' are incompatible}}
  // expected-error @below {{failed to infer returned types}}
  %0 = "relax.add"(%a, %b) : (tensor<?x16xf32, #relax.shape<["n", 16]>>, tensor<?x16xf32, #relax.shape<["m", 16]>>) -> tensor<7x7x7x7x7xf32>
  relax.return
}

// -----

// A name with an unknown dimension is unknown.
relax.func @f(%a: tensor<?xf32, #relax.shape<["n"]>>, %b: tensor<?xf32>) {
  // expected-error @below {{inferred type(s) 'tensor<?xf32>' are incompatible}}
  // expected-error @below {{failed to infer returned types}}
  %0 = "relax.divide"(%a, %b) : (tensor<?xf32, #relax.shape<["n"]>>, tensor<?xf32>) -> tensor<7x7x7x7x7xf32>
  relax.return
}

// -----

// A number with an unknown dimension is the number.
relax.func @f(%a: tensor<16xf32>, %b: tensor<?xf32>) {
  // expected-error @below {{inferred type(s) 'tensor<16xf32>' are incompatible}}
  // expected-error @below {{failed to infer returned types}}
  %0 = "relax.maximum"(%a, %b) : (tensor<16xf32>, tensor<?xf32>) -> tensor<7x7x7x7x7xf32>
  relax.return
}

// -----

// 1 with an unknown dimension is unknown.
relax.func @f(%a: tensor<?xf32>, %b: tensor<1xf32>) {
  // expected-error @below {{inferred type(s) 'tensor<?xf32>' are incompatible}}
  // expected-error @below {{failed to infer returned types}}
  %0 = "relax.minimum"(%a, %b) : (tensor<?xf32>, tensor<1xf32>) -> tensor<7x7x7x7x7xf32>
  relax.return
}

// -----

// Two unknown dimensions are unknown.
relax.func @f(%a: tensor<?xf32>, %b: tensor<?xf32>) {
  // expected-error @below {{inferred type(s) 'tensor<?xf32>' are incompatible}}
  // expected-error @below {{failed to infer returned types}}
  %0 = "relax.power"(%a, %b) : (tensor<?xf32>, tensor<?xf32>) -> tensor<7x7x7x7x7xf32>
  relax.return
}

// -----

// Batches and rows of a matrix product keep their names.
relax.func @f(%a: tensor<?x?x16xf32, #relax.shape<["b", "n", 16]>>, %b: tensor<16x?xf32, #relax.shape<[16, "m"]>>) {
  // expected-error @below {{inferred type(s) 'tensor<?x?x?xf32, #relax.shape<["b", "n", "m"]>>' are incompatible}}
  // expected-error @below {{failed to infer returned types}}
  %0 = "relax.matmul"(%a, %b) : (tensor<?x?x16xf32, #relax.shape<["b", "n", 16]>>, tensor<16x?xf32, #relax.shape<[16, "m"]>>) -> tensor<7x7x7x7x7xf32>
  relax.return
}

// -----

// Contracted names that may be equal do not matter.
relax.func @f(%a: tensor<?x?xf32, #relax.shape<["n", "k"]>>, %b: tensor<?x?xf32, #relax.shape<["l", "m"]>>) {
  // expected-error @below {{inferred type(s) 'tensor<?x?xf32, #relax.shape<["n", "m"]>>' are incompatible}}
  // expected-error @below {{failed to infer returned types}}
  %0 = "relax.matmul"(%a, %b) : (tensor<?x?xf32, #relax.shape<["n", "k"]>>, tensor<?x?xf32, #relax.shape<["l", "m"]>>) -> tensor<7x7x7x7x7xf32>
  relax.return
}

// -----

// An unknown dimension may be contracted.
relax.func @f(%a: tensor<?x16xf32, #relax.shape<["n", 16]>>, %b: tensor<?x8xf32>) {
  // expected-error @below {{inferred type(s) 'tensor<?x8xf32, #relax.shape<["n", 8]>>' are incompatible}}
  // expected-error @below {{failed to infer returned types}}
  %0 = "relax.matmul"(%a, %b) : (tensor<?x16xf32, #relax.shape<["n", 16]>>, tensor<?x8xf32>) -> tensor<7x7x7x7x7xf32>
  relax.return
}

// -----

// Transposing moves names.
relax.func @f(%a: tensor<?x16x?xf32, #relax.shape<["n", 16, "m"]>>) {
  // expected-error @below {{inferred type(s) 'tensor<?x?x16xf32, #relax.shape<["m", "n", 16]>>' are incompatible}}
  // expected-error @below {{failed to infer returned types}}
  %0 = "relax.permute_dims"(%a) <{axes = array<i64: 2, 0, 1>}> : (tensor<?x16x?xf32, #relax.shape<["n", 16, "m"]>>) -> tensor<7x7x7x7x7xf32>
  relax.return
}

// -----

// The default reverses.
relax.func @f(%a: tensor<?x16xf32, #relax.shape<["n", 16]>>) {
  // expected-error @below {{inferred type(s) 'tensor<16x?xf32, #relax.shape<[16, "n"]>>' are incompatible}}
  // expected-error @below {{failed to infer returned types}}
  %0 = "relax.permute_dims"(%a) : (tensor<?x16xf32, #relax.shape<["n", 16]>>) -> tensor<7x7x7x7x7xf32>
  relax.return
}

// -----

// New dimensions are 1.
relax.func @f(%a: tensor<?x?xf32, #relax.shape<["n", "m"]>>) {
  // expected-error @below {{inferred type(s) 'tensor<?x1x?xf32, #relax.shape<["n", 1, "m"]>>' are incompatible}}
  // expected-error @below {{failed to infer returned types}}
  %0 = "relax.expand_dims"(%a) <{axis = array<i64: 1>}> : (tensor<?x?xf32, #relax.shape<["n", "m"]>>) -> tensor<7x7x7x7x7xf32>
  relax.return
}

// -----

// A dimension whose size is not known can be removed.
relax.func @f(%a: tensor<?x?xf32, #relax.shape<["n", "m"]>>) {
  // expected-error @below {{inferred type(s) 'tensor<?xf32, #relax.shape<["m"]>>' are incompatible}}
  // expected-error @below {{failed to infer returned types}}
  %0 = "relax.squeeze"(%a) <{axis = array<i64: 0>}> : (tensor<?x?xf32, #relax.shape<["n", "m"]>>) -> tensor<7x7x7x7x7xf32>
  relax.return
}

// -----

// Sizes along the axis of a concat do not add up to a name.
relax.func @f(%a: tensor<?x4xf32, #relax.shape<["n", 4]>>, %b: tensor<?x4xf32, #relax.shape<["n", 4]>>) {
  // expected-error @below {{inferred type(s) 'tensor<?x4xf32, #relax.shape<["n * 2", 4]>>' are incompatible}}
  // expected-error @below {{failed to infer returned types}}
  %0 = "relax.concat"(%a, %b) <{axis = 0 : i64}> : (tensor<?x4xf32, #relax.shape<["n", 4]>>, tensor<?x4xf32, #relax.shape<["n", 4]>>) -> tensor<7x7x7x7x7xf32>
  relax.return
}

// -----

// The other dimensions are the better known ones.
relax.func @f(%a: tensor<?x4xf32>, %b: tensor<?x4xf32, #relax.shape<["n", 4]>>) {
  // expected-error @below {{inferred type(s) 'tensor<?x8xf32, #relax.shape<["n", 8]>>' are incompatible}}
  // expected-error @below {{failed to infer returned types}}
  %0 = "relax.concat"(%a, %b) <{axis = 1 : i64}> : (tensor<?x4xf32>, tensor<?x4xf32, #relax.shape<["n", 4]>>) -> tensor<7x7x7x7x7xf32>
  relax.return
}

// -----

// A reduction keeps the names of the remaining dimensions.
relax.func @f(%a: tensor<?x16x?xf32, #relax.shape<["n", 16, "m"]>>) {
  // expected-error @below {{inferred type(s) 'tensor<?x?xf32, #relax.shape<["n", "m"]>>' are incompatible}}
  // expected-error @below {{failed to infer returned types}}
  %0 = "relax.sum"(%a) <{axis = array<i64: 1>}> : (tensor<?x16x?xf32, #relax.shape<["n", 16, "m"]>>) -> tensor<7x7x7x7x7xf32>
  relax.return
}

// -----

// And puts 1 in place of the others.
relax.func @f(%a: tensor<?x16x?xf32, #relax.shape<["n", 16, "m"]>>) {
  // expected-error @below {{inferred type(s) 'tensor<?x1x1xf32, #relax.shape<["n", 1, 1]>>' are incompatible}}
  // expected-error @below {{failed to infer returned types}}
  %0 = "relax.mean"(%a) <{axis = array<i64: 1, 2>, keepdims = true}> : (tensor<?x16x?xf32, #relax.shape<["n", 16, "m"]>>) -> tensor<7x7x7x7x7xf32>
  relax.return
}

// -----

// astype changes the element type alone.
relax.func @f(%a: tensor<?xf32, #relax.shape<["n"]>>) {
  // expected-error @below {{inferred type(s) 'tensor<?xf16, #relax.shape<["n"]>>' are incompatible}}
  // expected-error @below {{failed to infer returned types}}
  %0 = "relax.astype"(%a) <{dtype = f16}> : (tensor<?xf32, #relax.shape<["n"]>>) -> tensor<7x7x7x7x7xf32>
  relax.return
}

// -----

// A window that keeps sizes keeps names.
relax.func @f(%a: tensor<?x4x?x?xf32, #relax.shape<["n", 4, "h", "w"]>>, %b: tensor<8x4x3x3xf32>) {
  // expected-error @below {{inferred type(s) 'tensor<?x8x?x?xf32, #relax.shape<["n", 8, "h", "w"]>>' are incompatible}}
  // expected-error @below {{failed to infer returned types}}
  %0 = "relax.nn.conv2d"(%a, %b) <{padding = array<i64: 1, 1, 1, 1>}> : (tensor<?x4x?x?xf32, #relax.shape<["n", 4, "h", "w"]>>, tensor<8x4x3x3xf32>) -> tensor<7x7x7x7x7xf32>
  relax.return
}

// -----

// Another window does not.
relax.func @f(%a: tensor<?x4x?x8xf32, #relax.shape<["n", 4, "h", 8]>>, %b: tensor<8x4x3x3xf32>) {
  // expected-error @below {{inferred type(s) 'tensor<?x8x?x6xf32, #relax.shape<["n", 8, "h - 2", 6]>>' are incompatible}}
  // expected-error @below {{failed to infer returned types}}
  %0 = "relax.nn.conv2d"(%a, %b) : (tensor<?x4x?x8xf32, #relax.shape<["n", 4, "h", 8]>>, tensor<8x4x3x3xf32>) -> tensor<7x7x7x7x7xf32>
  relax.return
}

// -----

// A kernel of unknown size is taken off the dimension.
relax.func @f(%a: tensor<?x?x8x8xf32, #relax.shape<["n", "c", 8, 8]>>, %b: tensor<8x?x?x1xf32, #relax.shape<[8, "c", "k", 1]>>) {
  // expected-error @below {{inferred type(s) 'tensor<?x8x?x8xf32, #relax.shape<["n", 8, "9 - k", 8]>>' are incompatible}}
  // expected-error @below {{failed to infer returned types}}
  %0 = "relax.nn.conv2d"(%a, %b) : (tensor<?x?x8x8xf32, #relax.shape<["n", "c", 8, 8]>>, tensor<8x?x?x1xf32, #relax.shape<[8, "c", "k", 1]>>) -> tensor<7x7x7x7x7xf32>
  relax.return
}

// -----

// Pooling likewise.
relax.func @f(%a: tensor<?x?x?x8xf32, #relax.shape<["n", "c", "h", 8]>>) {
  // expected-error @below {{inferred type(s) 'tensor<?x?x?x4xf32, #relax.shape<["n", "c", "h // 2", 4]>>' are incompatible}}
  // expected-error @below {{failed to infer returned types}}
  %0 = "relax.nn.max_pool2d"(%a) <{pool_size = array<i64: 2, 2>, strides = array<i64: 2, 2>}> : (tensor<?x?x?x8xf32, #relax.shape<["n", "c", "h", 8]>>) -> tensor<7x7x7x7x7xf32>
  relax.return
}

// -----

// Normalization keeps the type of the data and of the running statistics.
relax.func @f(%x: tensor<?x?x4x4xf32, #relax.shape<["n", "c", 4, 4]>>, %v: tensor<?xf32, #relax.shape<["c"]>>, %w: tensor<?xf32>) {
  // expected-error @below {{inferred type(s) 'tensor<?x?x4x4xf32, #relax.shape<["n", "c", 4, 4]>>', 'tensor<?xf32, #relax.shape<["c"]>>', 'tensor<?xf32>' are incompatible}}
  // expected-error @below {{failed to infer returned types}}
  %0:3 = relax.nn.batch_norm %x, %v, %v, %v, %w axis = 1 : (tensor<?x?x4x4xf32, #relax.shape<["n", "c", 4, 4]>>, tensor<?xf32, #relax.shape<["c"]>>, tensor<?xf32, #relax.shape<["c"]>>, tensor<?xf32, #relax.shape<["c"]>>, tensor<?xf32>) -> (tensor<f32>, tensor<f32>, tensor<f32>)
  relax.return
}

// -----

// A reshape has the dimensions of its shape.
relax.func @f(%x: tensor<?x16xf32, #relax.shape<["n", 16]>>, %s: !relax.shape<[4, "n", ?]>) {
  // expected-error @below {{inferred type(s) '!relax.tensor<[4, "n", ?], f32, shape = "s">' are incompatible}}
  // expected-error @below {{failed to infer returned types}}
  %0 = relax.reshape %x, %s : tensor<?x16xf32, #relax.shape<["n", 16]>>, !relax.shape<[4, "n", ?]> -> tensor<f32>
  relax.return
}

// -----

// An encoding of another dialect says nothing about dimensions.
relax.func @f(%x: tensor<?x4xf32, "other">) {
  // expected-error @below {{inferred type(s) 'tensor<?x4xf32>' are incompatible}}
  // expected-error @below {{failed to infer returned types}}
  %0 = relax.add %x, %x : tensor<?x4xf32, "other">, tensor<?x4xf32, "other"> -> tensor<f32>
  relax.return
}

// -----

relax.func @layout_transform(%a: tensor<8x6xf32>) {
  // expected-error @below {{inferred type(s) 'tensor<2x7x4xf32>' are incompatible}}
  // expected-error @below {{failed to infer returned types}}
  %0 = relax.layout_transform %a {index_map = #relax.index_map<(d0, d1) -> (d0 floordiv 4, d1 + 1, d0 mod 4), i32>} : (tensor<8x6xf32>) -> tensor<7x7x7x7x7xf32>
  relax.return
}

// -----

relax.func @layout_transform(%a: tensor<?x6xf32, #relax.shape<["n", 6]>>) {
  // expected-error @below {{inferred type(s) 'tensor<?x7x4xf32, #relax.shape<["(n + 3) // 4", 7, 4]>>' are incompatible}}
  // expected-error @below {{failed to infer returned types}}
  %0 = relax.layout_transform %a {index_map = #relax.index_map<(d0, d1) -> (d0 floordiv 4, d1 + 1, d0 mod 4), i32>} : (tensor<?x6xf32, #relax.shape<["n", 6]>>) -> tensor<7x7x7x7x7xf32>
  relax.return
}

// -----

relax.func @layout_transform(%a: tensor<3x?xf32, #relax.shape<[3, "n"]>>) {
  // expected-error @below {{inferred type(s) 'tensor<1x?x3xf32, #relax.shape<[1, "n + 1", 3]>>' are incompatible}}
  // expected-error @below {{failed to infer returned types}}
  %0 = relax.layout_transform %a {index_map = #relax.index_map<(d0, d1) -> (d0 floordiv 4, d1 + 1, d0 mod 4), i32>} : (tensor<3x?xf32, #relax.shape<[3, "n"]>>) -> tensor<7x7x7x7x7xf32>
  relax.return
}

// -----

// A dimension that is split is padded.
relax.func @layout_transform(%a: tensor<3x6xf32>) {
  // expected-error @below {{inferred type(s) 'tensor<1x6x4xf32>' are incompatible}}
  // expected-error @below {{failed to infer returned types}}
  %0 = relax.layout_transform %a {index_map = #relax.index_map<(d0, d1) -> (d0 floordiv 4, d1, d0 mod 4), i32>} : (tensor<3x6xf32>) -> tensor<7x7x7x7x7xf32>
  relax.return
}

// -----

// Nothing is split.
relax.func @layout_transform(%a: tensor<3x6xf32>) {
  // expected-error @below {{inferred type(s) 'tensor<3x6x3xf32>' are incompatible}}
  // expected-error @below {{failed to infer returned types}}
  %0 = relax.layout_transform %a {index_map = #relax.index_map<(d0, d1) -> (d0, d1, d0 mod 4), i32>} : (tensor<3x6xf32>) -> tensor<7x7x7x7x7xf32>
  relax.return
}

// -----

// Only the rank of the result is known.
relax.func @layout_transform(%a: tensor<*xf32>) {
  // expected-error @below {{inferred type(s) 'tensor<?x?x?xf32>' are incompatible}}
  // expected-error @below {{failed to infer returned types}}
  %0 = relax.layout_transform %a {index_map = #relax.index_map<(d0, d1) -> (d0 floordiv 4, d1 + 1, d0 mod 4), i32>} : (tensor<*xf32>) -> tensor<7x7x7x7x7xf32>
  relax.return
}

// -----

// A map of other expressions gives no dimensions.
relax.func @layout_transform(%a: tensor<8x6xf32>) {
  %0 = relax.layout_transform %a {index_map = #relax.opaque<"tirx.IndexMap", "{}">} : (tensor<8x6xf32>) -> tensor<*xf32>
  relax.return
}

// -----

relax.func @layout_transform(%a: tensor<8x6xf32>) {
  // expected-error @below {{inferred type(s) 'tensor<48xf32>' are incompatible}}
  // expected-error @below {{failed to infer returned types}}
  %0 = relax.layout_transform %a {index_map = #relax.index_map<(d0, d1) -> (d0 * 6 + d1), i32>} : (tensor<8x6xf32>) -> tensor<7x7x7x7x7xf32>
  relax.return
}

// -----

// For a name and a number other than 1, TVM infers nothing, because either can
// be 1.
relax.func @f(%a: tensor<?xf32, #relax.shape<["n"]>>, %b: tensor<4xf32>) {
  // expected-error @below {{inferred type(s) 'tensor<?xf32>' are incompatible}}
  // expected-error @below {{failed to infer returned types}}
  %0 = "relax.add"(%a, %b) : (tensor<?xf32, #relax.shape<["n"]>>, tensor<4xf32>) -> tensor<7x7x7x7x7xf32>
  relax.return
}

// -----

// A dimension that is not 1 stays, even if it is listed.
relax.func @f(%a: tensor<2x1x3xf32>) {
  // expected-error @below {{inferred type(s) 'tensor<2x3xf32>' are incompatible}}
  // expected-error @below {{failed to infer returned types}}
  %0 = "relax.squeeze"(%a) <{axis = array<i64: 0, 1>}> : (tensor<2x1x3xf32>) -> tensor<7x7x7x7x7xf32>
  relax.return
}

// -----

// An index from the end, and an end beyond all.
relax.func @f(%x: tensor<?xf32, #relax.shape<["n"]>>) {
  %0 = relax.prim_value 0 : i64
  %1 = relax.tuple(%0) : i64
  %2 = relax.prim_value -4 : i64
  %3 = relax.tuple(%2) : i64
  %4 = relax.prim_value 2147483647 : i64
  %5 = relax.tuple(%4) : i64
  // expected-error @below {{inferred type(s) 'tensor<?xf32, #relax.shape<["min(4, n)"]>>' are incompatible}}
  // expected-error @below {{failed to infer returned types}}
  %r = "relax.strided_slice"(%x, %1, %3, %5) {assume_inbound = false} : (tensor<?xf32, #relax.shape<["n"]>>, tuple<i64>, tuple<i64>, tuple<i64>) -> tensor<7x7x7x7x7xf32>
  relax.return
}

// -----

// Backwards, from one index to another.
relax.func @f(%x: tensor<?xf32, #relax.shape<["n"]>>) {
  %0 = relax.prim_value 0 : i64
  %1 = relax.tuple(%0) : i64
  %2 = relax.prim_value 8 : i64
  %3 = relax.tuple(%2) : i64
  %4 = relax.prim_value -3 : i64
  %5 = relax.tuple(%4) : i64
  // expected-error @below {{inferred type(s) 'tensor<?xf32, #relax.shape<["(min(9, n) - min(1, n) + 2) // 3"]>>' are incompatible}}
  // expected-error @below {{failed to infer returned types}}
  %r = "relax.strided_slice"(%x, %1, %3, %1, %5) {assume_inbound = false} : (tensor<?xf32, #relax.shape<["n"]>>, tuple<i64>, tuple<i64>, tuple<i64>, tuple<i64>) -> tensor<7x7x7x7x7xf32>
  relax.return
}

// -----

// Inside of the dimension, up to a number that the function takes.
relax.func @f(%x: tensor<8xf32>, %end: i64 {relax.dim = "end"}) {
  %0 = relax.prim_value 0 : i64
  %1 = relax.tuple(%0) : i64
  %2 = relax.tuple(%end) : i64
  // expected-error @below {{inferred type(s) 'tensor<?xf32, #relax.shape<["end"]>>' are incompatible}}
  // expected-error @below {{failed to infer returned types}}
  %r = "relax.strided_slice"(%x, %1, %1, %2) {assume_inbound = true} : (tensor<8xf32>, tuple<i64>, tuple<i64>, tuple<i64>) -> tensor<7x7x7x7x7xf32>
  relax.return
}

// -----

// Inside, the dimension does not matter.
relax.func @f(%x: tensor<?xf32, #relax.shape<["n"]>>) {
  %0 = relax.prim_value 0 : i64
  %axes = relax.tuple(%0) : i64
  %b0 = relax.prim_value 1 : i64
  %b = relax.tuple(%b0) : i64
  %e0 = relax.prim_value 8 : i64
  %e = relax.tuple(%e0) : i64
  %s0 = relax.prim_value 3 : i64
  %s = relax.tuple(%s0) : i64
  // expected-error @below {{inferred type(s) 'tensor<3xf32>' are incompatible}}
  // expected-error @below {{failed to infer returned types}}
  %r = "relax.strided_slice"(%x, %axes, %b, %e, %s) {assume_inbound = true} : (tensor<?xf32, #relax.shape<["n"]>>, tuple<i64>, tuple<i64>, tuple<i64>, tuple<i64>) -> tensor<7x7x7x7x7xf32>
  relax.return
}

// -----

// By a step that the function takes.
relax.func @f(%x: tensor<8xf32>, %step: i64 {relax.dim = "step"}) {
  %0 = relax.prim_value 0 : i64
  %axes = relax.tuple(%0) : i64
  %b0 = relax.prim_value 0 : i64
  %b = relax.tuple(%b0) : i64
  %e0 = relax.prim_value 8 : i64
  %e = relax.tuple(%e0) : i64
  %s = relax.tuple(%step) : i64
  // expected-error @below {{inferred type(s) 'tensor<?xf32, #relax.shape<["(step + 7) // step"]>>' are incompatible}}
  // expected-error @below {{failed to infer returned types}}
  %r = "relax.strided_slice"(%x, %axes, %b, %e, %s) {assume_inbound = true} : (tensor<8xf32>, tuple<i64>, tuple<i64>, tuple<i64>, tuple<i64>) -> tensor<7x7x7x7x7xf32>
  relax.return
}

// -----

// Up to a size, which is not negative.
relax.func @f(%x: tensor<16xf32>, %m: !relax.shape<["m"]>) {
  %0 = relax.prim_value 0 : i64
  %axes = relax.tuple(%0) : i64
  %b0 = relax.prim_value 0 : i64
  %b = relax.tuple(%b0) : i64
  %e0 = relax.dim ["m"] : i64
  %e = relax.tuple(%e0) : i64
  // expected-error @below {{inferred type(s) 'tensor<?xf32, #relax.shape<["min(m, 16)"]>>' are incompatible}}
  // expected-error @below {{failed to infer returned types}}
  %r = "relax.strided_slice"(%x, %axes, %b, %e) {assume_inbound = false} : (tensor<16xf32>, tuple<i64>, tuple<i64>, tuple<i64>) -> tensor<7x7x7x7x7xf32>
  relax.return
}

// -----

// From a size on.
relax.func @f(%x: tensor<16xf32>, %m: !relax.shape<["m"]>) {
  %0 = relax.prim_value 0 : i64
  %axes = relax.tuple(%0) : i64
  %b0 = relax.dim ["m"] : i64
  %b = relax.tuple(%b0) : i64
  %e0 = relax.prim_value 9223372036854775807 : i64
  %e = relax.tuple(%e0) : i64
  // expected-error @below {{inferred type(s) 'tensor<?xf32, #relax.shape<["16 - min(m, 16)"]>>' are incompatible}}
  // expected-error @below {{failed to infer returned types}}
  %r = "relax.strided_slice"(%x, %axes, %b, %e) {assume_inbound = false} : (tensor<16xf32>, tuple<i64>, tuple<i64>, tuple<i64>) -> tensor<7x7x7x7x7xf32>
  relax.return
}

// -----

// A number that the function takes may be negative.
relax.func @f(%x: tensor<16xf32>, %end: i64 {relax.dim = "end"}) {
  %0 = relax.prim_value 0 : i64
  %axes = relax.tuple(%0) : i64
  %b0 = relax.prim_value 0 : i64
  %b = relax.tuple(%b0) : i64
  %e = relax.tuple(%end) : i64
  // expected-error @below {{inferred type(s) 'tensor<?xf32>' are incompatible}}
  // expected-error @below {{failed to infer returned types}}
  %r = "relax.strided_slice"(%x, %axes, %b, %e) {assume_inbound = false} : (tensor<16xf32>, tuple<i64>, tuple<i64>, tuple<i64>) -> tensor<7x7x7x7x7xf32>
  relax.return
}

// -----

// So may the same number as a dimension.
relax.func @f(%x: tensor<16xf32>, %end: i64 {relax.dim = "end"}) {
  %0 = relax.prim_value 0 : i64
  %axes = relax.tuple(%0) : i64
  %b0 = relax.prim_value 0 : i64
  %b = relax.tuple(%b0) : i64
  %e0 = relax.dim ["end"] : i64
  %e = relax.tuple(%e0) : i64
  // expected-error @below {{inferred type(s) 'tensor<?xf32>' are incompatible}}
  // expected-error @below {{failed to infer returned types}}
  %r = "relax.strided_slice"(%x, %axes, %b, %e) {assume_inbound = false} : (tensor<16xf32>, tuple<i64>, tuple<i64>, tuple<i64>) -> tensor<7x7x7x7x7xf32>
  relax.return
}

// -----

// Up to the end, the rest of a sum is the other part.
relax.func @f(%x: tensor<?xf32, #relax.shape<["m + n"]>>, %parts: !relax.shape<["m", "n"]>) {
  %0 = relax.prim_value 0 : i64
  %axes = relax.tuple(%0) : i64
  %b0 = relax.dim ["m"] : i64
  %b = relax.tuple(%b0) : i64
  %e0 = relax.dim ["m + n"] : i64
  %e = relax.tuple(%e0) : i64
  // expected-error @below {{inferred type(s) 'tensor<?xf32, #relax.shape<["n"]>>' are incompatible}}
  // expected-error @below {{failed to infer returned types}}
  %r = "relax.strided_slice"(%x, %axes, %b, %e) {assume_inbound = false} : (tensor<?xf32, #relax.shape<["m + n"]>>, tuple<i64>, tuple<i64>, tuple<i64>) -> tensor<7x7x7x7x7xf32>
  relax.return
}

// -----

// The parts between the indices.
relax.func @f(%x: tensor<?xf32, #relax.shape<["n"]>>) {
  // expected-error @below {{inferred type(s) 'tensor<?xf32, #relax.shape<["min(3, n)"]>>', 'tensor<?xf32, #relax.shape<["min(7, n) - min(3, n)"]>>', 'tensor<?xf32, #relax.shape<["n - min(7, n)"]>>' are incompatible}}
  // expected-error @below {{failed to infer returned types}}
  %r = "relax.split"(%x) {axis = 0 : i64, indices_or_sections = array<i64: 3, 7>} : (tensor<?xf32, #relax.shape<["n"]>>) -> tensor<7x7x7x7x7xf32>
  relax.return
}

// -----

// A dimension that is always large enough.
relax.func @f(%x: tensor<?xf32, #relax.shape<["n + 8"]>>, %y: tensor<?xf32, #relax.shape<["n"]>>) {
  // expected-error @below {{inferred type(s) 'tensor<8xf32>', 'tensor<?xf32, #relax.shape<["n"]>>' are incompatible}}
  // expected-error @below {{failed to infer returned types}}
  %r = "relax.split"(%x) {axis = 0 : i64, indices_or_sections = array<i64: 8>} : (tensor<?xf32, #relax.shape<["n + 8"]>>) -> tensor<7x7x7x7x7xf32>
  relax.return
}

// -----

// The number of windows that begin in a dimension.
relax.func @f(%x: tensor<2x3x?xf32, #relax.shape<[2, 3, "n"]>>) {
  // expected-error @below {{inferred type(s) 'tensor<2x3x?xf32, #relax.shape<[2, 3, "n // 2 + 1"]>>' are incompatible}}
  // expected-error @below {{failed to infer returned types}}
  %r = "relax.nn.max_pool1d"(%x) {ceil_mode = true, pool_size = array<i64: 3>, strides = array<i64: 2>, padding = array<i64: 1, 1>} : (tensor<2x3x?xf32, #relax.shape<[2, 3, "n"]>>) -> tensor<7x7x7x7x7xf32>
  relax.return
}

// -----

// The last window starts in the padding after the dimension, however large it is.
relax.func @f(%x: tensor<2x3x?xf32, #relax.shape<[2, 3, "n"]>>) {
  // expected-error @below {{inferred type(s) 'tensor<2x3x?xf32, #relax.shape<[2, 3, "n // 2 + 2"]>>' are incompatible}}
  // expected-error @below {{failed to infer returned types}}
  %r = "relax.nn.avg_pool1d"(%x) {ceil_mode = true, pool_size = array<i64: 1>, strides = array<i64: 2>, padding = array<i64: 2, 2>} : (tensor<2x3x?xf32, #relax.shape<[2, 3, "n"]>>) -> tensor<7x7x7x7x7xf32>
  relax.return
}

// -----

// Numbers that the function takes.
relax.func @f(%start: i64 {relax.dim = "start"}, %end: i64 {relax.dim = "end"}) {
  %0 = relax.prim_value 2 : i64
  // expected-error @below {{inferred type(s) 'tensor<?xf32, #relax.shape<["(end - start + 1) // 2"]>>' are incompatible}}
  // expected-error @below {{failed to infer returned types}}
  %r = "relax.arange"(%start, %end, %0) {dtype = f32} : (i64, i64, i64) -> tensor<7x7x7x7x7xf32>
  relax.return
}

// -----

// A shape that is a variable.
relax.func @f(%x: tensor<f32>, %s: !relax.shape<*>) {
  // expected-error @below {{inferred type(s) '!relax.tensor<*, f32, shape = "s">' are incompatible}}
  // expected-error @below {{failed to infer returned types}}
  %r = "relax.broadcast_to"(%x, %s) : (tensor<f32>, !relax.shape<*>) -> tensor<7xi8>
  relax.return
}

// -----

// A shape that is a variable, whose sizes are known.
relax.func @f(%x: tensor<f32>, %s: !relax.shape<["n", 4]>) {
  // expected-error @below {{inferred type(s) '!relax.tensor<["n", 4], f32, shape = "s">' are incompatible}}
  // expected-error @below {{failed to infer returned types}}
  %r = "relax.full"(%s, %x) : (!relax.shape<["n", 4]>, tensor<f32>) -> tensor<7x7x7x7x7xf32>
  relax.return
}

// -----

// A reshape takes the sizes where they are known.
relax.func @f(%x: tensor<12xf32>, %s: !relax.shape<[3, 4]>) {
  // expected-error @below {{inferred type(s) 'tensor<3x4xf32>' are incompatible}}
  // expected-error @below {{failed to infer returned types}}
  %r = "relax.reshape"(%x, %s) : (tensor<12xf32>, !relax.shape<[3, 4]>) -> tensor<7x7x7x7x7xf32>
  relax.return
}

// -----

// A result with another shape does not have the operand's shape variable.
relax.func @f(%x: !relax.tensor<*, f32, shape = "s">, %s: !relax.shape<*>) {
  // expected-error @below {{inferred type(s) 'tensor<*xf32>' are incompatible}}
  // expected-error @below {{failed to infer returned types}}
  %r = "relax.sum"(%x) {axis = array<i64: 0>} : (!relax.tensor<*, f32, shape = "s">) -> tensor<7xi8>
  relax.return
}

// -----

// The same if the shape changes only by a factor.
relax.func @f(%x: !relax.tensor<[?], f32, shape = "s">, %s: !relax.shape<[?]>) {
  // expected-error @below {{inferred type(s) 'tensor<?xf32>' are incompatible}}
  // expected-error @below {{failed to infer returned types}}
  %r = "relax.tile"(%x) {repeats = array<i64: 2>} : (!relax.tensor<[?], f32, shape = "s">) -> tensor<7x7x7x7x7xf32>
  relax.return
}

// -----

// A number for a size.
relax.func @f() {
  %0 = relax.prim_value 10 : i64
  %1 = relax.prim_value true
  %2 = relax.prim_value 0.5 : f64
  // expected-error @below {{inferred type(s) 'tensor<10xf32>' are incompatible}}
  // expected-error @below {{failed to infer returned types}}
  %r = "relax.hamming_window"(%0, %1, %2, %2) {dtype = f32} : (i64, i1, f64, f64) -> tensor<7x7x7x7x7xf32>
  relax.return
}

// -----

// Lists are joined to a list.
relax.func @f(%x: tensor<*xf32>) {
  // expected-error @below {{inferred type(s) 'tensor<?xf32>' are incompatible}}
  // expected-error @below {{failed to infer returned types}}
  %r = "relax.concat"(%x, %x) : (tensor<*xf32>, tensor<*xf32>) -> tensor<7x7x7x7x7xf32>
  relax.return
}

// Multiples of the divisor stand outside the division.
relax.func @f(%x: tensor<1x4x?xf32, #relax.shape<[1, 4, "n"]>>, %w: tensor<8x4x?xf32, #relax.shape<[8, 4, "k"]>>) {
  // expected-error @below {{inferred type(s) 'tensor<1x8x?xf32, #relax.shape<[1, 8, "(n + 3) // 2 - k + 1"]>>' are incompatible}}
  // expected-error @below {{failed to infer returned types}}
  %r = "relax.nn.conv1d"(%x, %w) {strides = array<i64: 2>, padding = array<i64: 1, 1>, dilation = array<i64: 2>} : (tensor<1x4x?xf32, #relax.shape<[1, 4, "n"]>>, tensor<8x4x?xf32, #relax.shape<[8, 4, "k"]>>) -> tensor<7x7x7x7x7xf32>
  relax.return
}

// -----

// It can find that groups do not divide the channels.
relax.func @f(%x: tensor<1x?x8xf32, #relax.shape<[1, "c * 6", 8]>>, %w: tensor<?x?x3xf32, #relax.shape<["o * 6 + 4", "c", 3]>>) {
  // expected-error @below {{expected output channels divisible by 6 groups, found "o * 6 + 4"}}
  // expected-error @below {{failed to infer returned types}}
  %r = "relax.nn.conv1d"(%x, %w) {groups = 6 : i64} : (tensor<1x?x8xf32, #relax.shape<[1, "c * 6", 8]>>, tensor<?x?x3xf32, #relax.shape<["o * 6 + 4", "c", 3]>>) -> tensor<?x?x?xf32>
  relax.return
}

// -----

// In the result of a modulo, too.
relax.func @f(%x: tensor<?x3xf32, #relax.shape<["(n + m * 8) % 4", 3]>>) {
  // expected-error @below {{inferred type(s) 'tensor<?xf32, #relax.shape<["n * 3 - n // 4 * 12"]>>' are incompatible}}
  // expected-error @below {{failed to infer returned types}}
  %r = "relax.flatten"(%x) : (tensor<?x3xf32, #relax.shape<["(n + m * 8) % 4", 3]>>) -> tensor<7x7x7x7x7xf32>
  relax.return
}
