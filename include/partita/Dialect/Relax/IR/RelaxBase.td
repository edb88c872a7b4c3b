//===- RelaxBase.td - Classes of Relax ops -----------------*- tablegen -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_DIALECT_RELAX_IR_RELAXBASE
#define PARTITA_DIALECT_RELAX_IR_RELAXBASE

include "partita/Dialect/Relax/IR/RelaxInterfaces.td"
include "partita/Dialect/Relax/IR/RelaxTypes.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

// An op gets its defaults when it is built; accessors and later verifiers rely on
// them.
def Relax_KeepsDefaults
    : PredOpTrait<"attributes that have a default were not removed",
                  CPred<"keepsDefaults(*this)">>;

// An op that stands for a value of TVM's and not for a binding.
def Relax_IsValue : NativeOpTrait<"IsValue"> {
  let cppNamespace = "::partita";
}

// An op whose results are the operands of its terminator, in any order.
def Relax_HasUnorderedResults : NativeOpTrait<"HasUnorderedResults"> {
  let cppNamespace = "::partita";
}

class Relax_Op<string mnemonic, list<Trait> traits = []>
    : Op<Relax_Dialect, mnemonic, [Relax_KeepsDefaults] # traits>;

// Infers types by the C++ statement `infer`, which appends the types for `adaptor`
// to `types` and returns success, or emits an error at `location` and returns
// failure. The verifier compares results with them: see `areCompatible`.
class Relax_InferTypes<string infer> : TraitList<[
    DeclareOpInterfaceMethods<InferTypeOpInterface>,
    NativeOpTrait<"InferTypeOpAdaptor", /*traits=*/[],
      /*extraOpDeclaration=*/[{
        static bool isCompatibleReturnTypes(::mlir::TypeRange inferred,
                                            ::mlir::TypeRange actual);
      }],
      /*extraOpDefinition=*/[{
        ::llvm::LogicalResult $cppClass::inferReturnTypes(
            ::mlir::MLIRContext *context,
            std::optional<::mlir::Location> location,
            ::mlir::ValueRange operands, ::mlir::DictionaryAttr attributes,
            ::mlir::OpaqueProperties properties, ::mlir::RegionRange regions,
            ::llvm::SmallVectorImpl<::mlir::Type> &types) {
          if (failed(checkOperandCount<$cppClass>(location, operands)))
            return ::mlir::failure();
          Adaptor adaptor(operands, attributes,
                          fillProperties<$cppClass>(context, properties), regions);
          if (failed(checkAttributes(context, location, adaptor)))
            return ::mlir::failure();
          }] # infer # [{
        }

        bool $cppClass::isCompatibleReturnTypes(::mlir::TypeRange inferred,
                                                ::mlir::TypeRange actual) {
          return areCompatible(inferred, actual);
        }
      }]>
  ]>;

// The class of the attributes of TVM's op, less `relax.attrs.`. Without it the
// op has none.
class Relax_TVMAttrs<string name>
    : NativeOpTrait<"HasTVMAttrs", [], [{
        static ::llvm::StringRef getTVMAttrs() { return "}] # name # [{"; }
      }]> {
  let cppNamespace = "::partita::relax";
}

// The op's variadic operand is one argument of TVM's op, a tuple, which is
// number `index`. An operand that is a tuple itself stands for all.
class Relax_TVMTuple<int index>
    : NativeOpTrait<"HasTVMTuple", [], [{
        static int getTVMTuple() { return }] # index # [{; }
      }]> {
  let cppNamespace = "::partita::relax";
  int tupleIndex = index;
}

// A call of TVM's op of the same name.
class Relax_TVMOp<string mnemonic, list<Trait> traits = []>
    : Relax_Op<mnemonic, [Relax_TVMCallInterface] # traits>;

// An op whose one result follows from its operands and attributes alone. `infer`
// is a C++ expression: the result's type, or failure.
class Relax_InferredOp<string mnemonic, string infer, list<Trait> traits = []>
    : Relax_Op<mnemonic, [
        Pure,
        Relax_InferTypes<"return append(types, " # infer # ");">
      ] # traits>;

// One that computes, as TVM's op does.
class Relax_ComputeOp<string mnemonic, string infer, list<Trait> traits = []>
    : Relax_InferredOp<mnemonic, infer, [Relax_TVMCallInterface] # traits>;

// One whose assembly is its operands, attributes and types.
class Relax_TensorOp<string mnemonic, string desc, string infer,
                     list<Trait> traits = []>
    : Relax_ComputeOp<mnemonic, infer, traits> {
  let summary = desc;
  let results = (outs AnyType:$result);
  let assemblyFormat = [{
    operands attr-dict `:` functional-type(operands, results)
  }];
}

// The same for an op of several results, whose types the C++ statement `infer`
// appends to `types`.
class Relax_MultiResultOp<string mnemonic, string desc, string infer,
                          list<Trait> traits = []>
    : Relax_TVMOp<mnemonic, [Pure, Relax_InferTypes<infer>] # traits> {
  let summary = desc;
  let results = (outs Variadic<AnyType>:$results);
  let assemblyFormat = [{
    operands attr-dict `:` functional-type(operands, results)
  }];
}

// Defaults of attributes.
class Relax_Int<int value> : DefaultValuedAttr<I64Attr, !cast<string>(value)>;
class Relax_Float<string value> : DefaultValuedAttr<F64Attr, value>;
class Relax_Bool<string value> : DefaultValuedAttr<BoolAttr, value>;
class Relax_Str<string value> : DefaultValuedStrAttr<StrAttr, value>;
// `{a, b}` as the default of an array attribute.
class Relax_DefaultArray<string value>
    : DefaultValuedAttr<DenseI64ArrayAttr, value>;
def Relax_OptionalInt : OptionalAttr<I64Attr>;
def Relax_OptionalAxes : OptionalAttr<DenseI64ArrayAttr>;
def Relax_OptionalDType : OptionalAttr<TypeAttr>;

#endif // PARTITA_DIALECT_RELAX_IR_RELAXBASE
