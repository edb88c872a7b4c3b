//===- partita-c/Runtime.h - C API of compiled modules ------------*- C -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// libPartitaRuntime compiles LLVM IR that a lowering has made, loads objects
// that it has compiled before, and calls their functions. It needs neither MLIR
// nor the rest of Partita.
//
// The IR has a C interface of MLIR for each function, `_mlir_ciface_NAME` or
// `_mlir_ciface_partita.NAME`, and a global string `partita_metadata`, which
// describes the functions in JSON. The named metadata `partita.large_constants`
// has pairs of a declaration and a string with the bytes of its elements, which
// LLVM would emit one by one.
// The code gets its memory from `_mlir_memref_to_llvm_alloc`,
// `_mlir_memref_to_llvm_aligned_alloc` and `_mlir_memref_to_llvm_free`, copies
// strided tensors with `memrefCopy`, and ends a call with an error by
// `partita_runtime_fail`. Declarations of `_mlir_ciface_partita_parallel_NAME`
// are loops for several threads, as the pass outline-parallel-loops makes them.
// Declarations whose names are in the `packed_funcs` of the metadata are packed
// functions of the caller.
//
// An executable may be called from several threads at once. While a call runs,
// its state belongs to its thread: code that the compiled code starts on other
// threads must neither allocate nor fail.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_C_RUNTIME_H
#define PARTITA_C_RUNTIME_H

#include <stddef.h>
#include <stdint.h>

#define PARTITA_RUNTIME_EXPORTED __attribute__((visibility("default")))

#ifdef __cplusplus
extern "C" {
#endif

typedef enum PartitaRuntimeStatus {
  PartitaRuntimeSuccess,
  /// The code could not be compiled or loaded, or it has failed.
  PartitaRuntimeFailure,
  /// An argument has another kind or dtype, or there are too few or too many.
  PartitaRuntimeTypeError,
  /// An argument has another shape or value.
  PartitaRuntimeValueError,
} PartitaRuntimeStatus;

/// The fields of DLPack's DLTensor, in its layout.
typedef struct PartitaRuntimeTensor {
  void *data;
  int32_t deviceType;
  int32_t deviceId;
  int32_t rank;
  /// DLPack's code for the elements, and their size.
  uint8_t code;
  uint8_t bits;
  uint16_t lanes;
  const int64_t *shape;
  /// In elements; null if the tensor is contiguous.
  const int64_t *strides;
  uint64_t byteOffset;
} PartitaRuntimeTensor;

typedef enum PartitaRuntimeKind {
  PartitaRuntimeTensorKind,
  PartitaRuntimeShapeKind,
  PartitaRuntimeTupleKind,
  PartitaRuntimeBoolKind,
  PartitaRuntimeIntKind,
  PartitaRuntimeUIntKind,
  PartitaRuntimeFloatKind,
  /// Something that only the parameters of objects take; a result is never one.
  PartitaRuntimeOtherKind,
  /// Only an argument of a packed function.
  PartitaRuntimeStringKind,
  /// TVM's R.Object, and functions that are values: `object` is all.
  PartitaRuntimeObjectKind,
} PartitaRuntimeKind;

/// An argument or a result. A tuple of integers can stand for a shape, and a
/// tensor of rank 0 for a scalar. An object gets the `object` of any argument.
typedef struct PartitaRuntimeValue {
  PartitaRuntimeKind kind;
  union {
    PartitaRuntimeTensor tensor;
    struct {
      intptr_t count;
      const int64_t *sizes;
    } shape;
    struct {
      intptr_t count;
      struct PartitaRuntimeValue *fields;
    } tuple;
    /// A Bool, too.
    int64_t integer;
    uint64_t natural;
    double real;
    /// What errors call it, with its article.
    const char *description;
    const char *string;
  } as;
  /// Of the tensor of a result: its memory, shape and strides. See
  /// partitaRuntimeTensorRelease.
  void *owner;
  /// Of a tensor among the arguments of a packed function: whether the function
  /// may write it.
  int isWritten;
  /// Of a tensor among the arguments of a call: whether its memory must not be
  /// written, or is a copy. A parameter that the function writes does not take
  /// it.
  int isReadOnly;
  /// What the compiled code hands on without looking at it, such as the state
  /// of packed functions; null is TVM's null_value. The caller keeps it alive
  /// while the call runs.
  void *object;
} PartitaRuntimeValue;

typedef struct PartitaRuntimeExecutable PartitaRuntimeExecutable;

/// Optimizes LLVM IR, bitcode or text, for this machine, and compiles it.
/// `optLevel` is from 0 to 3. After a failure, `error` is a text to free with
/// partitaRuntimeErrorFree.
PARTITA_RUNTIME_EXPORTED PartitaRuntimeStatus
partitaRuntimeCompile(const char *code, size_t size, int optLevel,
                      PartitaRuntimeExecutable **executable, char **error);
/// Loads an object that partitaRuntimeGetObject has given.
PARTITA_RUNTIME_EXPORTED PartitaRuntimeStatus
partitaRuntimeLoad(const char *object, size_t size,
                   PartitaRuntimeExecutable **executable, char **error);
/// No call may run. Results stay valid.
PARTITA_RUNTIME_EXPORTED void
partitaRuntimeDestroy(PartitaRuntimeExecutable *executable);
PARTITA_RUNTIME_EXPORTED void partitaRuntimeErrorFree(char *error);

/// The object file: native code, constants and metadata, with a checksum behind
/// them. It lives as long as the executable.
PARTITA_RUNTIME_EXPORTED const char *
partitaRuntimeGetObject(const PartitaRuntimeExecutable *executable,
                        size_t *size);
/// What the lowering has said about the functions, in JSON.
PARTITA_RUNTIME_EXPORTED const char *
partitaRuntimeGetMetadata(const PartitaRuntimeExecutable *executable);

PARTITA_RUNTIME_EXPORTED intptr_t
partitaRuntimeGetNumFunctions(const PartitaRuntimeExecutable *executable);
PARTITA_RUNTIME_EXPORTED const char *
partitaRuntimeGetFunctionName(const PartitaRuntimeExecutable *executable,
                              intptr_t index);
/// What the metadata say about a function, in JSON. `index` is less than the
/// number of functions.
PARTITA_RUNTIME_EXPORTED const char *
partitaRuntimeGetFunctionDescription(const PartitaRuntimeExecutable *executable,
                                     intptr_t index);

/// Calls a function. Its arguments are checked first. Those that the code
/// cannot read where they are, are copied. Tensors of the result own memory.
///
/// The executable keeps large blocks of memory for later calls: no more than
/// its calls and results had at one time, and at most 1 GiB.
PARTITA_RUNTIME_EXPORTED PartitaRuntimeStatus
partitaRuntimeCall(PartitaRuntimeExecutable *executable, const char *function,
                   intptr_t numArgs, const PartitaRuntimeValue *args,
                   PartitaRuntimeValue *result, char **error);

/// How many threads run the loops of compiled code that have enough work. The
/// thread that calls a function is one of them. At first this is the number of
/// processors that the process may use. A child process starts its own threads.
PARTITA_RUNTIME_EXPORTED int partitaRuntimeGetNumThreads(void);
PARTITA_RUNTIME_EXPORTED void partitaRuntimeSetNumThreads(int count);

/// Where a packed function puts its result.
typedef struct PartitaRuntimeReturn PartitaRuntimeReturn;

/// The functions of the caller that compiled code calls: TVM's packed
/// functions.
///
/// Code in which other values become objects calls these, too:
/// - `partita.box(x)` gives an object that is a copy of x.
/// - `partita.unbox(x)` gives what the object x is.
/// - `partita.shape_of(x)` gives the sizes of the object x, a tensor.
/// - `partita.reshape(x, shape)` gives the tensor x, perhaps an object, with a
///   shape.
/// - `partita.make_closure(f, ...)` gives a function as an object. The code
///   calls it as it calls other objects. It calls the function f of the
///   executable, with its own arguments and then these.
/// - `partita.inspect(what, x)` and `partita.inspect(what, x, axis)` give what
///   R.inspect asks of the object x, a tensor.
typedef struct PartitaRuntimePackedFuncs {
  void *context;
  /// Calls the function `name` on the thread of the call. It gives its result
  /// by partitaRuntimeReturn, unless the result is an empty tuple.
  /// `call_dps_packed` has tensors to be written behind its other arguments.
  /// The arguments are gone when it returns. It must not throw, nor jump out.
  /// `name` is null if the code calls a value: the object of the first argument
  /// is the function. An object is null if the function gives no result.
  ///
  /// After a failure, such as an unknown name, `error` is null or a text from
  /// malloc; the call of the compiled code fails with it.
  PartitaRuntimeStatus (*call)(void *context, const char *name,
                               intptr_t numArgs,
                               const PartitaRuntimeValue *args,
                               PartitaRuntimeReturn *result, char **error);
} PartitaRuntimePackedFuncs;

/// As partitaRuntimeCall. The code can call `packedFuncs`, which may be null.
PARTITA_RUNTIME_EXPORTED PartitaRuntimeStatus partitaRuntimeCallWithPackedFuncs(
    PartitaRuntimeExecutable *executable,
    const PartitaRuntimePackedFuncs *packedFuncs, const char *function,
    intptr_t numArgs, const PartitaRuntimeValue *args,
    PartitaRuntimeValue *result, char **error);

/// Whether the code keeps objects of the result: they live until its call ends.
PARTITA_RUNTIME_EXPORTED int
partitaRuntimeReturnKeepsObjects(const PartitaRuntimeReturn *to);

/// Checks and copies the result of a packed function, which still owns it.
PARTITA_RUNTIME_EXPORTED PartitaRuntimeStatus partitaRuntimeReturn(
    PartitaRuntimeReturn *to, const PartitaRuntimeValue *result, char **error);

/// Frees a result, with the tensors whose owner is not null.
PARTITA_RUNTIME_EXPORTED void
partitaRuntimeValueRelease(PartitaRuntimeValue *value);
/// Frees the owner of a tensor. Who keeps a tensor sets its owner to null in
/// the result, and calls this later.
PARTITA_RUNTIME_EXPORTED void partitaRuntimeTensorRelease(void *owner);

#ifdef __cplusplus
}
#endif

#endif // PARTITA_C_RUNTIME_H
