# each_flag.sh FILE: runs each tool with each flag that only prints, to FILE.
set -e
for tool in partita-opt partita-test-opt partita-translate partita-bisect; do
  for flag in --version --help --help-list --help-hidden --help-list-hidden; do
    $tool $flag >"$1"
    test -s "$1"
  done
done
for tool in partita-opt partita-test-opt; do
  for flag in --show-dialects --list-passes --list-instruments --list-pass-configs; do
    $tool $flag >"$1"
    test -s "$1"
  done
  for flag in --print-options --print-all-options --dump-pass-pipeline --mlir-timing \
      --mlir-pass-statistics; do
    echo 'module {}' | $tool $flag --cse >"$1" 2>&1
    test -s "$1"
  done
done
