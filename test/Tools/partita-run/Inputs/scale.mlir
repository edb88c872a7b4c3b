partita.module {
  relax.func @main(%x: tensor<?x4xf32, #relax.shape<["n", 4]>>, %w: tensor<4xf32>)
      -> tensor<?x4xf32, #relax.shape<["n", 4]>> {
    %0 = relax.multiply %x, %w : tensor<?x4xf32, #relax.shape<["n", 4]>>, tensor<4xf32>
      -> tensor<?x4xf32, #relax.shape<["n", 4]>>
    relax.return %0 : tensor<?x4xf32, #relax.shape<["n", 4]>>
  }
  relax.func @parts(%t: tuple<tensor<2xf32>, tensor<2xi64>>, %s: !relax.shape<["n", 4]>, %k: i64)
      -> (tensor<2xf32>, !relax.shape<["n * 2"]>, i64, tensor<2xi64>) {
    %0 = relax.tuple_get_item %t[0] : tuple<tensor<2xf32>, tensor<2xi64>>
    %1 = relax.tuple_get_item %t[1] : tuple<tensor<2xf32>, tensor<2xi64>>
    %2 = relax.add %0, %0 : tensor<2xf32>, tensor<2xf32> -> tensor<2xf32>
    %3 = relax.shape ["n * 2"]
    relax.return %2, %3, %k, %1 : tensor<2xf32>, !relax.shape<["n * 2"]>, i64, tensor<2xi64>
  }
}
