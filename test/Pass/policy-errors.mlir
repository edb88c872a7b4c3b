// Errors in a policy are reported before anything runs, with the nearest names.
// %t.mlir is never written, and the first pass never printed.

// DEFINE: %{opt} = partita-test-opt %s -o %t.mlir -O2 --instrument='test-trace{name=A}'
// DEFINE: %{check} = FileCheck %s --implicit-check-not='{{should|before|after}} {{Test|seq}}' --check-prefix

// RUN: rm -f %t.mlir
// RUN: not %{opt} --test-a --test-required-b 2>&1 | %{check} CYCLE
// CYCLE: error: expected no pass to require itself, but found 'TestRequiredB' -> 'TestRequiredC' -> 'TestRequiredA' -> 'TestRequiredB'
// RUN: not %{opt} --test-a --test-required-itself 2>&1 | %{check} ITSELF
// ITSELF: error: expected no pass to require itself, but found 'TestRequiredItself' -> 'TestRequiredItself'
// RUN: not %{opt} --test-a --test-required-unknown 2>&1 | %{check} UNKNOWN
// UNKNOWN: error: expected the passes that 'TestRequiredUnknown' requires to be registered, but found 'TestMidle' (did you mean 'TestMiddle' or 'test-middle'?)

// RUN: not %{opt} --test-a --pass-config=test.cuont=3 2>&1 | %{check} KEY
// KEY: error: expected a registered config key, but found 'test.cuont' (did you mean 'test.count'?); listPassConfigOptions (--list-pass-configs, or PassContext.list_configs() in Python) lists all
// RUN: not %{opt} --test-a --pass-config=nothing.like.it=3 2>&1 | %{check} FAR
// FAR: error: expected a registered config key, but found 'nothing.like.it'; listPassConfigOptions (--list-pass-configs, or PassContext.list_configs() in Python) lists all
// RUN: not %{opt} --test-a --pass-config=test.count=0.5 2>&1 | %{check} TYPE
// TYPE: error: expected config 'test.count' to have type int, but found float
// RUN: not %{opt} --test-a --pass-config='test.flag=1.0' 2>&1 | %{check} BOOL
// BOOL: error: expected config 'test.flag' to have type bool, but found float
// RUN: not %{opt} --test-a --pass-config='test.label=unit' 2>&1 | %{check} NONE
// NONE: error: expected config 'test.label' to have type string, but found none
// RUN: not %{opt} --test-a --pass-config='test.scale="2"' 2>&1 | %{check} FLOAT
// FLOAT: error: expected config 'test.scale' to have type float, but found string
// RUN: not %{opt} --test-a --pass-config='test.sizes=4' 2>&1 | %{check} NOLIST
// NOLIST: error: expected config 'test.sizes' to have type list<int>, but found int
// RUN: not %{opt} --test-a --pass-config='test.sizes=[1, "2"]' 2>&1 | %{check} LIST
// LIST: error: expected config 'test.sizes[1]' to have type int, but found string
// RUN: not %{opt} --test-a --pass-config='test.Unroll={max_stp = 4}' 2>&1 | %{check} FIELD
// FIELD: error: expected config 'test.Unroll' of type UnrollConfig to have the fields {max_step: int, explicit_unroll: bool}, but found 'max_stp' (did you mean 'max_step'?)
// RUN: not %{opt} --test-a --pass-config='test.Unroll={max_step = 1.5}' 2>&1 | %{check} FIELDTYPE
// FIELDTYPE: error: expected config 'test.Unroll.max_step' to have type int, but found float
// RUN: not %{opt} --test-a --pass-config='test.Unroll=4' 2>&1 | %{check} STRUCT
// STRUCT: error: expected config 'test.Unroll' to have type UnrollConfig, but found int

// RUN: not %{opt} --test-a -O-1 2>&1 | %{check} LEVEL
// LEVEL: error: expected opt_level to be 0 or more, but found -1
// RUN: not %{opt} --test-a --instrument=test-trce 2>&1 | %{check} INSTRUMENT
// INSTRUMENT: error: expected a registered instrument, but found 'test-trce' (did you mean 'test-trace'?)
// RUN: not %{opt} --test-a --instrument='test-trace{nme=B}' 2>&1 | %{check} OPTION
// OPTION: error: expected options that instrument 'test-trace' has, but found 'nme=B': <Pass-Options-Parser>: no such option nme (did you mean 'name'?)

// An invalid value of an option is reported, and nothing else is printed.
// RUN: not %{opt} --test-a --instrument='print-changed{elide=x}' 2>&1 | %{check} INTEGER --implicit-check-not=elide
// INTEGER: error: expected option 'elide' of instrument 'print-changed' to be an integer, but found 'x'
// RUN: not %{opt} --test-a --instrument='print-changed{context=-1}' 2>&1 | %{check} UNSIGNED
// UNSIGNED: error: expected option 'context' of instrument 'print-changed' to be an integer of 0 or more, but found '-1'
// RUN: not %{opt} --test-a --instrument='print-changed{color=red}' 2>&1 | %{check} ENUM
// ENUM: error: expected option 'color' of instrument 'print-changed' to be auto, always or never, but found 'red'
// RUN: not %{opt} --test-a --instrument='timing{json=true print=maybe}' 2>&1 | %{check} FIRSTWRONG
// FIRSTWRONG: error: expected options that instrument 'timing' has, but found 'json=true print=maybe': <Pass-Options-Parser>: no such option json; there are cpu, format, output, print, sort
// RUN: not %{opt} --test-a --instrument='timing{print=maybe}' 2>&1 | %{check} FLAG
// FLAG: error: expected option 'print' of instrument 'timing' to be true or false, but found 'maybe'
// RUN: not %{opt} --test-a --instrument='timing{print={}}' 2>&1 | %{check} EMPTY
// EMPTY: error: expected option 'print' of instrument 'timing' to be true or false, but found ''
// RUN: not %{opt} --test-a --instrument='timing{output}' 2>&1 | %{check} VALUE
// VALUE: error: expected a value for each option of instrument 'timing', but found 'output'

// RUN: not ls %t.mlir

// Names in required_pass and disabled_pass that fit no pass are warnings, once
// a run.
// RUN: partita-test-opt %s --cse --test-a --test-b --disabled-pass=canonicalise,test-a --required-pass=TestOnwer 2>&1 \
// RUN:   | FileCheck %s --check-prefix=WARN --implicit-check-not=warning:
// WARN: warning: expected the names in required_pass to be passes, but found 'TestOnwer' (did you mean 'TestOwner' or 'test-owner'?)
// WARN: warning: expected the names in disabled_pass to be passes, but found 'canonicalise' (did you mean 'canonicalize'?)
// WARN: test.ran = ["test-b"]

func.func @f() {
  return
}
