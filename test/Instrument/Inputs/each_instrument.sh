# each_instrument.sh DIRECTORY: runs the pipeline p.rsp on m.mlir under everything that
# writes names. The output may have no control characters but tabs and line ends.
set -e
cd "$1"
for instrument in 'op-statistics{functions}' 'op-statistics{json}' print-ir-after \
    'print-ir-before{functions=*}' timing 'timing{format=list}' 'timing{format=json}' \
    print-changed print-passes bisect memory 'report{output=-}' trace; do
  partita-opt m.mlir --allow-unregistered-dialect @p.rsp --instrument="$instrument" \
    -o /dev/null >out.txt 2>&1
  test -s out.txt
  if LC_ALL=C grep -anP '[\x00-\x08\x0B-\x1F\x7F]|\xC2[\x80-\x9F]' out.txt; then
    echo "$instrument writes control characters"
    exit 1
  fi
done
