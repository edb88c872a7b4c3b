//===- RelaxOps.td - Functions, calls, blocks and values ---*- tablegen -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The structure of Relax code. The files that it includes hold the ops that
// compute.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_DIALECT_RELAX_IR_RELAXOPS
#define PARTITA_DIALECT_RELAX_IR_RELAXOPS

include "partita/Dialect/Relax/IR/RelaxBase.td"
include "partita/Dialect/Relax/IR/RelaxCallOps.td"
include "partita/Dialect/Relax/IR/RelaxNNOps.td"
include "partita/Dialect/Relax/IR/RelaxOpaqueOps.td"
include "partita/Dialect/Relax/IR/RelaxRuntimeOps.td"
include "partita/Dialect/Relax/IR/RelaxTensorOps.td"
include "partita/Dialect/Relax/IR/RelaxVisionOps.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/CallInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/FunctionInterfaces.td"

//===----------------------------------------------------------------------===//
// Functions and calls
//===----------------------------------------------------------------------===//

def Relax_FuncOp : Relax_Op<"func", [FunctionOpInterface, IsolatedFromAbove]> {
  let summary = "A function (TVM's relax.Function)";
  let description = [{
    A symbol of a module. Its body is one block that ends in `relax.return`;
    without a body it declares a function that is defined elsewhere. TVM's
    function attributes are its discardable attributes. As in TVM a function is
    pure unless it says `is_pure = false`.

    Names of dimensions belong to the function. A parameter or a
    `relax.match_cast` introduces a name. A number that is a parameter is a
    dimension of the name that its attribute `relax.dim` gives:
    `%n: i64 {relax.dim = "n"}`; so is a number that a `relax.match_cast` with
    this attribute gives.

    ```mlir
    relax.func @main(%x: tensor<?x16xf32, #relax.shape<["n", 16]>>)
        -> tensor<?x16xf32, #relax.shape<["n", 16]>>
        attributes {num_input = 1 : i64} {
      %0 = relax.nn.relu %x : tensor<?x16xf32, #relax.shape<["n", 16]>>
      relax.return %0 : tensor<?x16xf32, #relax.shape<["n", 16]>>
    }
    ```

    It is an error when a dimension has a name that nothing introduces, or when
    `relax.dim` is no string or its parameter no number.
  }];
  let arguments = (ins
    SymbolNameAttr:$sym_name,
    TypeAttrOf<FunctionType>:$function_type,
    OptionalAttr<StrAttr>:$sym_visibility,
    OptionalAttr<DictArrayAttr>:$arg_attrs,
    OptionalAttr<DictArrayAttr>:$res_attrs,
    DefaultValuedOptionalAttr<BoolAttr, "true">:$is_pure
  );
  let regions = (region MaxSizedRegion<1>:$body);
  let builders = [
    OpBuilder<(ins "::llvm::StringRef":$name, "::mlir::FunctionType":$type)>
  ];
  let skipDefaultBuilders = 1;
  let hasCustomAssemblyFormat = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::Region *getCallableRegion() {
      return isExternal() ? nullptr : &getBody();
    }
    ::llvm::ArrayRef<::mlir::Type> getArgumentTypes() {
      return getFunctionType().getInputs();
    }
    ::llvm::ArrayRef<::mlir::Type> getResultTypes() {
      return getFunctionType().getResults();
    }
    static constexpr ::llvm::StringLiteral getDimAttrName() {
      return "relax.dim";
    }
    /// The attribute of a terminator whose SeqExpr, and of a call or a branch
    /// that has no type in TVM: its module was saved before it was in normal
    /// form.
    static constexpr ::llvm::StringLiteral getUntypedAttrName() {
      return "relax.untyped";
    }
    /// The names of dimensions that parameters introduce, also parameters of
    /// functions in this one, and that casts of numbers introduce.
    ::llvm::SmallVector<::mlir::StringAttr> getParameterNames();
    /// The expression that is the whole function, if import kept it as it is:
    /// such a body can't be changed.
    OpaqueExprOp getKeptBody();
  }];
}

def Relax_ReturnOp : Relax_Op<"return", [
    HasParent<"FuncOp">, Pure, ReturnLike, Terminator
  ]> {
  let summary = "Ends a relax.func and gives its results";
  let arguments = (ins Variadic<AnyType>:$operands);
  let assemblyFormat = "attr-dict ($operands^ `:` type($operands))?";
  let hasVerifier = 1;
}

def Relax_CallOp : Relax_Op<"call", [
    CallOpInterface, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>
  ]> {
  let summary = "Calls a relax.func";
  let description = [{
    Names of dimensions in the callee's type stand for the caller's dimensions:
    a name of a parameter takes the dimension of the argument, and the call has
    the result types of the callee with the names replaced.

    The call is pure unless it says `is_pure = false`, which it must when the
    callee is not; then its own function is not pure either.

    ```mlir
    %0 = relax.call @f(%x) : (tensor<8x16xf32>) -> tensor<8x16xf32>
    ```

    It is an error when there is no such `relax.func`, or when arguments,
    results or purity do not fit it.
  }];
  let arguments = (ins
    FlatSymbolRefAttr:$callee,
    Variadic<AnyType>:$operands,
    OptionalAttr<DictArrayAttr>:$arg_attrs,
    OptionalAttr<DictArrayAttr>:$res_attrs,
    DefaultValuedOptionalAttr<BoolAttr, "true">:$is_pure
  );
  let results = (outs Variadic<AnyType>);
  let builders = [
    OpBuilder<(ins "FuncOp":$callee, "::mlir::ValueRange":$operands)>
  ];
  let assemblyFormat = [{
    $callee `(` $operands `)` attr-dict `:` functional-type($operands, results)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::Operation::operand_range getArgOperands() { return getOperands(); }
    ::mlir::MutableOperandRange getArgOperandsMutable() {
      return getOperandsMutable();
    }
    ::mlir::CallInterfaceCallable getCallableForCallee() {
      return getCalleeAttr();
    }
    void setCalleeFromCallable(::mlir::CallInterfaceCallable callee) {
      setCalleeAttr(::llvm::cast<::mlir::FlatSymbolRefAttr>(
          ::llvm::cast<::mlir::SymbolRefAttr>(callee)));
    }
  }];
}

def Relax_CallTIROp : Relax_Op<"call_tir", [
    Pure, DeclareOpInterfaceMethods<SymbolUserOpInterface>, Relax_TVMTuple<1>
  ]> {
  let summary = "Calls a tir.prim_func that writes the results";
  let description = [{
    Destination-passing style (TVM's call_tir): the callee gets a memref for
    each tensor operand, a scalar for each scalar one, and then a fresh memref
    for each result, which it fills. Pure: nothing else sees the memrefs.

    ```mlir
    %0 = relax.call_tir @add(%x, %y)
      : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    ```

    It is an error when there is no such `tir.prim_func`, or when its parameters
    do not fit the operands and results, in this order. A dynamic dimension of a
    memref takes any size; a static one takes no other number.
  }];
  let arguments = (ins
    FlatSymbolRefAttr:$callee,
    Variadic<AnyTypeOf<[Relax_Tensor, AnyInteger, AnyFloat, Index]>>:$operands
  );
  let results = (outs Variadic<Relax_Tensor>);
  let assemblyFormat = [{
    $callee `(` $operands `)` attr-dict `:` functional-type($operands, results)
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Dataflow blocks
//===----------------------------------------------------------------------===//

def Relax_DataflowOp : Relax_Op<"dataflow", [
    DeclareOpInterfaceMethods<RegionBranchOpInterface,
                              ["getRegionInvocationBounds"]>,
    NoRegionArguments, RecursiveMemoryEffects, RecursivelySpeculatable,
    Relax_HasUnorderedResults, SingleBlock
  ]> {
  let summary = "A block without side effects (TVM's DataflowBlock)";
  let description = [{
    Values leave it through `relax.output` only. All ops in it are pure, so that
    they may be reordered, merged and dropped freely.

    ```mlir
    %y = relax.dataflow -> tensor<8xf32> {
      %0 = relax.add %x, %x : tensor<8xf32>
      relax.output %0 : tensor<8xf32>
    }
    ```

    Only in a function with `relax.force_pure` can an op in it have side effects.
  }];
  let results = (outs Variadic<AnyType>:$outputs);
  let regions = (region SizedRegion<1>:$bodyRegion);
  let builders = [OpBuilder<(ins "::mlir::TypeRange":$results)>];
  let skipDefaultBuilders = 1;
  let assemblyFormat = [{
    (`->` type($outputs)^)? attr-dict-with-keyword $bodyRegion
  }];
  let hasCanonicalizer = 1;
  let hasRegionVerifier = 1;
}

def Relax_OutputOp : Relax_Op<"output", [
    HasParent<"DataflowOp">, Pure, ReturnLike, Terminator
  ]> {
  let summary = "Ends a relax.dataflow and gives its results";
  let arguments = (ins Variadic<AnyType>:$operands);
  let assemblyFormat = "attr-dict ($operands^ `:` type($operands))?";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

def Relax_IfOp : Relax_Op<"if", [
    DeclareOpInterfaceMethods<RegionBranchOpInterface, [
      "areTypesCompatible", "getRegionInvocationBounds"
    ]>,
    NoRegionArguments, RecursiveMemoryEffects, RecursivelySpeculatable,
    SingleBlock
  ]> {
  let summary = "Runs one of two branches (TVM's If)";
  let description = [{
    The result is the value that the executed branch yields. Its type may know
    less than the types of the yielded values.

    ```mlir
    %y = relax.if %cond : tensor<i1> -> tensor<8xf32> {
      %0 = relax.exp %x : tensor<8xf32>
      relax.yield %0 : tensor<8xf32>
    } else {
      relax.yield %x : tensor<8xf32>
    }
    ```

    It is an error when a branch yields a value that can't have the result's
    type.
  }];
  let arguments = (ins Relax_Condition:$cond);
  let results = (outs AnyType:$result);
  let regions = (region SizedRegion<1>:$thenRegion, SizedRegion<1>:$elseRegion);
  let assemblyFormat = [{
    $cond `:` type($cond) `->` type($result) attr-dict-with-keyword $thenRegion
    `else` $elseRegion
  }];
}

def Relax_LocalFuncOp : Relax_Op<"local_func", [Pure, SingleBlock]> {
  let summary = "A function in a function (TVM's Function that is a value)";
  let description = [{
    The first argument of the body is the function itself, the others are its
    parameters. It can use the values and names of dimensions that are known
    where it is made; names that its parameters introduce are known in the whole
    function around it. `relax.call_value` calls it. TVM's function attributes
    are its attributes.

    ```mlir
    %f = relax.local_func %self(%x)
        : !relax.callable<(tensor<8xf32>) -> tensor<8xf32>> {
      %0 = relax.add %x, %captured : tensor<8xf32>
      relax.yield %0 : tensor<8xf32>
    }
    %1 = relax.call_value(%f, %y) {is_pure = true}
      : (!relax.callable<(tensor<8xf32>) -> tensor<8xf32>>, tensor<8xf32>)
      -> tensor<8xf32>
    ```

    It is an error when the body's arguments, or its yielded values, do not have
    the types that the function's type says.
  }];
  let results = (outs Relax_CallableType:$result);
  let regions = (region SizedRegion<1>:$bodyRegion);
  let hasCustomAssemblyFormat = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::BlockArgument getSelf() { return getBody()->getArgument(0); }
    /// The parameters, which are the body's other arguments.
    ::mlir::Block::BlockArgListType getParameters() {
      return getBody()->getArguments().drop_front();
    }
  }];
}

def Relax_YieldOp : Relax_Op<"yield", [
    ParentOneOf<["IfOp", "LocalFuncOp"]>, Pure, ReturnLike, Terminator
  ]> {
  let summary = "Ends a branch or a function in a function and gives its value";
  let arguments = (ins AnyType:$value);
  let assemblyFormat = "$value attr-dict `:` type($value)";
}

//===----------------------------------------------------------------------===//
// Values that are not computed
//===----------------------------------------------------------------------===//

// Properties with it hold the elements: see OwnedElements.
def Relax_OwnedElementsAttr
    : Attr<CPred<"::llvm::isa<::mlir::ElementsAttr>($_self)">,
           "constant vector/tensor attribute"> {
  let storageType = "::partita::relax::OwnedElements";
  let returnType = "::partita::relax::OwnedElements";
  let convertFromStorage = "$_self";
}

def Relax_ConstantOp : Relax_Op<"constant", [
    AllTypesMatch<["value", "result"]>, ConstantLike,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>, Pure
  ]> {
  let summary = "A constant tensor (TVM's relax.Constant)";
  let description = [{
    Weights are `dense_resource`, which no copy of the module copies. Elements
    that were made in this process are freed with the last constant that has
    them (`#relax.tensor`).

    ```mlir
    %cst = relax.constant dense<1.0> : tensor<8xf32>
    %w = relax.constant dense_resource<w0> : tensor<128x64xf32>
    ```
  }];
  let arguments = (ins Relax_OwnedElementsAttr:$value);
  let results = (outs Relax_RankedTensor:$result);
  let hasCustomAssemblyFormat = 1;
  let hasFolder = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Gives the elements as a builtin attribute, which the generic form has.
    /// Overloads the generated function, whose properties are constant.
    static ::mlir::Attribute getPropertiesAsAttr(::mlir::MLIRContext *context,
                                                 Properties &properties);
  }];
}

def Relax_PrimValueOp : Relax_Op<"prim_value", [
    AllTypesMatch<["value", "result"]>, ConstantLike, Pure
  ]> {
  let summary = "A number (TVM's IntImm and FloatImm as expressions)";
  let description = [{
    ```mlir
    %0 = relax.prim_value 3 : i64
    ```
  }];
  let arguments = (ins TypedAttrInterface:$value);
  let results = (outs AnyTypeOf<[AnyInteger, AnyFloat]>:$result);
  let assemblyFormat = "attr-dict $value";
  let hasFolder = 1;
}

def Relax_AliasOp : Relax_InferredOp<"alias", "adaptor.getValue().getType()"> {
  let summary = "Another name for a value (TVM's binding of a variable)";
  let description = [{
    TVM's `y = x`, where both are variables, and `y = t[0]`, where `t` is an op
    of several results. The result is the operand; canonicalization drops it.

    ```mlir
    %y = relax.alias %x : tensor<8xf32>
    ```
  }];
  let arguments = (ins AnyType:$value);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$value attr-dict `:` type($value)";
  let hasFolder = 1;
}

def Relax_DimOp : Relax_Op<"dim", [Pure, Relax_IsValue]> {
  let summary = "A dimension as a number (a symbolic expression in TVM)";
  let description = [{
    ```mlir
    %0 = relax.dim ["n * 2"] : i64
    ```

    It is an error unless there is one dimension, which is known.
  }];
  let arguments = (ins Relax_ShapeAttr:$dims);
  let results = (outs AnyTypeOf<[AnyInteger, AnyFloat]>:$result);
  let assemblyFormat = "custom<Dims>($dims) attr-dict `:` type($result)";
  let hasFolder = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    Dim getDim() { return getDims().getDims().front(); }
  }];
}

def Relax_ShapeOp : Relax_InferredOp<"shape", "inferShape(location, adaptor)", [
    Relax_IsValue
  ]> {
  let summary = "A shape (TVM's relax.ShapeExpr)";
  let description = [{
    ```mlir
    %0 = relax.shape [1, 16, "n"]
    ```

    The result is a `!relax.shape<[1, 16, "n"]>`, in which a negative number, that
    TVM's programs may have, is unknown. It is an error when a dimension is.
  }];
  let arguments = (ins Relax_ShapeAttr:$dims);
  let results = (outs Relax_ShapeType:$result);
  let assemblyFormat = "custom<Dims>($dims) attr-dict";
}

def Relax_TupleOp : Relax_InferredOp<"tuple", "inferTuple(context, adaptor)", [
    Relax_IsValue
  ]> {
  let summary = "Makes a tuple (TVM's relax.Tuple)";
  let description = [{
    ```mlir
    %t = relax.tuple(%a, %b) : tensor<8xf32>, tensor<f32>
    ```
  }];
  let arguments = (ins Variadic<AnyType>:$fields);
  let results = (outs AnyTuple:$result);
  let assemblyFormat = [{
    `(` $fields `)` attr-dict (`:` type($fields)^)?
  }];
  let hasFolder = 1;
}

def Relax_TupleGetItemOp : Relax_InferredOp<"tuple_get_item",
    "inferTupleGetItem(location, adaptor)"> {
  let summary = "A field of a tuple (TVM's relax.TupleGetItem)";
  let description = [{
    ```mlir
    %a = relax.tuple_get_item %t[0] : tuple<tensor<8xf32>, tensor<f32>>
    ```

    It is an error when the tuple has no field at `index`.
  }];
  let arguments = (ins AnyTuple:$tuple_value, I64Attr:$index);
  let results = (outs AnyType:$result);
  let assemblyFormat = [{
    $tuple_value `[` $index `]` attr-dict `:` type($tuple_value)
  }];
  let hasFolder = 1;
}

def Relax_MatchCastOp : Relax_Op<"match_cast", [
    AlwaysSpeculatable, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>
  ]> {
  let summary = "Says what is known about a value's shape (TVM's MatchCast)";
  let description = [{
    The result is the operand. New names in the result's type get the sizes that
    the operand turns out to have; the program checks at run time that the other
    dimensions fit. A number is the size that `relax.dim` names. A match_cast that
    introduces names stays when its result is unused; any other is pure.

    ```mlir
    %1 = relax.match_cast %0
      : tensor<?x16xf32> -> tensor<?x16xf32, #relax.shape<["m", 16]>>
    ```

    It is an error when the operand can never have the result's type, or when
    `relax.dim` is no string or the result no number.
  }];
  let arguments = (ins AnyType:$value);
  let results = (outs AnyType:$result);
  let assemblyFormat = [{
    $value attr-dict `:` type($value) `->` type($result)
  }];
  let hasFolder = 1;
  let hasVerifier = 1;
}

#endif // PARTITA_DIALECT_RELAX_IR_RELAXOPS
