// All instruments in one run print the same as each of them alone.

// DEFINE: %{opt} = partita-test-opt
// DEFINE: %{file} = func
// DEFINE: %{passes} = -O2 --disabled-pass=TestMiddle --pass-pipeline='builtin.module(func.func(cse,canonicalize),sequential{passes=any(test-owner,test-add-func),func.func(cse) name=Inner},test-d,test-b)'
// DEFINE: %{run} = %{opt} %S/Inputs/%{file}.mlir %{passes}
// DEFINE: %{spans} = %python -c 'import json, sys; print(sorted((e["name"], e["args"].get("function", "")) for e in json.load(sys.stdin)["traceEvents"] if e.get("cat") == "pass"))'
// DEFINE: %{names} = %python -c 'import json, sys; n = lambda rs: [(r["pass"], r.get("runs"), n(r["passes"])) for r in rs]; print(n(json.load(sys.stdin)))'

// RUN: rm -rf %t && mkdir %t
// RUN: %{run} -o %t/plain.mlir

// One by one.
// RUN: %{run} -o %t/1.mlir --instrument='timing{format=json output=%t/timing.1}'
// RUN: %{run} -o %t/2.mlir --instrument='memory{json output=%t/memory.1}'
// RUN: %{run} -o %t/3.mlir --instrument=print-ir-before 2> %t/before.1
// RUN: %{run} -o %t/4.mlir --instrument=print-ir-after 2> %t/after.1
// RUN: %{run} -o %t/5.mlir --instrument='print-changed{output=%t/changed.1}'
// RUN: %{run} -o %t/6.mlir --instrument='dump-ir{dump-dir=%t/dump.1}'
// RUN: %{run} -o %t/7.mlir --instrument='op-statistics{functions output=%t/statistics.1}'
// RUN: %{run} -o %t/8.mlir --instrument=verify 2> %t/verify.1
// RUN: %{run} -o %t/10.mlir --instrument='trace{output=%t/trace.1}'
// RUN: cat %t/before.1 %t/after.1 %t/verify.1 | sort > %t/errors.1

// Together.
// RUN: %{run} -o %t/9.mlir --instrument='timing{format=json output=%t/timing.2}' \
// RUN:   --instrument='memory{json output=%t/memory.2}' --instrument=print-ir-before --instrument=print-ir-after \
// RUN:   --instrument='print-changed{output=%t/changed.2}' --instrument='dump-ir{dump-dir=%t/dump.2}' \
// RUN:   --instrument='op-statistics{functions output=%t/statistics.2}' --instrument=verify \
// RUN:   --instrument='report{output=%t/report.html}' --instrument='bisect{print=false}' \
// RUN:   --instrument='trace{output=%t/trace.2}' 2> %t/errors
// RUN: sort %t/errors > %t/errors.2
// RUN: diff %t/changed.1 %t/changed.2 && diff -r %t/dump.1 %t/dump.2 && diff %t/statistics.1 %t/statistics.2
// RUN: diff %t/errors.1 %t/errors.2
// RUN: %{names} < %t/timing.1 > %t/timing.1.names && %{names} < %t/timing.2 | diff - %t/timing.1.names
// RUN: %{names} < %t/memory.1 > %t/memory.1.names && %{names} < %t/memory.2 | diff - %t/memory.1.names
// RUN: %{spans} < %t/trace.1 > %t/trace.1.spans && %{spans} < %t/trace.2 | diff - %t/trace.1.spans
// RUN: diff %t/plain.mlir %t/1.mlir && diff %t/plain.mlir %t/2.mlir && diff %t/plain.mlir %t/3.mlir
// RUN: diff %t/plain.mlir %t/4.mlir && diff %t/plain.mlir %t/5.mlir && diff %t/plain.mlir %t/6.mlir
// RUN: diff %t/plain.mlir %t/7.mlir && diff %t/plain.mlir %t/8.mlir && diff %t/plain.mlir %t/9.mlir
// RUN: diff %t/plain.mlir %t/10.mlir && test -s %t/trace.1.spans
// RUN: test -s %t/changed.1 && test -s %t/statistics.1 && test -s %t/errors.1 && test -s %t/timing.1.names

// REDEFINE: %{opt} = partita-opt
// REDEFINE: %{file} = relax
// REDEFINE: %{passes} = -O1
// RUN: rm -rf %t && mkdir %t
// RUN: %{run} -o %t/plain.mlir
// RUN: %{run} -o %t/5.mlir --instrument='print-changed{output=%t/changed.1}'
// RUN: %{run} -o %t/6.mlir --instrument='dump-ir{dump-dir=%t/dump.1}'
// RUN: %{run} -o %t/7.mlir --instrument='op-statistics{functions output=%t/statistics.1}'
// RUN: %{run} -o %t/9.mlir --instrument='timing{format=json output=%t/timing.2}' \
// RUN:   --instrument='memory{json output=%t/memory.2}' --instrument=print-ir-before --instrument=print-ir-after \
// RUN:   --instrument='print-changed{output=%t/changed.2}' --instrument='dump-ir{dump-dir=%t/dump.2}' \
// RUN:   --instrument='op-statistics{functions output=%t/statistics.2}' --instrument=verify \
// RUN:   --instrument='report{output=%t/report.html}' --instrument='bisect{print=false}' 2> %t/errors
// RUN: diff %t/changed.1 %t/changed.2 && diff -r %t/dump.1 %t/dump.2 && diff %t/statistics.1 %t/statistics.2
// RUN: diff %t/plain.mlir %t/5.mlir && diff %t/plain.mlir %t/6.mlir && diff %t/plain.mlir %t/7.mlir && diff %t/plain.mlir %t/9.mlir
// RUN: test -s %t/changed.1 && test -s %t/statistics.1 && grep -q 'IR after DefaultO1' %t/errors

// REDEFINE: %{file} = linalg
// REDEFINE: %{passes} = -O1 --disabled-pass=cse --pass-pipeline='builtin.module(func.func(canonicalize,cse),sequential{passes=func.func(linalg-generalize-named-ops) name=Inner},func.func(convert-linalg-to-loops))'
// RUN: rm -rf %t && mkdir %t
// RUN: %{run} -o %t/plain.mlir
// RUN: %{run} -o %t/1.mlir --instrument='timing{format=json output=%t/timing.1}'
// RUN: %{run} -o %t/2.mlir --instrument='memory{json output=%t/memory.1}'
// RUN: %{run} -o %t/5.mlir --instrument='print-changed{output=%t/changed.1}'
// RUN: %{run} -o %t/6.mlir --instrument='dump-ir{dump-dir=%t/dump.1}'
// RUN: %{run} -o %t/7.mlir --instrument='op-statistics{functions output=%t/statistics.1}'
// RUN: %{run} -o %t/10.mlir --instrument='trace{output=%t/trace.1}'
// RUN: %{run} -o %t/9.mlir --instrument='timing{format=json output=%t/timing.2}' \
// RUN:   --instrument='memory{json output=%t/memory.2}' --instrument=print-ir-before --instrument=print-ir-after \
// RUN:   --instrument='print-changed{output=%t/changed.2}' --instrument='dump-ir{dump-dir=%t/dump.2}' \
// RUN:   --instrument='op-statistics{functions output=%t/statistics.2}' --instrument=verify --instrument=progress \
// RUN:   --instrument='report{output=%t/report.html}' --instrument='bisect{print=false}' \
// RUN:   --instrument='checkpoint{dir=%t/checkpoints}' --instrument='trace{output=%t/trace.2}' 2> %t/errors
// RUN: diff %t/changed.1 %t/changed.2 && diff -r %t/dump.1 %t/dump.2 && diff %t/statistics.1 %t/statistics.2
// RUN: %{names} < %t/timing.1 > %t/timing.1.names && %{names} < %t/timing.2 | diff - %t/timing.1.names
// RUN: %{names} < %t/memory.1 > %t/memory.1.names && %{names} < %t/memory.2 | diff - %t/memory.1.names
// RUN: %{spans} < %t/trace.1 > %t/trace.1.spans && %{spans} < %t/trace.2 | diff - %t/trace.1.spans
// RUN: diff %t/plain.mlir %t/1.mlir && diff %t/plain.mlir %t/2.mlir && diff %t/plain.mlir %t/5.mlir
// RUN: diff %t/plain.mlir %t/6.mlir && diff %t/plain.mlir %t/7.mlir && diff %t/plain.mlir %t/9.mlir && diff %t/plain.mlir %t/10.mlir
// RUN: %{run} --resume-from=%t/checkpoints | diff - %t/plain.mlir
// RUN: FileCheck %s --check-prefix=LINALG < %t/statistics.1
// LINALG: canonicalize {{.*}} arith.addf -1
// LINALG: linalg-generalize-named-ops {{.*}} linalg.fill -2, linalg.generic +3, linalg.matmul -1
// LINALG: convert-linalg-to-loops {{.*}} scf.for
