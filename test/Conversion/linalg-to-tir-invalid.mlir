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
