//===- TIRBodyOps.td - Ops in the bodies of prim_funcs -----*- tablegen -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What upstream lacks. A variable of TVM's is a value, whose name is its
// location (that of a loop's variable is the loop's).
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_DIALECT_TIR_IR_TIRBODYOPS
#define PARTITA_DIALECT_TIR_IR_TIRBODYOPS

include "mlir/IR/CommonAttrConstraints.td"

def TIR_Declarations : Resource<"::partita::tir::DeclarationResource">;

// The type of loops' variables and of blocks' iterators.
def TIR_Int : AnyTypeOf<[AnyInteger, Index], "an integer">;

// An op that only says something.
def TIR_Declares : MemoryEffects<[MemWrite<TIR_Declarations>]>;

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

def TIR_VarOp : TIR_Op<"var"> {
  let summary = "A variable that nothing in the function sets";
  let description = [{
    The caller determines it by the buffers whose sizes, strides or offset it is;
    or nobody does.

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

def TIR_ConstantOp : TIR_Op<"constant", [Pure]> {
  let summary = "A number that arith.constant can't be";
  let description = [{
    An unsigned integer, or a float that is given with more precision than its
    type has, to which it is rounded.

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

def TIR_StringOp : TIR_Op<"string", [Pure]> {
  let summary = "A string, as an operand of a call";
  let arguments = (ins StrAttr:$value);
  let results = (outs TIR_StringType:$result);
  let assemblyFormat = "attr-dict $value";
}

def TIR_PrimOp : TIR_Op<"prim", [Pure]> {
  let summary = "Arithmetic of TVM's that arith lacks";
  let description = [{
    By the name of TVM's node: on unsigned integers and on vectors that upstream
    has no op for, FloorMod, Max and Min of floats, the casts that arith lacks,
    Ramp and Broadcast.

    ```mlir
    %0 = tir.prim "FloorMod"(%a, %b) : (i32, i32) -> i32
    ```

    It is an error when TVM has no node of that name with this number of
    operands.
  }];
  let arguments = (ins StrAttr:$kind, Variadic<AnyType>:$args);
  let results = (outs AnyType:$result);
  let assemblyFormat = [{
    $kind `(` $args `)` attr-dict `:` functional-type($args, $result)
  }];
  let hasVerifier = 1;
}

def TIR_ShuffleOp : TIR_Op<"shuffle", [Pure, AttrSizedOperandSegments]> {
  let summary = "Picks elements of vectors, one behind the other (TVM's Shuffle)";
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
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>
  ]> {
  let summary = "A call of an intrinsic or of a packed function, by its op";
  let description = [{
    It may have any effect unless it is pure. One without a result is a statement.

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

def TIR_LoadOp : TIR_Op<"load", [MemoryEffects<[MemRead]>]> {
  let summary = "A load whose indices memref.load does not take";
  let description = [{
    Indices are integers or, for several elements, a vector of them.

    ```mlir
    %0 = tir.load %a[%i, %ramp] : memref<4x4xf32>, i32, vector<4xi32> -> vector<4xf32>
    ```

    It is an error when the number of indices is not the buffer's rank.
  }];
  let arguments = (ins AnyMemRef:$buffer, Variadic<AnyType>:$indices);
  let results = (outs AnyType:$result);
  let assemblyFormat = [{
    $buffer `[` $indices `]` attr-dict `:` type($buffer)
    (`,` type($indices)^)? `->` type($result)
  }];
  let hasVerifier = 1;
}

def TIR_StoreOp : TIR_Op<"store", [MemoryEffects<[MemWrite]>]> {
  let summary = "A store whose indices memref.store does not take";
  let description = [{
    The counterpart of `tir.load`.

    It is an error when the number of indices is not the buffer's rank.
  }];
  let arguments = (ins
    AnyType:$value, AnyMemRef:$buffer, Variadic<AnyType>:$indices
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
    What follows does not run. Unlike `tir.return`, which ends the body, it can
    stand anywhere.
  }];
  let arguments = (ins AnyType:$value);
  let assemblyFormat = "$value attr-dict `:` type($value)";
}

def TIR_BreakOp : TIR_Op<"break"> {
  let summary = "Leaves the innermost loop (TVM's Break)";
  let description = [{
    The loop is a `tir.for` or an `scf.while`: upstream takes the body of an
    `scf.for` for code that runs to its end.
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
    `scope` is TVM's number of the scopes that they are in and of, such as a CTA
    in a cluster; the extents may be left to the launch.

    ```mlir
    %0:2 = tir.scope_id 1 ["cbx", "cby"] extents(%c2, %c3 : i32, i32) : i32, i32
    ```

    It is an error unless each coordinate has a name and, if there are any, an
    extent and a preferred extent.
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
  let summary = "A loop that scf.for can't be";
  let description = [{
    `kind` is serial, parallel, vectorized, unrolled or thread_binding. In the
    last, the threads of the axis `thread` run one iteration each; `thread_name`
    and `thread_type` are those of TVM's variable of the axis.

    ```mlir
    tir.for "thread_binding" %c0, %c128 : i32 {
    ^bb0(%i: i32):
      memref.store %x, %a[%i] : memref<128xf32>
    } {thread = "threadIdx.x"}
    ```

    It is an error when the kind is another, or when the region does not take one
    integer.
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
  let summary = "Says something of an object in a part of the body (AttrStmt)";
  let description = [{
    The object is a value (`of`), a constant (`node`), a variable of threads that
    this op introduces, which is the region's argument (`thread`, its axis, with
    the domain that it has in TVM), or a value in the region, which
    `tir.attr_node` names.

    ```mlir
    tir.attr "thread_extent" = %c128 : i32 domain(%c0, %c128 : i32, i32) {
    ^bb0(%tx: i32):
      memref.store %x, %a[%i] : memref<128xf32>
    } {thread = "threadIdx.x", iter_type = 1 : i64}
    ```

    It is an error when more than one of these is given, or when a domain has
    anything but a minimum and an extent.
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
  let summary = "The value that an enclosing tir.attr is about";
  let description = [{
    The innermost of those that name no object, or, with `outer`, the one as many
    further out.

    It is an error when there is none.
  }];
  let arguments = (ins AnyType:$value, DefaultValuedAttr<I64Attr, "0">:$outer);
  let assemblyFormat = "$value attr-dict `:` type($value)";
  let extraClassDeclaration = [{
    /// The op that it is about; null if there is none.
    AttrOp getAttr();
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

// An op that says of a buffer what its memref type can't: sizes, strides and
// offset that are expressions, with the types of all of them.
class TIR_BufferOp<string mnemonic, dag more, dag outs, list<Trait> traits>
    : TIR_Op<mnemonic, !listconcat([AttrSizedOperandSegments], traits)> {
  let arguments = !con(more, (ins
    Variadic<AnyType>:$shape, Variadic<AnyType>:$strides,
    Optional<AnyType>:$elem_offset, Variadic<AnyType>:$allocated_addr,
    OptionalAttr<TypeAttr>:$index_type,
    DefaultValuedAttr<I64Attr, "64">:$data_alignment,
    DefaultValuedAttr<I64Attr, "1">:$offset_factor,
    OptionalAttr<TIR_NodeAttr>:$layout
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
  let summary = "What is known of a parameter that is a buffer";
  let description = [{
    Without `shape`, its sizes are those of the memref type; without `offset` it
    is 0. Both are then of type `index_type`, which is i32 unless it is given.

    ```mlir
    tir.buffer %a shape(%n, %c4 : i64, i64) {index_type = i64} : memref<?x4xf32>
    ```

    It is an error when there are other sizes or strides than the type has
    dimensions.
  }];
  let assemblyFormat = "$buffer" # properties # "`:` type($buffer)";
}

def TIR_AllocBufferOp : TIR_BufferOp<"alloc_buffer",
    (ins OptionalAttr<DictionaryAttr>:$annotations),
    (outs Res<AnyMemRef, "the buffer", [MemAlloc]>:$result), []> {
  let summary = "Allocates a buffer in the scope that its type names";
  let description = [{
    The properties are those of `tir.buffer`.
  }];
  let assemblyFormat = properties # "`:` type($result)";
}

def TIR_DeclBufferOp : TIR_BufferOp<"decl_buffer",
    (ins AnyType:$data), (outs AnyMemRef:$result), [Pure]> {
  let summary = "A buffer at an address";
  let description = [{
    The properties are those of `tir.buffer`.
  }];
  let assemblyFormat = "$data" # properties # "`:` type($data) `to` type($result)";
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

def TIR_BlockOp : TIR_Op<"block", [
    AttrSizedOperandSegments, RecursiveMemoryEffects,
    SingleBlockImplicitTerminator<"YieldOp">
  ]> {
  let summary = "A unit of scheduling (TVM's SBlockRealize)";
  let description = [{
    Runs the region with `bindings` as the values of its iterators, if the
    predicate holds. Each iterator has a kind (spatial, thread, reduce, scan,
    opaque, unroll, vectorize, parallel, tensorize) and a domain. In the region,
    `tir.reads` and `tir.writes` say what it touches, `tir.init` is what comes
    before the first step of a reduction, `tir.block_buffer` is a buffer of the
    block, and `tir.match_buffer` a part of one under another name.

    ```mlir
    tir.block "sum" ["spatial", "reduce"] (%i, %j : i32, i32)
        from(%c0, %c0 : i32, i32) extent(%c8, %c4 : i32, i32) where %true {
    ^bb0(%vi: i32, %vj: i32):
      tir.reads %a[%vi, %vj : i32, i32][%c1, %c1 : i32, i32] : memref<8x4xf32>
      tir.init {
        memref.store %zero, %b[%0] : memref<8xf32>
      }
      ...
    }
    ```

    It is an error when iterators, kinds, bindings and domains are not of the same
    number, or when an iterator is no integer.
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
    /// The names of the kinds of iterators, by TVM's numbers.
    static ::llvm::ArrayRef<::llvm::StringRef> getIteratorKinds();
  }];
  let hasVerifier = 1;
}

def TIR_InitOp : TIR_Op<"init", [
    HasParent<"BlockOp">, RecursiveMemoryEffects,
    SingleBlockImplicitTerminator<"YieldOp">
  ]> {
  let summary = "What a block does before the first step of a reduction";
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$body attr-dict";
}

class TIR_AccessOp<string mnemonic>
    : TIR_Op<mnemonic, [
        AttrSizedOperandSegments, HasParent<"BlockOp">, TIR_Declares
      ]> {
  let description = [{
    A range of each dimension, by its minimum and its extent.

    It is an error when it has other than one for each dimension.
  }];
  let arguments = (ins
    AnyMemRef:$buffer, Variadic<AnyType>:$mins, Variadic<AnyType>:$extents
  );
  let assemblyFormat = [{
    $buffer (`[` $mins^ `:` type($mins) `]`)?
    (`[` $extents^ `:` type($extents) `]`)? attr-dict `:` type($buffer)
  }];
  let hasVerifier = 1;
}

def TIR_ReadsOp : TIR_AccessOp<"reads"> {
  let summary = "What a block reads";
}

def TIR_WritesOp : TIR_AccessOp<"writes"> {
  let summary = "What a block writes";
}

def TIR_BlockBufferOp : TIR_BufferOp<"block_buffer",
    (ins), (outs Res<AnyMemRef, "the buffer", [MemAlloc]>:$result),
    [HasParent<"BlockOp">]> {
  let summary = "A buffer that a block allocates";
  let description = [{
    The properties are those of `tir.buffer`.
  }];
  let assemblyFormat = properties # "`:` type($result)";
}

def TIR_MatchBufferOp : TIR_BufferOp<"match_buffer",
    (ins AnyMemRef:$source, Variadic<AnyType>:$mins, Variadic<AnyType>:$extents),
    (outs Res<AnyMemRef, "the part", [MemAlloc<TIR_Declarations>]>:$result),
    [HasParent<"BlockOp">]> {
  let summary = "A part of a buffer as a buffer of its own";
  let description = [{
    The properties are those of `tir.buffer`, the part is given as in `tir.reads`.
  }];
  let assemblyFormat = [{
    $source (`[` $mins^ `:` type($mins) `]`)?
    (`[` $extents^ `:` type($extents) `]`)?
  }] # properties # "`:` type($source) `to` type($result)";
}

#endif // PARTITA_DIALECT_TIR_IR_TIRBODYOPS
