# each_width.sh FILE OUT: unrolls FILE for each type that INT stands for.
set -e
for type in i3 i8 i32 i63 i64 i65 i128 i200 index; do
  for compare in '' 'unsigned '; do
    sed "s/INT/$type/g; s/COMPARE/$compare/" "$1" >"$2.mlir"
    partita-opt "$2.mlir" -O3 -o "$2.out.mlir"
    FileCheck "$1" --input-file="$2.out.mlir"
  done
done
