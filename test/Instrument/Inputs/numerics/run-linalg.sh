# run-linalg.sh MODULE: lowers what is left, and prints the result.
set -e
tools=$(dirname "$(command -v mlir-runner)")
mlir-opt "$1" --convert-linalg-to-loops --convert-scf-to-cf --finalize-memref-to-llvm \
  --convert-func-to-llvm --convert-arith-to-llvm --convert-cf-to-llvm \
  --reconcile-unrealized-casts > "$1.llvm"
mlir-runner "$1.llvm" --entry-point-result=void \
  --shared-libs="$tools/../lib/libmlir_runner_utils.so"
