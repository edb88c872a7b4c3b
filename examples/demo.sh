#!/bin/sh
# demo.sh BUILD [OUT]: imports ResNet-18 from TVM's export, and runs the default
# pipeline of -O3 on it. Shows which passes ran, for how long, and how they
# changed the ops. If the runtime is built, calls the result on an input, and
# shows its greatest outputs beside TVM's. Writes the modules to the folder OUT, by
# default BUILD/demo.
set -eu
root=$(dirname "$0")/..
build=$1
out=${2:-$build/demo}
mkdir -p "$out"

# The ops of a module, as "NAME COUNT" lines.
count_ops() {
  "$build/bin/partita-opt" --print-op-stats "$1" -o /dev/null 2>&1 |
    awk -F '[ ,]+' 'NF == 3 { print $2, $3 }'
}

echo '== Import ResNet-18 from TVM'
"$build/bin/partita-translate" --import-tvm-json \
  "$root/test/Inputs/models/resnet18.json" -o "$out/resnet18.mlir"
echo "$out/resnet18.mlir"

echo; echo '== The plan of -O3'
"$build/bin/partita-opt" -O3 --explain "$out/resnet18.mlir"

echo; echo '== Run it, timed'
"$build/bin/partita-opt" -O3 --instrument='timing{output=-}' \
  "$out/resnet18.mlir" -o "$out/optimized.mlir"
echo "$out/optimized.mlir"

echo; echo '== Ops before and after'
count_ops "$out/resnet18.mlir" >"$out/before"
count_ops "$out/optimized.mlir" >"$out/after"
awk 'FNR == NR { before[$1] = $2; names[$1]; next }
     { after[$1] = $2; names[$1] }
     END { for (name in names)
             printf "%-28s %6d %6d\n", name, before[name], after[name] }' \
  "$out/before" "$out/after" | sort

[ -x "$build/bin/partita-run" ] || exit 0
echo; echo "== Call it, on an input for which TVM's outputs are known"
"$build/bin/partita-run" -O3 "$out/optimized.mlir" \
  --input "$root/test/Inputs/models/resnet18.npz" \
  --compare "$root/test/Inputs/models/resnet18.npz"
