//===- RelaxBase.td - Classes of Relax ops -----------------*- tablegen -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_DIALECT_RELAX_IR_RELAXBASE
#define PARTITA_DIALECT_RELAX_IR_RELAXBASE

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
          }] # infer # [{
        }

        bool $cppClass::isCompatibleReturnTypes(::mlir::TypeRange inferred,
                                                ::mlir::TypeRange actual) {
          return areCompatible(inferred, actual);
        }
      }]>
  ]>;

// An op that computes its one result from its operands and attributes alone.
// `infer` is a C++ expression: the result's type, or failure.
class Relax_ComputeOp<string mnemonic, string infer, list<Trait> traits = []>
    : Relax_Op<mnemonic, [
        Pure,
        Relax_InferTypes<"return append(types, " # infer # ");">
      ] # traits>;

#endif // PARTITA_DIALECT_RELAX_IR_RELAXBASE
