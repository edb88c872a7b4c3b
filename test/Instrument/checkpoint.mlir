// Checkpoints, and runs that resume from them.

// DEFINE: %{func} = partita-test-opt %S/Inputs/func.mlir -O2
// DEFINE: %{passes} = 'builtin.module(test-a,sequential{passes=any(test-b,test-owner,sequential{passes=any(test-a,test-b) name=Innermost}),func.func(cse) name=Inner},func.func(canonicalize,cse),test-c,test-b)'
// DEFINE: %{kill} = %python %S/Inputs/kill_and_resume.py %t.dir

// RUN: rm -rf %t.dir
// RUN: %{kill} %{func} --pass-pipeline=%{passes}
// A pass that no should_run is asked about, and a vetoed pass.
// RUN: rm -rf %t.dir
// RUN: %{kill} %{func} --pass-pipeline=%{passes} --required-pass=TestA,TestB --disabled-pass=TestMiddle \
// RUN:   --instrument='test-trace{name=V skip=TestC}'
// RUN: rm -rf %t.dir
// RUN: %{kill} partita-opt %S/Inputs/relax.mlir -O1 \
// RUN:   --pass-pipeline='builtin.module(partita.module(default-O1,default-O1,default-O1))'

// All checkpoints are kept, or the last ones.
// RUN: rm -rf %t.dir && %{func} --pass-pipeline='builtin.module(test-a,test-b,test-c)' --instrument='checkpoint{dir=%t.dir/a/b keep=0}' -o %t.plain
// RUN: ls -A %t.dir/a/b | FileCheck %s --check-prefix=ALL --implicit-check-not={{.}}
//      ALL: checkpoint-00001.mlirbc
// ALL-NEXT: checkpoint-00001.mlirbc.sha1
// ALL-NEXT: checkpoint-00002.mlirbc
// ALL-NEXT: checkpoint-00002.mlirbc.sha1
// ALL-NEXT: checkpoint-00003.mlirbc
// ALL-NEXT: checkpoint-00003.mlirbc.sha1
// ALL-NEXT: checkpoint.json
// RUN: rm -rf %t.dir && %{func} --pass-pipeline='builtin.module(test-a,test-b,test-c)' --instrument='checkpoint{dir=%t.dir keep=2}'
// RUN: ls -A %t.dir | FileCheck %s --check-prefix=TWO --implicit-check-not={{.}}
//      TWO: checkpoint-00002.mlirbc
// TWO-NEXT: checkpoint-00002.mlirbc.sha1
// TWO-NEXT: checkpoint-00003.mlirbc
// TWO-NEXT: checkpoint-00003.mlirbc.sha1
// TWO-NEXT: checkpoint.json
// RUN: partita-test-opt %t.dir/checkpoint-00002.mlirbc | FileCheck %s --check-prefix=SECOND
// SECOND: module attributes {test.ran = ["test-a", "test-b"]}

// A complete run resumes with nothing left to do.
// RUN: %{func} --pass-pipeline='builtin.module(test-a,test-b,test-c)' --resume-from=%t.dir --instrument='test-trace{name=T}' 2>&1 -o %t.resumed | FileCheck %s --check-prefix=LEFT --implicit-check-not={{.}}
//      LEFT: T.enter
// LEFT-NEXT: T.should sequential
// LEFT-NEXT: T.before sequential
// LEFT-NEXT: T.after sequential
// LEFT-NEXT: T.exit
// RUN: diff %t.plain %t.resumed

// No checkpoints after a skipped step: the resumed run could have other
// instruments.
// RUN: rm -rf %t.veto && %{func} --pass-pipeline='builtin.module(test-a,test-b,test-c)' --instrument='checkpoint{dir=%t.veto}' \
// RUN:   --instrument='bisect{disable=test-b print=false}' -o /dev/null
// RUN: ls -A %t.veto | FileCheck %s --check-prefix=VETO --implicit-check-not={{.}}
//      VETO: checkpoint-00001.mlirbc
// VETO-NEXT: checkpoint-00001.mlirbc.sha1
// VETO-NEXT: checkpoint.json
// RUN: %{func} --pass-pipeline='builtin.module(test-a,test-b,test-c)' --resume-from=%t.veto | diff - %t.plain

// Damaged checkpoints.
// DEFINE: %{damaged} = not %{func} --pass-pipeline='builtin.module(test-a,test-b,test-c)' --resume-from=%t.bad 2>&1
// RUN: rm -rf %t.bad && cp -r %t.dir %t.bad && rm %t.bad/checkpoint-00003.mlirbc && touch %t.bad/checkpoint-00003.mlirbc
// RUN: %{damaged} | FileCheck %s --check-prefix=DAMAGED
// DAMAGED: error: expected checkpoint '{{.*}}checkpoint-00003.mlirbc' to be as it was written, but '{{.*}}checkpoint-00003.mlirbc.sha1' has another hash; delete it to resume from the checkpoint before, or from the beginning
// RUN: cp %t.dir/checkpoint-00003.mlirbc %t.bad && rm %t.bad/checkpoint-00003.mlirbc.sha1
// RUN: %{damaged} | FileCheck %s --check-prefix=DAMAGED
// RUN: rm %t.bad/checkpoint-00003.mlirbc
// RUN: %{func} --pass-pipeline='builtin.module(test-a,test-b,test-c)' --resume-from=%t.bad | diff - %t.plain
// RUN: cp %t.dir/checkpoint-00003.mlirbc %t.bad/checkpoint-00009.mlirbc
// RUN: cp %t.dir/checkpoint-00003.mlirbc.sha1 %t.bad/checkpoint-00009.mlirbc.sha1
// RUN: %{damaged} | FileCheck %s --check-prefix=BEYOND
// BEYOND: error: expected to resume the run in '{{.*}}', which has a checkpoint of pass 9, but found 3 passes

// Printing flags do not change the identity of the input.
// RUN: %{func} --pass-pipeline='builtin.module(test-a,test-b,test-c)' --resume-from=%t.dir -o /dev/null \
// RUN:   --mlir-print-debuginfo --mlir-print-op-generic --mlir-elide-elementsattrs-if-larger=1 --mlir-print-value-users
// RUN: echo 'func.func @f() -> tensor<4xi32> { %%0 = arith.constant dense<[1,2,3,4]> : tensor<4xi32> return %%0 : tensor<4xi32> }' > %t.1.mlir
// RUN: echo 'func.func @f() -> tensor<4xi32> { %%0 = arith.constant dense<[1,2,3,5]> : tensor<4xi32> return %%0 : tensor<4xi32> }' > %t.2.mlir
// RUN: rm -rf %t.hash && partita-opt %t.1.mlir --cse --instrument='checkpoint{dir=%t.hash}' --mlir-elide-elementsattrs-if-larger=2 -o /dev/null
// RUN: not partita-opt %t.2.mlir --cse --resume-from=%t.hash --mlir-elide-elementsattrs-if-larger=2 2>&1 | FileCheck %s --check-prefix=INPUT

// The resources of the file are kept, in text and in bytecode.
// RUN: rm -rf %t.dir2 && partita-opt %S/Inputs/resources.mlir --cse --canonicalize -O2 --instrument='checkpoint{dir=%t.dir2}' -o %t.resources
// RUN: FileCheck %S/Inputs/resources.mlir < %t.resources
// RUN: partita-opt %S/Inputs/resources.mlir --cse --canonicalize -O2 --resume-from=%t.dir2 | diff - %t.resources
// RUN: partita-opt %S/Inputs/resources.mlir --cse --canonicalize -O2 --resume-from=%t.dir2 --emit-bytecode -o %t.mlirbc
// RUN: partita-opt %t.mlirbc | diff - %t.resources

// Checkpoints of another run.
// RUN: not %{func} --pass-pipeline='builtin.module(test-a,test-d,test-c)' -O3 --resume-from=%t.dir 2>&1 | FileCheck %s --check-prefix=PASS
// PASS: error: expected to resume the run in '{{.*}}', whose pass 2 is 'TestB', but found 'TestD'
// RUN: not %{func} --pass-pipeline='builtin.module(test-a,test-b)' --resume-from=%t.dir 2>&1 | FileCheck %s --check-prefix=FEWER
// FEWER: error: expected to resume the run in '{{.*}}', whose pass 3 is 'TestC', but found none
// RUN: not %{func} --pass-pipeline='builtin.module(test-a,test-b,test-c)' -O3 --resume-from=%t.dir 2>&1 | FileCheck %s --check-prefix=CONTEXT
// CONTEXT: error: expected to resume the run in '{{.*}}', whose context is 'opt_level=2 required_pass= disabled_pass=', but found 'opt_level=3 required_pass= disabled_pass='
// RUN: not %{func} --pass-pipeline='builtin.module(test-a,test-b,test-c)' --pass-config=test.count=7 --resume-from=%t.dir 2>&1 | FileCheck %s --check-prefix=CONFIG
// CONFIG: but found 'opt_level=2 required_pass= disabled_pass= test.count=7 : i64'
// RUN: echo 'func.func private @h()' | not partita-test-opt --pass-pipeline='builtin.module(test-a,test-b,test-c)' -O2 --resume-from=%t.dir 2>&1 | FileCheck %s --check-prefix=INPUT
// INPUT: error: expected to resume the run in '{{.*}}', whose input has the hash '{{[0-9a-f]+}}', but found '{{[0-9a-f]+}}'
// The same run, with its input at another path.
// RUN: partita-test-opt --pass-pipeline='builtin.module(test-a,test-b,test-c)' -O2 --resume-from=%t.dir < %S/Inputs/func.mlir | diff - %t.plain
// RUN: rm -rf %t.dir && %{func} --canonicalize --instrument='checkpoint{dir=%t.dir}' -o %t.plain
// RUN: not %{func} --canonicalize=max-iterations=3 --resume-from=%t.dir 2>&1 | FileCheck %s --check-prefix=OPTION
// OPTION: whose pipeline is 'builtin.module(canonicalize)', but found 'builtin.module(canonicalize{max-iterations=3})'
// Without --resume-from, a run with another plan starts at the beginning.
// RUN: %{func} --cse --instrument='checkpoint{dir=%t.dir}' -o %t.plain && %{func} --cse --resume-from=%t.dir | diff - %t.plain

// MLIR does not read the text of an attribute that a pass adds.
// RUN: rm -rf %t.text && partita-opt %S/Inputs/func.mlir --tosa-attach-target --cse --instrument='checkpoint{dir=%t.text}' -o /dev/null
// RUN: not partita-opt %S/Inputs/func.mlir --tosa-attach-target --cse --resume-from=%t.text 2>&1 | FileCheck %s --check-prefix=TEXT
// TEXT: error: expected '{{.*}}checkpoint-00002.mlirbc' to be a module that this version reads; delete it to resume earlier

// One process at a time writes to a directory; a file lock ensures it.
// RUN: not flock %t.dir %{func} --cse --instrument='checkpoint{dir=%t.dir}' 2>&1 | FileCheck %s --check-prefix=LOCKED
// RUN: not flock %t.dir %{func} --cse --resume-from=%t.dir --instrument='checkpoint{dir=%t.dir}' 2>&1 | FileCheck %s --check-prefix=LOCKED
// LOCKED: error: {{.*}}expected to be the only run that writes checkpoints to '{{.*}}', but another run writes there; wait for its end, or name another directory
// RUN: not %{func} --cse --instrument='checkpoint{dir=%t.dir}' --instrument='checkpoint{dir=%t.dir}' 2>&1 | FileCheck %s --check-prefix=LOCKED
// RUN: %{func} --cse --resume-from=%t.dir | diff - %t.plain

// Old checkpoints, of the same run or of another, stay until a new one replaces
// them.
// DEFINE: %{save} = partita-test-opt -O2 --pass-pipeline='builtin.module(test-a,test-b)' --instrument='checkpoint{dir=%t.kept keep=0}'
// RUN: rm -rf %t.kept && %{save} %S/Inputs/func.mlir -o %t.plain2
// RUN: not %{func} --test-fail --instrument='checkpoint{dir=%t.kept}'
// RUN: %{func} --pass-pipeline='builtin.module(test-a,test-b)' --resume-from=%t.kept --instrument='test-trace{name=T}' 2>&1 -o %t.resumed | FileCheck %s --check-prefix=LEFT --implicit-check-not={{.}}
// RUN: diff %t.plain2 %t.resumed
// RUN: %{func} --pass-pipeline='builtin.module(test-a,test-b)' --instrument='checkpoint{dir=%t.kept}' --instrument='bisect{limit=1 print=false}'
// RUN: ls -A %t.kept | FileCheck %s --check-prefix=FIRST --implicit-check-not={{.}}
//      FIRST: checkpoint-00001.mlirbc
// FIRST-NEXT: checkpoint-00001.mlirbc.sha1
// FIRST-NEXT: checkpoint.json
// RUN: echo 'func.func private @other()' | %{save} && echo 'func.func private @other()' | partita-test-opt -O2 --pass-pipeline='builtin.module(test-a,test-b)' --resume-from=%t.kept

// RUN: not %{func} --cse --resume-from=%t.dir --instrument='checkpoint{dir=%t.dir/none}' 2>&1 | FileCheck %s --check-prefix=OTHER
// OTHER: error: {{.*}}expected dir to be the directory that the run resumes from, but found '{{.*}}/none', which has no checkpoint of pass 1
// With --verify-diagnostics all steps run: those left out would emit nothing.
// RUN: echo '// expected-error@+1 {{was here}}' > %t.expect.mlir && echo 'func.func private @f()' >> %t.expect.mlir
// DEFINE: %{expect} = partita-test-opt %t.expect.mlir --pass-pipeline='builtin.module(test-a,func.func(test-fail))'
// RUN: rm -rf %t.failed && not %{expect} --instrument='checkpoint{dir=%t.failed}' && ls %t.failed/checkpoint-00001.mlirbc
// RUN: %{expect} --resume-from=%t.failed --verify-diagnostics
// RUN: not %{func} --cse --resume-from=%t.dir --split-input-file 2>&1 | FileCheck %s --check-prefix=SPLIT
// SPLIT: error: expected one module to resume, but found --split-input-file or --run-reproducer
// RUN: echo 'func.func' | not partita-test-opt --cse -O2 --resume-from=%t.dir 2>&1 | FileCheck %s --check-prefix=PARSE
// PARSE: error: custom op 'func.func' expected valid '@'-identifier for symbol name
// PARSE: error: expected an input that can be parsed, to compare it with the input of the checkpoints in
// RUN: echo '[]' > %t.dir/checkpoint.json && not %{func} --cse --resume-from=%t.dir 2>&1 | FileCheck %s --check-prefix=DESCRIBE
// DESCRIBE: error: expected '{{.*}}checkpoint.json' to describe a run, but found no passes, pipeline, context or input
// RUN: echo '{' > %t.dir/checkpoint.json && not %{func} --cse --resume-from=%t.dir 2>&1 | FileCheck %s --check-prefix=JSON
// JSON: error: expected '{{.*}}checkpoint.json' to describe a run, but: {{.+}}
// RUN: rm %t.dir/checkpoint.json && not %{func} --cse --resume-from=%t.dir 2>&1 | FileCheck %s --check-prefix=GONE
// GONE: error: expected to read '{{.*}}checkpoint.json', but: No such file or directory
// RUN: not %{func} --cse --resume-from=%s 2>&1 | FileCheck %s --check-prefix=DIR
// DIR: error: {{.*}}expected to list the directory '{{.*}}', but: Not a directory
// RUN: not %{func} --cse --instrument='checkpoint{dir=%s}' --instrument=print-passes 2>&1 | FileCheck %s --check-prefix=DIR --implicit-check-not='pass 1'
// RUN: not %{func} --cse --instrument=checkpoint 2>&1 | FileCheck %s --check-prefix=EMPTY
// EMPTY: error: instrument 'checkpoint' failed to enter the pass context: expected dir to be a directory to write to, but it is empty
// RUN: not %{func} --cse --instrument='checkpoint{dir=%s/none}' 2>&1 | FileCheck %s --check-prefix=MAKE
// MAKE: expected to make the directory '{{.*}}', but: {{.+}}
