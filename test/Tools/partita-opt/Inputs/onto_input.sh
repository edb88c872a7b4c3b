# onto_input.sh: lets each instrument write onto the input of its run, adds.mlir.
set -e
for instrument in report trace print-changed timing op-statistics memory; do
  cp adds.mlir x.mlir
  partita-opt x.mlir --canonicalize --instrument="$instrument{output=x.mlir}" -o out.mlir
  diff out.mlir canonical.mlir
  ! diff -q x.mlir adds.mlir >/dev/null
done
