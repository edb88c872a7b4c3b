// RUN: partita-opt --pass-pipeline='builtin.module(partita.module(tir.prim_func(convert-linalg-to-tir)))' --allow-unregistered-dialect --split-input-file --verify-diagnostics %s

partita.module {
  tir.prim_func @transposed(%a: memref<6xf32>, %out: memref<2x3xf32>) {
    // expected-error@+1 {{can't become part of a block: expected a view that indices express}}
    %0 = memref.reinterpret_cast %a to offset: [0], sizes: [2, 3], strides: [1, 2]
      : memref<6xf32> to memref<2x3xf32, strided<[1, 2]>>
    %1 = bufferization.to_tensor %0 restrict : memref<2x3xf32, strided<[1, 2]>> to tensor<2x3xf32>
    bufferization.materialize_in_destination %1 in restrict writable %out : (tensor<2x3xf32>, memref<2x3xf32>) -> ()
    tir.return
  }
}

// -----

partita.module {
  tir.prim_func @shape(%a: memref<6xf32>, %s: memref<2xindex>, %out: memref<?x?xf32>) {
    %0 = bufferization.to_tensor %a restrict : memref<6xf32> to tensor<6xf32>
    %1 = bufferization.to_tensor %s restrict : memref<2xindex> to tensor<2xindex>
    // expected-error@+1 {{expected a shape of known elements}}
    %2 = tensor.reshape %0(%1) : (tensor<6xf32>, tensor<2xindex>) -> tensor<?x?xf32>
    bufferization.materialize_in_destination %2 in restrict writable %out : (tensor<?x?xf32>, memref<?x?xf32>) -> ()
    tir.return
  }
}

// -----

partita.module {
  // expected-error@+1 {{can't become blocks: expected compact parameters, found 'memref<6xf32, strided<[2]>>'}}
  tir.prim_func @strided(%a: memref<6xf32, strided<[2]>>, %out: memref<6xf32>) {
    %0 = bufferization.to_tensor %a restrict : memref<6xf32, strided<[2]>> to tensor<6xf32>
    bufferization.materialize_in_destination %0 in restrict writable %out : (tensor<6xf32>, memref<6xf32>) -> ()
    tir.return
  }
}

// -----

partita.module {
  tir.prim_func @constant(%out: memref<2xf32>) {
    // expected-error@+1 {{can't become part of a block: expected buffers that are parameters or allocated}}
    %0 = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
    bufferization.materialize_in_destination %0 in restrict writable %out : (tensor<2xf32>, memref<2xf32>) -> ()
    tir.return
  }
}

// -----

partita.module {
  tir.prim_func @unknown(%out: memref<2xf32>) {
    // expected-error@+1 {{op was not bufferized}}
    %0 = "test.unknown"() : () -> tensor<2xf32>
    bufferization.materialize_in_destination %0 in restrict writable %out : (tensor<2xf32>, memref<2xf32>) -> ()
    tir.return
  }
}

// -----

// The two buffers take turns.

partita.module {
  tir.prim_func @turns(%a: memref<4xf32>, %out: memref<4xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %0 = bufferization.to_tensor %a restrict : memref<4xf32> to tensor<4xf32>
    // expected-error@+1 {{can't become part of a block: expected buffers that are parameters or allocated}}
    %1:2 = scf.for %i = %c0 to %c3 step %c1 iter_args(%s = %0, %t = %0) -> (tensor<4xf32>, tensor<4xf32>) {
      %2 = tensor.empty() : tensor<4xf32>
      %3 = linalg.add ins(%s, %t : tensor<4xf32>, tensor<4xf32>) outs(%2 : tensor<4xf32>) -> tensor<4xf32>
      scf.yield %t, %3 : tensor<4xf32>, tensor<4xf32>
    }
    bufferization.materialize_in_destination %1#1 in restrict writable %out : (tensor<4xf32>, memref<4xf32>) -> ()
    tir.return
  }
}
