// The plan: which passes run, in which order, and why. Nothing runs, and no
// input is read.

// RUN: partita-test-opt --explain -O1 --disabled-pass=cse,TestD,TestB --required-pass=test-c \
// RUN:   --pass-pipeline='builtin.module(test-a,func.func(cse,test-b),test-c,test-d,test-owner,sequential{passes=func.func(canonicalize,cse),any(test-d) name=Inner},sequential{passes=any(test-a) name=High opt-level=3})' \
// RUN:   | FileCheck %s --match-full-lines --strict-whitespace

//      CHECK:plan at opt_level 1:
// CHECK-NEXT:      sequential        runs: requested directly
// CHECK-NEXT:   1    TestA           runs: opt_level 0 <= 1
// CHECK-NEXT:   -    cse             skipped: named in disabled_pass
// CHECK-NEXT:   -    TestB           skipped: named in disabled_pass
// CHECK-NEXT:   2    TestC           runs: named in required_pass
// CHECK-NEXT:   -    TestD           skipped: named in disabled_pass
// CHECK-NEXT:   3    TestD           runs: required by 'TestMiddle', although named in disabled_pass
// CHECK-NEXT:   4    TestMiddle      runs: required by 'TestOwner'
// CHECK-NEXT:   5    TestA           runs: required by 'TestOwner', repeats step 1
// CHECK-NEXT:   6    TestD           runs: required by 'TestMiddle', although named in disabled_pass, repeats step 3
// CHECK-NEXT:   7    TestMiddle      runs: required by 'TestOwner', repeats step 4
// CHECK-NEXT:   8    TestOwner       runs: opt_level 1 <= 1
// CHECK-NEXT:        Inner           runs: opt_level 0 <= 1
// CHECK-NEXT:   9      canonicalize  runs: opt_level 0 <= 1
// CHECK-NEXT:   -      cse           skipped: named in disabled_pass
// CHECK-NEXT:   -      TestD         skipped: named in disabled_pass
// CHECK-NEXT:   -    High            skipped: opt_level 3 > 1
// CHECK-NEXT:pipeline: builtin.module(test-a,test-c,test-d,test-middle,test-a,test-d,test-middle,test-owner,func.func(canonicalize{{.*}}))

// Every name of a pass names it, and none of them is listed as unknown.
// RUN: partita-test-opt --explain -O2 --test-named --required-pass=TestNamed 2>&1 | FileCheck %s --check-prefix=NAMED
// RUN: partita-test-opt --explain -O2 --test-named --required-pass=test-named 2>&1 | FileCheck %s --check-prefix=NAMED
// RUN: partita-test-opt --explain -O2 --test-named --required-pass=relax.transform.TestNamed 2>&1 | FileCheck %s --check-prefix=NAMED
// RUN: partita-test-opt --explain -O2 --test-named --required-pass=relay._transform.TestNamed 2>&1 | FileCheck %s --check-prefix=NAMED
// NAMED-NOT: warning
// NAMED: 1    TestNamed   runs: named in required_pass
// RUN: partita-test-opt --explain -O3 --test-named --disabled-pass=TestNamed 2>&1 | FileCheck %s --check-prefix=DISABLED
// RUN: partita-test-opt --explain -O3 --test-named --disabled-pass=test-named 2>&1 | FileCheck %s --check-prefix=DISABLED
// RUN: partita-test-opt --explain -O3 --test-named --disabled-pass=relax.transform.TestNamed 2>&1 | FileCheck %s --check-prefix=DISABLED
// RUN: partita-test-opt --explain -O3 --test-named --disabled-pass=relay._transform.TestNamed 2>&1 | FileCheck %s --check-prefix=DISABLED
// DISABLED-NOT: warning
// DISABLED: -    TestNamed   skipped: named in disabled_pass

// Without a policy all named passes run.
// RUN: partita-test-opt --explain --pass-pipeline='builtin.module(test-c,test-d)' | FileCheck %s --check-prefix=DEFAULT
//      DEFAULT: plan at opt_level 2:
//      DEFAULT: 1    TestC       runs: requested directly
// DEFAULT-NEXT: 2    TestD       runs: requested directly
// DEFAULT-NEXT: pipeline: builtin.module(test-c,test-d)

// A required pass on any op runs where its owner does.
// RUN: partita-test-opt --explain -O1 --pass-pipeline='builtin.module(func.func(test-owner))' | FileCheck %s --check-prefix=PLACE
// PLACE: pipeline: builtin.module(func.func(test-d,test-middle,test-a,test-d,test-middle,test-owner))
