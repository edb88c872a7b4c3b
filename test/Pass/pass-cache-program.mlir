// --pass-cache: another build of a library that the program has loaded begins
// anew, also where the library was found by a relative path.

// UNSUPPORTED: sanitizer
// RUN: rm -rf %t && mkdir %t && cd %t && c++ -shared -x c /dev/null -o library.so
// DEFINE: %{run} = partita-opt --pass-cache=cache --pass-pipeline='builtin.module(func.func(cse))' -o /dev/null
// RUN: cd %t && env LD_PRELOAD=./library.so %{run} < %s
// RUN: cd %t && env LD_PRELOAD=./library.so %{run} < %s
// RUN: ls %t/cache/llvmcache-* | count 1
// RUN: touch -d 2001-02-03 %t/library.so
// RUN: cd %t && env LD_PRELOAD=./library.so %{run} < %s
// RUN: ls %t/cache/llvmcache-* | count 2

func.func @f() {
  return
}
