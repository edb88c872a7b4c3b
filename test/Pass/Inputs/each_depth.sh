# each_depth.sh RUNNER FILE...: runs partita-opt by RUNNER with each file's options.
set -e
runner=$1
shift
for file in "$@"; do
  for flags in '' -O2 --explain '-O2 --print-plan-json' '-O2 --instrument=timing{print=false}'; do
    # shellcheck disable=SC2086
    echo 'module {}' | $runner partita-opt "@$file" $flags -o /dev/null
  done
done
