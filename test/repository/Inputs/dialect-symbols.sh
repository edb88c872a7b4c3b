# dialect-symbols.sh DIR NAME...: the symbols of Partita's dialects that the
# libraries NAME in DIR need.
dir=$1
shift
for name in "$@"; do
  nm -C --undefined-only "$dir/libPartita$name.a" |
    grep -E 'partita::(relax::|tir::|PartitaDialect|IRModuleOp|PassContextAttr|importTVMJson)' |
    sed "s/^/$name: /"
done
