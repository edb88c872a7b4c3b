memref.global "private" constant @a : memref<2x3xf32> = dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]>
memref.global "private" constant @b : memref<3x2xf32> = dense<[[1.0, 0.0], [2.0, -1.0], [3.0, 0.5]]>
func.func private @printMemrefF32(memref<*xf32>) attributes {llvm.emit_c_interface}

func.func @main() {
  %zero = arith.constant 0.0 : f32
  %a = memref.get_global @a : memref<2x3xf32>
  %b = memref.get_global @b : memref<3x2xf32>
  %c = memref.alloc() : memref<2x2xf32>
  linalg.fill ins(%zero : f32) outs(%c : memref<2x2xf32>)
  linalg.generic {
    indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>,
                     affine_map<(i, j, k) -> (i, j)>],
    iterator_types = ["parallel", "parallel", "reduction"]
  } ins(%a, %b : memref<2x3xf32>, memref<3x2xf32>) outs(%c : memref<2x2xf32>) {
  ^bb0(%x: f32, %y: f32, %sum: f32):
    %product = arith.mulf %x, %y : f32
    %next = arith.addf %product, %sum : f32
    linalg.yield %next : f32
  }
  %shown = memref.cast %c : memref<2x2xf32> to memref<*xf32>
  call @printMemrefF32(%shown) : (memref<*xf32>) -> ()
  memref.dealloc %c : memref<2x2xf32>
  return
}
