// RUN: not partita-opt %s --relax-fuse-ops-by-pattern='patterns="c.p relax.add(*, *)"' 2>&1 | FileCheck %s --check-prefix=COLON
// COLON: expected the name of a pattern, and ':', but the patterns 'c.p relax.add(*, *)' end there
// RUN: not partita-opt %s --relax-fuse-ops-by-pattern='patterns="c.p: relax.add(*, *"' 2>&1 | FileCheck %s --check-prefix=CLOSE
// CLOSE: expected ')' in a pattern, but the patterns 'c.p: relax.add(*, *' end there
// RUN: not partita-opt %s --relax-fuse-ops-by-pattern='patterns="c.p: foo"' 2>&1 | FileCheck %s --check-prefix=WORD
// WORD: expected a pattern, but found 'foo'
// RUN: not partita-opt %s --relax-fuse-ops-by-pattern='patterns="c.p: relax.add($a, *)"' 2>&1 | FileCheck %s --check-prefix=LABEL
// LABEL: expected '$a' in a pattern to be given before, as in '$a = *'
// RUN: not partita-opt %s --relax-fuse-ops-by-pattern='patterns="c.p: relax.add($a = *, $a = const)"' 2>&1 | FileCheck %s --check-prefix=TWICE
// TWICE: expected one pattern for '$a', but found another one
// RUN: not partita-opt %s --relax-fuse-ops-by-pattern='patterns="c.p: *[x]"' 2>&1 | FileCheck %s --check-prefix=INDEX
// INDEX: expected the number of a field, or '?', in a pattern, but found 'x]'
// RUN: not partita-opt %s --relax-fuse-ops-by-pattern='patterns="c.p: *.shape(!)"' 2>&1 | FileCheck %s --check-prefix=SIZE
// SIZE: expected sizes in a pattern, but found '!'
// RUN: not partita-opt %s --relax-fuse-ops-by-pattern='patterns="c.p: *.dtype<what>"' 2>&1 | FileCheck %s --check-prefix=TYPE
// TYPE: expected a type in a pattern, but found 'what'
// RUN: not partita-opt %s --relax-fuse-ops-by-pattern='patterns="c.p: *.attrs{=}"' 2>&1 | FileCheck %s --check-prefix=ATTRS
// ATTRS: expected attributes in a pattern, but found '='
// RUN: not partita-opt %s --relax-fuse-ops-by-pattern='patterns="c.p: number<what>"' 2>&1 | FileCheck %s --check-prefix=NUMBER
// NUMBER: expected a number in a pattern, but found 'what'
// RUN: not partita-opt %s --relax-fuse-ops-by-pattern='patterns="c.p: *.what"' 2>&1 | FileCheck %s --check-prefix=SUFFIX
// SUFFIX: expected .dtype, .shape, .type or .attrs in a pattern, but found '.what'
// RUN: not partita-opt %s --relax-fuse-ops-by-pattern='patterns="c.p: * *"' 2>&1 | FileCheck %s --check-prefix=REST
// REST: expected ';' between patterns, but found '*'
// RUN: not partita-opt %s --relax-fuse-ops-by-pattern='patterns="c.p: unordered(*, *, *, *, *, *, *, *, *)"' 2>&1 | FileCheck %s --check-prefix=FIELDS
// FIELDS: expected at most 8 fields of an unordered tuple, but found 9
// RUN: not partita-opt %s --relax-fuse-ops-by-pattern='patterns="p: *" annotate-codegen' 2>&1 | FileCheck %s --check-prefix=DOT
// DOT: expected the name of a compiler, a dot and a name as the name of a pattern, but found 'p'
// RUN: not partita-opt %s --relax-fuse-ops-by-pattern='entry-functions=there' 2>&1 | FileCheck %s --check-prefix=ENTRY
// ENTRY: expected entry-functions to name a relax.func, but found 'there'
// RUN: not partita-opt %s --relax-fuse-ops-by-pattern='candidates=all' 2>&1 | FileCheck %s --check-prefix=CANDIDATES
// CANDIDATES: expected 'candidates' to be 'mark' or 'marked', but found 'all'
// A pattern that is too large to match:
// RUN: %python %S/Inputs/large_patterns.py %s 2>&1 | FileCheck %s --check-prefix=LARGE
// LARGE-COUNT-5: expected at most 1000 parts of a pattern, but found more

// Groups that need each other can't both be functions.
// RUN: not partita-opt %s --relax-fuse-ops-by-pattern='patterns="c.p: relax.add(relax.exp(*), *)"' 2>&1 | FileCheck %s --check-prefix=CYCLE
// CYCLE: error: expected groups of ops that can run one after the other, found two that need each other
partita.module @cycle {
  relax.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
    %y = relax.dataflow -> tensor<8xf32> {
      %0 = relax.exp %x : tensor<8xf32>
      %1 = relax.negative %0 : tensor<8xf32>
      %2 = relax.add %0, %1 : tensor<8xf32>
      relax.output %2 : tensor<8xf32>
    }
    relax.return %y : tensor<8xf32>
  }
}
