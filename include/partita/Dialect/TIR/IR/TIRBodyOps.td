//===- TIRBodyOps.td - Ops in the bodies of prim_funcs -----*- tablegen -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ops for the parts of TVM's bodies that upstream dialects lack. A variable of
// TVM is a value, and its name is the value's location. The name of a loop's
// variable is the loop's location.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_DIALECT_TIR_IR_TIRBODYOPS
#define PARTITA_DIALECT_TIR_IR_TIRBODYOPS

include "mlir/IR/CommonAttrConstraints.td"
include "partita/Support/NameHintOpInterface.td"

def TIR_Declarations : Resource<"::partita::tir::DeclarationResource">;

// The type of loop variables and of block iterators.
def TIR_Int : AnyTypeOf<[AnyInteger, Index], "an integer">;

// An op that only declares something.
def TIR_Declares : MemoryEffects<[MemWrite<TIR_Declarations>]>;

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

def TIR_VarOp : TIR_Op<"var"> {
  let summary = "A variable that nothing in the function sets";
  let description = [{
    If buffers have the variable as a size, a stride or an offset, the caller's
    buffers determine it. Otherwise its value is unknown.

    ```mlir
    %n = tir.var : i64
    tir.buffer %a shape(%n : i64) : memref<?xf32>
    ```
  }];
  let results = (outs
    Res<AnyType, "the variable", [MemAlloc<TIR_Declarations>]>:$result
  );
  let assemblyFormat = "attr-dict `:` type($result)";
}

def TIR_BindOp : TIR_Op<"bind", [Pure, AllTypesMatch<["value", "result"]>]> {
  let summary = "Gives a value a name (TVM's Bind)";
  let arguments = (ins AnyType:$value);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$value attr-dict `:` type($value)";
}

def TIR_LetOp : TIR_Op<"let", [
    RecursiveMemoryEffects, SingleBlockImplicitTerminator<"YieldOp">
  ]> {
  let summary = "Gives a value a name in one expression (TVM's Let)";
  let description = [{
    ```mlir
    %0 = tir.let %x : i32 to i32 {
    ^bb0(%y: i32):
      %1 = arith.muli %y, %y : i32
      tir.yield %1 : i32
    }
    ```

    It is an error when the region does not yield one value of the result's type.
  }];
  let arguments = (ins AnyType:$value);
  let results = (outs AnyType:$result);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $value `:` type($value) `to` type($result) $body attr-dict
  }];
  let hasVerifier = 1;
}

def TIR_YieldOp : TIR_Op<"yield", [Pure, Terminator]> {
  let summary = "Ends a region of an op of this dialect";
  let arguments = (ins Variadic<AnyType>:$results);
  let builders = [OpBuilder<(ins), [{ /* It has no operands. */ }]>];
  let assemblyFormat = "attr-dict ($results^ `:` type($results))?";
}

// An expression of TVM's. It counts where it is used, if it has no effects.
def TIR_IsValue : NativeOpTrait<"IsValue"> {
  let cppNamespace = "::partita";
}

def TIR_ConstantOp : TIR_Op<"constant", [Pure, TIR_IsValue]> {
  let summary = "A number that arith.constant can't hold";
  let description = [{
    An unsigned integer, or a float with more precision than its type has, which
    is rounded to the type.

    ```mlir
    %0 = tir.constant 7 : ui32 -> ui32
    %1 = tir.constant 0.1 : f64 -> f16
    ```

    It is an error when the value is neither an integer of the result's type nor
    an f64 for a float.
  }];
  let arguments = (ins TypedAttrInterface:$value);
  let results = (outs AnyType:$result);
  let assemblyFormat = "attr-dict $value `->` type($result)";
  let hasVerifier = 1;
}

def TIR_StringOp : TIR_Op<"string", [Pure, TIR_IsValue]> {
  let summary = "A string, as an operand of a call";
  let arguments = (ins StrAttr:$value);
  let results = (outs TIR_StringType:$result);
  let assemblyFormat = "attr-dict $value";
}

def TIR_PrimOp : TIR_Op<"prim", [Pure, TIR_IsValue]> {
  let summary = "TVM arithmetic that arith lacks";
  let description = [{
    `kind` is the name of TVM's node. Examples are arithmetic on unsigned
    integers and on vectors for which upstream has no op, FloorMod, Max and Min
    of floats, casts that arith lacks, Ramp and Broadcast.

    ```mlir
    %0 = tir.prim "FloorMod"(%a, %b) : (i32, i32) -> i32
    ```

    It is an error when TVM has no node with that name and this number of
    operands.
  }];
  let arguments = (ins StrAttr:$kind, Variadic<AnyType>:$args);
  let results = (outs AnyType:$result);
  let assemblyFormat = [{
    $kind `(` $args `)` attr-dict `:` functional-type($args, $result)
  }];
  let hasVerifier = 1;
}

def TIR_ShuffleOp
    : TIR_Op<"shuffle", [Pure, TIR_IsValue, AttrSizedOperandSegments]> {
  let summary = "Picks elements of concatenated vectors (TVM's Shuffle)";
  let description = [{
    ```mlir
    %0 = tir.shuffle %a, %b : vector<4xf32>, vector<4xf32> at %i : i32 -> f32
    ```
  }];
  let arguments = (ins
    Variadic<AnyType>:$vectors, Variadic<TIR_Int>:$indices
  );
  let results = (outs AnyType:$result);
  let assemblyFormat = [{
    $vectors `:` type($vectors) `at` $indices `:` type($indices) attr-dict `->`
    type($result)
  }];
}

def TIR_CallIntrinOp : TIR_Op<"call_intrin", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>, TIR_IsValue
  ]> {
  let summary = "A call of an intrinsic or of a packed function, by its op";
  let description = [{
    It may have any effect unless it is pure. Without a result it is a
    statement.

    ```mlir
    %0 = tir.call_intrin pure "tirx.sigmoid"(%x) : (f32) -> f32
    tir.call_intrin "tirx.tvm_storage_sync"(%scope) : (!tir.string) -> ()
    ```
  }];
  let arguments = (ins
    UnitAttr:$is_pure, StrAttr:$intrinsic, Variadic<AnyType>:$args,
    OptionalAttr<TIR_NodeAttr>:$node_attrs
  );
  let results = (outs Optional<AnyType>:$result);
  let assemblyFormat = [{
    (`pure` $is_pure^)? $intrinsic `(` $args `)` attr-dict
    `:` functional-type($args, $result)
  }];
}

def TIR_CallOp : TIR_Op<"call", [
    DeclareOpInterfaceMethods<SymbolUserOpInterface>
  ]> {
  let summary = "A call of a function of the module";
  let description = [{
    It may have any effect.

    It is an error when the module has no function of this name.
  }];
  let arguments = (ins FlatSymbolRefAttr:$callee, Variadic<AnyType>:$args);
  let results = (outs Optional<AnyType>:$result);
  let assemblyFormat = [{
    $callee `(` $args `)` attr-dict `:` functional-type($args, $result)
  }];
}

def TIR_LoadOp : TIR_Op<"load"> {
  let summary = "A load with indices that memref.load does not accept";
  let description = [{
    Indices are integers or, to load several elements, a vector of integers.

    ```mlir
    %0 = tir.load %a[%i, %ramp] : memref<4x4xf32>, i32, vector<4xi32> -> vector<4xf32>
    ```

    It is an error when the number of indices differs from the buffer's rank.
  }];
  let arguments = (ins
    Arg<AnyMemRef, "the buffer", [MemRead]>:$buffer, Variadic<AnyType>:$indices
  );
  let results = (outs AnyType:$result);
  let assemblyFormat = [{
    $buffer `[` $indices `]` attr-dict `:` type($buffer)
    (`,` type($indices)^)? `->` type($result)
  }];
  let hasVerifier = 1;
}

def TIR_StoreOp : TIR_Op<"store"> {
  let summary = "A store with indices that memref.store does not accept";
  let description = [{
    The counterpart of `tir.load`.

    It is an error when the number of indices differs from the buffer's rank.
  }];
  let arguments = (ins
    AnyType:$value, Arg<AnyMemRef, "the buffer", [MemWrite]>:$buffer,
    Variadic<AnyType>:$indices
  );
  let assemblyFormat = [{
    $value `,` $buffer `[` $indices `]` attr-dict
    `:` type($value) `,` type($buffer) (`,` type($indices)^)?
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

def TIR_EvaluateOp : TIR_Op<"evaluate"> {
  let summary = "Evaluates a value and drops it";
  let arguments = (ins AnyType:$value);
  let assemblyFormat = "$value attr-dict `:` type($value)";
}

def TIR_RetOp : TIR_Op<"ret"> {
  let summary = "Leaves the function with a value (TVM's Return)";
  let description = [{
    Statements after it do not run. It can be anywhere, unlike `tir.return`,
    which ends the body.
  }];
  let arguments = (ins AnyType:$value);
  let assemblyFormat = "$value attr-dict `:` type($value)";
}

def TIR_BreakOp : TIR_Op<"break"> {
  let summary = "Leaves the innermost loop (TVM's Break)";
  let description = [{
    The loop is a `tir.for` or an `scf.while`: upstream assumes that the body of
    an `scf.for` runs to its end.
  }];
  let assemblyFormat = "attr-dict";
}

def TIR_ContinueOp : TIR_Op<"continue"> {
  let summary = "Goes on with the next iteration (TVM's Continue)";
  let description = [{ As `tir.break`, not in an `scf.for`. }];
  let assemblyFormat = "attr-dict";
}

def TIR_ScopeIdOp : TIR_Op<"scope_id", [AttrSizedOperandSegments]> {
  let summary = "Introduces the coordinates of a thread (TVM's ScopeIdDef)";
  let description = [{
    `scope` is TVM's number for a pair of scopes, such as the CTAs in a cluster.
    Without extents, the launch determines them.

    ```mlir
    %0:2 = tir.scope_id 1 ["cbx", "cby"] extents(%c2, %c3 : i32, i32) : i32, i32
    ```

    It is an error unless each coordinate has a name. If there are extents or
    preferred extents, each coordinate must have one.
  }];
  let arguments = (ins
    I64Attr:$scope, StrArrayAttr:$names, Variadic<TIR_Int>:$extents,
    Variadic<TIR_Int>:$preferred
  );
  let results = (outs Variadic<TIR_Int>:$ids);
  let assemblyFormat = [{
    $scope $names (`extents` `(` $extents^ `:` type($extents) `)`)?
    (`preferred` `(` $preferred^ `:` type($preferred) `)`)? attr-dict `:`
    type($ids)
  }];
  let hasVerifier = 1;
}

def TIR_AssertOp : TIR_Op<"assert"> {
  let summary = "Fails with an error unless a condition holds";
  let description = [{
    ```mlir
    tir.assert %ok "TypeError" ["expected ", "2", " arguments"]
    ```
  }];
  let arguments = (ins I1:$condition, StrAttr:$kind, StrArrayAttr:$message);
  let assemblyFormat = "$condition $kind $message attr-dict";
}

def TIR_ForOp : TIR_Op<"for", [
    RecursiveMemoryEffects, SingleBlockImplicitTerminator<"YieldOp">
  ]> {
  let summary = "A loop that scf.for can't express";
  let description = [{
    `kind` is serial, parallel, vectorized, unrolled or thread_binding. In a
    thread_binding loop, each thread of the axis `thread` runs one iteration;
    `thread_name` and `thread_type` are the name and the type of TVM's axis
    variable.

    ```mlir
    tir.for "thread_binding" %c0, %c128 : i32, i32 {
    ^bb0(%i: i32):
      %0 = arith.index_cast %i : i32 to index
      memref.store %x, %a[%0] : memref<128xf32>
    } {thread = "threadIdx.x"}
    ```

    It is an error when the kind is unknown, or when the region does not take
    one integer.
  }];
  let arguments = (ins
    StrAttr:$kind, TIR_Int:$min, TIR_Int:$extent,
    Optional<TIR_Int>:$step, OptionalAttr<StrAttr>:$thread,
    OptionalAttr<StrAttr>:$thread_name, OptionalAttr<TypeAttr>:$thread_type,
    OptionalAttr<DictionaryAttr>:$annotations
  );
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $kind $min `,` $extent `:` type($min) `,` type($extent)
    (`step` $step^ `:` type($step))? $body attr-dict
  }];
  let hasVerifier = 1;
}

def TIR_AttrOp : TIR_Op<"attr", [
    AttrSizedOperandSegments, RecursiveMemoryEffects,
    SingleBlockImplicitTerminator<"YieldOp">
  ]> {
  let summary = "Annotates an object in a part of the body (AttrStmt)";
  let description = [{
    The object is one of these:

    - a value (`of`);
    - a constant (`node`);
    - a thread variable that this op introduces as the region's argument:
      `thread` is its axis, and `domain` its domain in TVM;
    - a value in the region, which `tir.attr_node` names.

    ```mlir
    tir.attr "thread_extent" = %c128 : i32 domain(%c0, %c128 : i32, i32) {
    ^bb0(%tx: i32):
      memref.store %x, %a[%i] : memref<128xf32>
    } {thread = "threadIdx.x", iter_type = 1 : i64}
    ```

    It is an error when it has several of these objects, or when a domain is not
    a minimum and an extent.
  }];
  let arguments = (ins
    StrAttr:$key, AnyType:$value, Optional<AnyType>:$of,
    OptionalAttr<AnyAttr>:$node, Variadic<AnyType>:$domain,
    OptionalAttr<StrAttr>:$thread, OptionalAttr<I64Attr>:$iter_type
  );
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $key (`of` $of^ `:` type($of))? `=` $value `:` type($value)
    (`domain` `(` $domain^ `:` type($domain) `)`)? $body attr-dict
  }];
  let hasVerifier = 1;
}

def TIR_AttrNodeOp : TIR_Op<"attr_node", [TIR_Declares]> {
  let summary = "The value that an enclosing tir.attr annotates";
  let description = [{
    The `tir.attr` is the innermost one without an object or, with `outer`, as
    many such ops further out.

    It is an error when there is none.
  }];
  let arguments = (ins AnyType:$value, DefaultValuedAttr<I64Attr, "0">:$outer);
  let assemblyFormat = "$value attr-dict `:` type($value)";
  let extraClassDeclaration = [{
    /// The op that has this value as its object; null if there is none.
    AttrOp getAttr();
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

// Layouts with variables or replicas are TVM's objects.
def TIR_LayoutAttr : AnyAttrOf<[TIR_TileLayoutAttr, TIR_NodeAttr]>;

// An op that describes a buffer beyond its memref type: sizes, strides and an
// offset that are expressions, with their types.
class TIR_BufferOp<string mnemonic, dag more, dag outs, list<Trait> traits>
    : TIR_Op<mnemonic, !listconcat([AttrSizedOperandSegments], traits)> {
  let arguments = !con(more, (ins
    Variadic<AnyType>:$shape, Variadic<AnyType>:$strides,
    Optional<AnyType>:$elem_offset, Variadic<AnyType>:$allocated_addr,
    OptionalAttr<TypeAttr>:$index_type,
    DefaultValuedAttr<I64Attr, "64">:$data_alignment,
    DefaultValuedAttr<I64Attr, "1">:$offset_factor,
    OptionalAttr<TIR_LayoutAttr>:$layout
  ));
  let results = outs;
  string properties = [{
    (`shape` `(` $shape^ `:` type($shape) `)`)?
    (`strides` `(` $strides^ `:` type($strides) `)`)?
    (`offset` `(` $elem_offset^ `:` type($elem_offset) `)`)?
    (`at` `(` $allocated_addr^ `:` type($allocated_addr) `)`)? attr-dict
  }];
  let hasVerifier = 1;
}

def TIR_BufferDeclOp : TIR_BufferOp<"buffer",
    (ins AnyMemRef:$buffer), (outs), [TIR_Declares]> {
  let summary = "Describes a buffer parameter";
  let description = [{
    Without `shape`, the memref type gives the sizes. Without `offset`, the
    offset is 0. Both then have the type `index_type`, or i32 without it.

    ```mlir
    tir.buffer %a shape(%n, %c4 : i64, i64) {index_type = i64} : memref<?x4xf32>
    ```

    It is an error when the number of sizes or strides differs from the type's
    rank.
  }];
  let assemblyFormat = "$buffer" # properties # "`:` type($buffer)";
}

def TIR_AllocBufferOp : TIR_BufferOp<"alloc_buffer",
    (ins OptionalAttr<DictionaryAttr>:$annotations),
    (outs Res<AnyMemRef, "the buffer", [MemAlloc]>:$result), []> {
  let summary = "Allocates a buffer in the scope that its type names";
  let description = [{
    The properties have the same meaning as in `tir.buffer`.
  }];
  let assemblyFormat = properties # "`:` type($result)";
}

def TIR_DeclBufferOp : TIR_BufferOp<"decl_buffer",
    (ins AnyType:$data), (outs AnyMemRef:$result), [Pure]> {
  let summary = "A buffer at an address";
  let description = [{
    The properties have the same meaning as in `tir.buffer`.
  }];
  let assemblyFormat = "$data" # properties # "`:` type($data) `to` type($result)";
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

def TIR_BlockOp : TIR_Op<"block", [
    AttrSizedOperandSegments, Partita_NameHintOpInterface,
    RecursiveMemoryEffects, SingleBlockImplicitTerminator<"YieldOp">
  ]> {
  let summary = "A unit of scheduling (TVM's SBlockRealize)";
  let description = [{
    Runs the region with `bindings` as the values of its iterators, if the
    predicate holds. Each iterator has a kind (spatial, thread, reduce, scan,
    opaque, unroll, vectorize, parallel, tensorize) and a domain. In the region:

    - `tir.reads` and `tir.writes` declare the parts of buffers that the block
      accesses;
    - `tir.init` runs before the first step of a reduction;
    - `tir.block_buffer` is a buffer that the block allocates;
    - `tir.match_buffer` is a part of a buffer under another name.

    ```mlir
    tir.block "sum" ["spatial", "reduce"](%i, %j : i32, i32)
        from(%c0, %c0 : i32, i32) extent(%c8, %c4 : i32, i32) where %true {
    ^bb0(%vi: i32, %vj: i32):
      %0 = arith.index_cast %vi : i32 to index
      %1 = arith.index_cast %vj : i32 to index
      tir.reads %a[%vi, %vj : i32, i32] [%c1, %c1 : i32, i32] : memref<8x4xf32>
      tir.init {
        memref.store %zero, %b[%0] : memref<8xf32>
      }
      %2 = memref.load %a[%0, %1] : memref<8x4xf32>
      %3 = memref.load %b[%0] : memref<8xf32>
      %4 = arith.addf %3, %2 : f32
      memref.store %4, %b[%0] : memref<8xf32>
    }
    ```

    It is an error when the numbers of iterators, kinds, bindings and domains
    differ, or when an iterator is no integer.
  }];
  let arguments = (ins
    StrAttr:$block_name, StrArrayAttr:$kinds, Variadic<TIR_Int>:$bindings,
    Variadic<TIR_Int>:$mins, Variadic<TIR_Int>:$extents, I1:$predicate,
    OptionalAttr<DictionaryAttr>:$annotations
  );
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $block_name $kinds (`(` $bindings^ `:` type($bindings) `)`)?
    (`from` `(` $mins^ `:` type($mins) `)`)?
    (`extent` `(` $extents^ `:` type($extents) `)`)? `where` $predicate $body
    attr-dict
  }];
  let extraClassDeclaration = [{
    /// The names of iterator kinds, indexed by TVM's numbers.
    static ::llvm::ArrayRef<::llvm::StringRef> getIteratorKinds();

    ::mlir::StringAttr getNameHintAttrName() { return getBlockNameAttrName(); }
  }];
  let hasVerifier = 1;
}

def TIR_InitOp : TIR_Op<"init", [
    HasParent<"BlockOp">, RecursiveMemoryEffects,
    SingleBlockImplicitTerminator<"YieldOp">
  ]> {
  let summary = "Runs before the first step of a block's reduction";
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$body attr-dict";
}

class TIR_AccessOp<string mnemonic>
    : TIR_Op<mnemonic, [
        AttrSizedOperandSegments, HasParent<"BlockOp">, TIR_Declares
      ]> {
  let description = [{
    Each dimension has a range, given by its minimum and its extent.
    `annotations` are the keys of annotations of the block that are lists of
    buffers with this one, such as TVM's "layout_free_placeholders".

    It is an error when the number of ranges differs from the buffer's rank.
  }];
  let arguments = (ins
    AnyMemRef:$buffer, Variadic<AnyType>:$mins, Variadic<AnyType>:$extents,
    OptionalAttr<StrArrayAttr>:$annotations
  );
  let builders = [
    OpBuilder<(ins "::mlir::Value":$buffer, "::mlir::ValueRange":$mins,
                   "::mlir::ValueRange":$extents), [{
      build($_builder, $_state, buffer, mins, extents,
            /*annotations=*/::mlir::ArrayAttr());
    }]>
  ];
  let assemblyFormat = [{
    $buffer (`[` $mins^ `:` type($mins) `]`)?
    (`[` $extents^ `:` type($extents) `]`)? attr-dict `:` type($buffer)
  }];
  let hasVerifier = 1;
}

def TIR_ReadsOp : TIR_AccessOp<"reads"> {
  let summary = "A part of a buffer that a block reads";
}

def TIR_WritesOp : TIR_AccessOp<"writes"> {
  let summary = "A part of a buffer that a block writes";
}

def TIR_BlockBufferOp : TIR_BufferOp<"block_buffer",
    (ins), (outs Res<AnyMemRef, "the buffer", [MemAlloc]>:$result),
    [HasParent<"BlockOp">]> {
  let summary = "A buffer that a block allocates";
  let description = [{
    The properties have the same meaning as in `tir.buffer`.
  }];
  let assemblyFormat = properties # "`:` type($result)";
}

def TIR_MatchBufferOp : TIR_BufferOp<"match_buffer",
    (ins AnyMemRef:$source, Variadic<AnyType>:$mins, Variadic<AnyType>:$extents),
    (outs Res<AnyMemRef, "the part", [MemAlloc<TIR_Declarations>]>:$result),
    [HasParent<"BlockOp">]> {
  let summary = "A part of a buffer as a buffer of its own";
  let description = [{
    The properties have the same meaning as in `tir.buffer`, and the ranges the
    same as in `tir.reads`.
  }];
  let assemblyFormat = [{
    $source (`[` $mins^ `:` type($mins) `]`)?
    (`[` $extents^ `:` type($extents) `]`)?
  }] # properties # "`:` type($source) `to` type($result)";
}

#endif // PARTITA_DIALECT_TIR_IR_TIRBODYOPS
