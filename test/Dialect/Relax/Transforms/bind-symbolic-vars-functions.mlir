// RUN: partita-opt %s '--relax-bind-symbolic-vars=binding-map=main_1:n=16' \
// RUN:   | FileCheck %s --check-prefixes=FIRST,SECOND-N
// RUN: partita-opt %s '--relax-bind-symbolic-vars=binding-map=main_1:n=16,main_2:n=m' \
// RUN:   | FileCheck %s --check-prefixes=FIRST,SECOND-M
// RUN: partita-opt %s '--relax-bind-symbolic-vars=binding-map=none:n=16' \
// RUN:   | FileCheck %s --check-prefixes=FIRST,SECOND
// RUN: not partita-opt %s \
// RUN:     '--relax-bind-symbolic-vars=binding-map=main_1:n=16 func-name=main_2' 2>&1 \
// RUN:   | FileCheck %s --check-prefix=OTHER
// RUN: not partita-opt %s '--relax-bind-symbolic-vars=binding-map=main_1:k=16' 2>&1 \
// RUN:   | FileCheck %s --check-prefix=NAME
// RUN: not partita-opt %s '--relax-bind-symbolic-vars=binding-map=n=1,main_1:n=2' 2>&1 \
// RUN:   | FileCheck %s --check-prefix=TWICE
// OTHER: error: expected dimension "n", which binding-map binds to 16, to be one of a parameter or a match_cast of @main_1, but found none of this name
// NAME: error: expected dimension "k", which binding-map binds to 16, to be one of a parameter or a match_cast of @main_1, but found none of this name
// TWICE: error: expected one size for dimension "n" of @main_1, but found two in binding-map

// A name can begin with a function's name. If there is no such function, it
// counts for every function.
partita.module {
  // FIRST-LABEL: relax.func @main_1(%x: tensor<16x4xf32>) -> tensor<16x4xf32>
  relax.func @main_1(%x: tensor<?x4xf32, #relax.shape<["n", 4]>>) -> tensor<?x4xf32, #relax.shape<["n", 4]>> {
    relax.return %x : tensor<?x4xf32, #relax.shape<["n", 4]>>
  }
  // SECOND-LABEL: relax.func @main_2(%x: tensor<16xf32>, %y: tensor<?xf32, #relax.shape<["m"]>>)
  // SECOND-N-LABEL: relax.func @main_2(%x: tensor<?xf32, #relax.shape<["n"]>>
  // SECOND-M-LABEL: relax.func @main_2(%x: tensor<?xf32, #relax.shape<["m"]>>
  relax.func @main_2(%x: tensor<?xf32, #relax.shape<["n"]>>, %y: tensor<?xf32, #relax.shape<["m"]>>) -> tensor<?xf32, #relax.shape<["n"]>> {
    relax.return %x : tensor<?xf32, #relax.shape<["n"]>>
  }
}
