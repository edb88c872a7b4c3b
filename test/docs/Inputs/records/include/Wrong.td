// An example that is not MLIR, for examples.test.
def Wrong {
  let description = [{
    ```mlir
    %0 = relax.exp %x : tensor<4xf32>
    %1 = relax.exp %0 tensor<4xf32>
    ```

    ```mlir
    %0 = relax.exp %x : tensor<4xf32>
    ```
  }];
}
