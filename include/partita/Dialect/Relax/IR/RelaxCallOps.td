//===- RelaxCallOps.td - Functions as values, and calls of them -*- tablegen -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Values other than tensors, numbers and shapes that TVM writes as arguments of
// calls, and calls of functions that are values.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_DIALECT_RELAX_IR_RELAXCALLOPS
#define PARTITA_DIALECT_RELAX_IR_RELAXCALLOPS

include "partita/Dialect/Relax/IR/RelaxBase.td"
include "mlir/IR/SymbolInterfaces.td"

def Relax_Object : Type<
    CPred<"::llvm::isa<::partita::relax::ObjectType>($_self)">, "object",
    "::partita::relax::ObjectType">,
    BuildableType<"::partita::relax::ObjectType::get($_builder.getContext())">;

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

// A value that is no tensor, and that `value` says.
class Relax_ObjectOp<string mnemonic, dag value, list<Trait> traits = []>
    : Relax_Op<mnemonic, [Pure, Relax_IsValue] # traits> {
  let arguments = value;
  let results = (outs Relax_Object:$result);
  let assemblyFormat = "$value attr-dict";
}

def Relax_StringOp : Relax_ObjectOp<"string", (ins StrAttr:$value)> {
  let summary = "A string (TVM's StringImm)";
  let description = [{
    ```mlir
    %0 = relax.string "global"
    ```
  }];
}

def Relax_DTypeOp : Relax_ObjectOp<"dtype", (ins TypeAttr:$value)> {
  let summary = "An element type as a value (TVM's R.dtype)";
  let description = [{
    ```mlir
    %0 = relax.dtype f32
    ```
  }];
}

def Relax_ExternFuncOp : Relax_Op<"extern_func", [Pure, Relax_IsValue]> {
  let summary = "A function that is registered in TVM (TVM's ExternFunc)";
  let description = [{
    `derive` is the function of TVM's that knows the types of calls. A type of
    the op's own says more than that, and whether calls are pure.

    ```mlir
    %0 = relax.extern_func "vm.builtin.copy"
    %1 = relax.extern_func "runtime.TVMTensorCreateView"
      {derive = "tvm.relax.type.infer_view_ty", is_pure = true}
    %2 = relax.extern_func "f" : !relax.callable<(tensor<8xf32>) -> tensor<8xf32>>
    ```
  }];
  let arguments = (ins
    StrAttr:$value,
    DefaultValuedStrAttr<StrAttr, "tvm.relax.type.infer_by_ty_args">:$derive,
    DefaultValuedAttr<BoolAttr, "false">:$is_pure
  );
  let results = (outs AnyTypeOf<[Relax_Object, Relax_CallableType]>:$result);
  let assemblyFormat = "$value attr-dict `` custom<ObjectType>(type($result))";
}

def Relax_GlobalOp : Relax_Op<"global", [
    DeclareOpInterfaceMethods<SymbolUserOpInterface>, Pure, Relax_IsValue
  ]> {
  let summary = "A function of the module as a value (TVM's GlobalVar)";
  let description = [{
    Where it counts, the type is the function's.

    ```mlir
    %0 = relax.global @f
    %1 = relax.global @f : !relax.callable<(tensor<8xf32>) -> tensor<8xf32>>
    ```

    It is an error when the module has no function of this name.
  }];
  let arguments = (ins FlatSymbolRefAttr:$value);
  let results = (outs AnyTypeOf<[Relax_Object, Relax_CallableType]>:$result);
  let assemblyFormat = "$value attr-dict `` custom<ObjectType>(type($result))";
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

def Relax_CallsValue : NativeOpTrait<"CallsValue"> {
  let cppNamespace = "::partita::relax";
}

// Operands are TVM's arguments one by one, the function among them and a tuple
// as one operand; `ty_args` are TVM's type arguments, and `attrs` the fields of
// its object of attributes of class `attrs_type`. They are not checked.
class Relax_ValueCallOp<string mnemonic, string desc, string pure>
    : Relax_Op<mnemonic, [
        DeclareOpInterfaceMethods<MemoryEffectsOpInterface>, Relax_CallsValue
      ]> {
  let summary = desc;
  let arguments = (ins
    Variadic<AnyType>:$operands, OptionalAttr<TypeArrayAttr>:$ty_args,
    OptionalAttr<StrAttr>:$attrs_type, OptionalAttr<DictionaryAttr>:$attrs,
    DefaultValuedOptionalAttr<BoolAttr, pure>:$is_pure
  );
  let results = (outs AnyType:$result);
  let assemblyFormat = [{
    `(` $operands `)` ($attrs_type^ $attrs)? (`ty_args` `=` $ty_args^)? attr-dict
    `:` functional-type($operands, results)
  }];
  let extraClassDefinition = [{
    void $cppClass::getEffects(
        ::llvm::SmallVectorImpl<::mlir::SideEffects::EffectInstance<
            ::mlir::MemoryEffects::Effect>> &effects) {
      addCallEffects(*this, getIsPure(), effects);
    }
  }];
}

def Relax_CallValueOp
    : Relax_ValueCallOp<"call_value", "Calls the first operand", "false"> {
  let description = [{
    TVM's call of an expression that is no op and no function of the module, but
    a parameter, a closure or an extern function.

    ```mlir
    %f = relax.extern_func "test.add"
    %0 = relax.call_value(%f, %x) ty_args = [tensor<8xf32>]
      : (!relax.object, tensor<8xf32>) -> tensor<8xf32>
    ```
  }];
}

def Relax_CallBuiltinWithCtxOp
    : Relax_ValueCallOp<"call_builtin_with_ctx",
                        "Calls an extern function of the virtual machine",
                        "false">;
def Relax_CallDPSPackedOp
    : Relax_ValueCallOp<"call_dps_packed",
                        "Calls an extern function that writes the results",
                        "true">;
def Relax_CallInplacePackedOp
    : Relax_ValueCallOp<"call_inplace_packed",
                        "Calls an extern function that changes arguments",
                        "true">;
def Relax_CallPurePackedOp
    : Relax_ValueCallOp<"call_pure_packed",
                        "Calls an extern function without side effects",
                        "true">;
def Relax_CallPyFuncOp
    : Relax_ValueCallOp<"call_py_func", "Calls a function in Python", "true">;
def Relax_CallTIRInplaceOp
    : Relax_ValueCallOp<"call_tir_inplace",
                        "Calls a PrimFunc that changes arguments", "true">;
def Relax_CallTIRWithGradOp
    : Relax_ValueCallOp<"call_tir_with_grad",
                        "Calls a PrimFunc whose gradient is known", "true">;
def Relax_CallTIRDynOp
    : Relax_ValueCallOp<"vm.call_tir_dyn",
                        "Calls a PrimFunc with sizes as arguments", "false">;
def Relax_CallTIRLocalViewOp
    : Relax_ValueCallOp<"dist.call_tir_local_view",
                        "Calls a PrimFunc on this worker's parts", "true">;
def Relax_InvokeClosureOp
    : Relax_ValueCallOp<"invoke_closure", "Calls a closure", "false">;
def Relax_InvokePureClosureOp
    : Relax_ValueCallOp<"invoke_pure_closure",
                        "Calls a closure without side effects", "true">;
def Relax_MakeClosureOp
    : Relax_ValueCallOp<"make_closure", "A function with some arguments given",
                        "true">;

#endif // PARTITA_DIALECT_RELAX_IR_RELAXCALLOPS
