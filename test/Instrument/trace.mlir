// The trace, checked against the trace event format.

// DEFINE: %{func} = partita-test-opt %S/Inputs/func.mlir -o /dev/null
// DEFINE: %{nested} = %{func} -O2 --pass-pipeline='builtin.module(func.func(cse,canonicalize),sequential{passes=any(test-a),func.func(cse) name=Inner},func.func(cse),test-b)'
// DEFINE: %{single} = --mlir-disable-threading
// DEFINE: %{check} = %python %S/Inputs/check_trace.py

// Merged: a thread takes a function through all passes on it.
// RUN: %{nested} %{single} --instrument='trace{output=-}' | %{check} --order sequential \
// RUN:   'sequential>f' 'f>cse@f' 'f>canonicalize@f' 'sequential>g' 'g>cse@g' 'g>canonicalize@g' \
// RUN:   'sequential>Inner' 'Inner>TestA' 'Inner>f' 'f>cse@f' \
// RUN:   'sequential>f' 'f>cse@f' 'sequential>Inner' 'Inner>g' 'g>cse@g' 'sequential>g' 'g>cse@g' \
// RUN:   'sequential>TestB'
// Pass by pass, because another instrument looks at the module.
// RUN: %{nested} %{single} --instrument='trace{output=-}' --instrument='print-ir-after{passes=none}' | %{check} --order sequential \
// RUN:   'sequential>f' 'f>cse@f' 'sequential>g' 'g>cse@g' 'sequential>f' 'f>canonicalize@f' 'sequential>g' 'g>canonicalize@g' \
// RUN:   'sequential>Inner' 'Inner>TestA' 'Inner>f' 'f>cse@f' 'Inner>g' 'g>cse@g' \
// RUN:   'sequential>f' 'f>cse@f' 'sequential>g' 'g>cse@g' 'sequential>TestB'
// The trace itself does not look: MLIR has the function passes in one pipeline.
// RUN: %{nested} --instrument='trace{output=%t.json}' --dump-pass-pipeline 2>&1 | FileCheck %s --check-prefix=MERGED
//      MERGED: {{^}}  func.func(
// MERGED-NEXT:     cse,
// MERGED-NEXT:     canonicalize
//      MERGED: {{^}}  test-a,
// MERGED-NEXT: {{^}}  func.func(
// MERGED-NEXT:     cse,
// MERGED-NEXT:     cse
// MERGED-NEXT:   ),

// With threads.
// RUN: %{check} < %t.json
// RUN: %python %S/Inputs/make_functions.py 1000 > %t.mlir
// RUN: partita-test-opt %t.mlir -o /dev/null -O2 --pass-pipeline='builtin.module(func.func(cse,canonicalize),sequential{passes=any(test-a),func.func(cse) name=Inner},func.func(cse),test-b)' \
// RUN:   --instrument='trace{output=-}' | %{check} --threads

// A pass that fails, and the spans around it.
// RUN: not %{func} %{single} --pass-pipeline='builtin.module(test-a,sequential{passes=any(test-a),func.func(test-fail{on=g})},test-b)' \
// RUN:   --instrument='trace{output=%t.json}' 2> /dev/null
// RUN: %{check} --order 'sequential!' 'sequential>TestA' 'sequential>sequential!' 'sequential>TestA' \
// RUN:   'sequential>f' 'f>test-fail@f' 'sequential>g!' 'g>test-fail@g!' < %t.json
// Vetoed passes have no span.
// RUN: %{func} %{single} --pass-pipeline='builtin.module(test-a,test-b,test-c)' \
// RUN:   --instrument='trace{output=-}' --instrument='test-trace{name=T skip=TestB}' 2> /dev/null \
// RUN:   | %{check} --order sequential 'sequential>TestA' 'sequential>TestC'

// Required passes have a span, even if they are disabled; other disabled passes
// have none.
// RUN: %{func} %{single} -O2 --disabled-pass=TestMiddle,test-b --pass-pipeline='builtin.module(test-b,test-owner)' \
// RUN:   --instrument='trace{output=-}' | %{check} --order sequential 'sequential>TestD' 'sequential>TestMiddle' \
// RUN:   'sequential>TestA' 'sequential>TestD' 'sequential>TestMiddle' 'sequential>TestOwner'

// RUN: partita-opt %S/Inputs/relax.mlir -o /dev/null -O1 %{single} --instrument='trace{output=-}' | %{check} --order DefaultO1 \
// RUN:   'DefaultO1>m::main' 'm::main>CanonicalizeBindings@m::main' 'm::main>EliminateCommonSubexpr@m::main' 'DefaultO1>DeadCodeElimination'

// Two modules are two runs.
// RUN: cat %S/Inputs/func.mlir > %t.mlir && echo '// -----' >> %t.mlir && cat %S/Inputs/func.mlir >> %t.mlir
// RUN: partita-test-opt %t.mlir -o /dev/null --split-input-file %{single} --pass-pipeline='builtin.module(test-a)' -O2 --instrument='trace{output=-}' \
// RUN:   | %{check} --order sequential 'sequential>TestA' sequential 'sequential>TestA'
// Names of functions can have any bytes.
// RUN: echo 'func.func private @"a\22\\\FF"() { return }' | partita-test-opt -o /dev/null %{single} -O2 --pass-pipeline='builtin.module(func.func(cse))' --instrument='trace{output=-}' | %{check}

// RUN: rm -f %t.json && %{func} -O2 --cse --instrument='trace{output=%t.json print=false}' && not test -e %t.json
// RUN: not %{func} --cse --instrument='trace{output=%s/none}' 2>&1 | FileCheck %s --check-prefix=OPEN
// OPEN: error: instrument 'trace' failed to enter the pass context: expected to open '{{.*}}/none' to write to, but: Not a directory
