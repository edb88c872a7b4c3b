# onto_pipes.sh: canonicalizes adds.mlir, with the outputs going to pipes.
set -e
mkfifo pipe
cat pipe >read.mlir &
partita-opt adds.mlir --canonicalize -o pipe
wait
diff read.mlir canonical.mlir
test -p pipe
{
  echo before
  partita-opt adds.mlir --canonicalize -o /dev/stdout
} | tail -n +2 | diff - canonical.mlir
