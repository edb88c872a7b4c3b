// RUN: partita-opt %s --split-input-file --verify-diagnostics

partita.module @m {
  // expected-error @below {{'builtin.unrealized_conversion_cast' op expected symbols with names in a 'partita.module', found an op without one}}
  %0 = builtin.unrealized_conversion_cast to i32
}

// -----

partita.module @m {
  // expected-error @below {{'builtin.module' op expected symbols with names in a 'partita.module', found an op without one}}
  builtin.module {
  }
}

// -----

partita.module @m {
  // expected-error @below {{'partita.module' op expected symbols with names in a 'partita.module', found an op without one}}
  partita.module {
  }
}

// -----

partita.module @m {
  // expected-note @below {{see existing symbol definition here}}
  relax.func private @f()
  // expected-error @below {{redefinition of symbol named 'f'}}
  tir.prim_func private @f()
}

// -----

%0 = builtin.unrealized_conversion_cast to i32
partita.module @m {
  // expected-note @below {{required by region isolation constraints}}
  relax.func @f() -> i32 {
    // expected-error @below {{'relax.return' op using value defined outside the region}}
    relax.return %0 : i32
  }
}

// -----

// expected-error @below {{'partita.module' op region #0 ('bodyRegion') failed to verify constraint: region with 1 blocks}}
"partita.module"() ({
}) : () -> ()

// -----

// expected-error @below {{'partita.module' op region should have no arguments}}
"partita.module"() ({
^bb0(%x: i32):
}) : () -> ()

// -----

// expected-error @below {{'partita.module' op requires one region}}
"partita.module"() : () -> ()

// -----

// expected-error @below {{attribute 'global_infos' failed to satisfy constraint: dictionary of named attribute values}}
partita.module @m attributes {global_infos = 1 : i64} {
}

// -----

// expected-error @below {{expected an opt_level of at least 0, found -1}}
partita.module @m attributes {info = #partita.pass_info<"A", opt_level = -1>} {
}

// -----

// expected-error @below {{expected a name of the pass, found none}}
partita.module @m attributes {info = #partita.pass_info<"">} {
}

// -----

// expected-error @below {{expected names in 'required', found an empty one at position 1}}
partita.module @m attributes {info = #partita.pass_info<"A", required = ["B", ""]>} {
}

// -----

// expected-error @below {{expected an opt_level of at least 0, found -3}}
partita.module @m attributes {context = #partita.pass_context<opt_level = -3>} {
}

// -----

// expected-error @below {{expected an opt_level of at most 2147483647, found 2147483648}}
partita.module @m attributes {context = #partita.pass_context<opt_level = 2147483648>} {
}

// -----

// expected-error @below {{expected names in 'required_pass', found an empty one at position 0}}
partita.module @m attributes {context = #partita.pass_context<required_pass = [""]>} {
}

// -----

// expected-error @below {{expected names in 'disabled_pass', found an empty one at position 1}}
partita.module @m attributes {context = #partita.pass_context<disabled_pass = ["A", ""]>} {
}

// -----

// expected-error @below {{expected names in 'instruments', found an empty one at position 0}}
partita.module @m attributes {context = #partita.pass_context<instruments = [""]>} {
}

// -----

// expected-error @below {{invalid kind of attribute specified}}
// expected-error @below {{failed to parse Partita_PassContextAttr parameter 'required_pass'}}
partita.module @m attributes {context = #partita.pass_context<required_pass = [1]>} {
}

// -----

// expected-error @below {{failed to parse Partita_PassContextAttr parameter 'config'}}
// expected-error @below {{invalid kind of attribute specified}}
partita.module @m attributes {context = #partita.pass_context<config = 1>} {
}

// -----

// expected-error @below {{duplicate or unknown struct parameter name: opt_levels}}
partita.module @m attributes {context = #partita.pass_context<opt_levels = 1>} {
}

// -----

// expected-error @below {{integer value too large}}
// expected-error @below {{failed to parse Partita_PassContextAttr parameter 'opt_level'}}
partita.module @m attributes {context = #partita.pass_context<opt_level = 99999999999999999999>} {
}

// -----

// expected-error @below {{unknown  type `nothing` in dialect `relax`}}
relax.func private @f(!relax.nothing)
