//===- RelaxRuntimeOps.td - Memory, devices, gradients -----*- tablegen -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ops on a tensor's memory and device, on quantization and differentiation, and
// ops of the virtual machine.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_DIALECT_RELAX_IR_RELAXRUNTIMEOPS
#define PARTITA_DIALECT_RELAX_IR_RELAXRUNTIMEOPS

include "partita/Dialect/Relax/IR/RelaxBase.td"

// An op that is known by the type of its result only. Without a result it has
// effects.
class Relax_EffectOp<string mnemonic, string desc>
    : Relax_TVMOp<mnemonic, [
        MemoryEffects<[MemRead, MemWrite]>, Relax_InferTypes<"return success();">
      ]> {
  let summary = desc;
  let assemblyFormat = "operands attr-dict `:` type(operands)";
}

// An op that gives memory that nobody else has, so that two of them are not
// one. TVM calls it pure.
class Relax_AllocOp<string mnemonic, string desc, string infer>
    : Relax_TVMOp<mnemonic, [
        Relax_InferTypes<"return append(types, " # infer # ");">
      ]> {
  let summary = desc;
  let results = (outs Res<AnyType, "", [MemAlloc]>:$result);
  let assemblyFormat = [{
    operands attr-dict `:` functional-type(operands, results)
  }];
}

//===----------------------------------------------------------------------===//
// Output and checks
//===----------------------------------------------------------------------===//

def Relax_AssertOp : Relax_EffectOp<"assert_op", "Fails unless it holds"> {
  let description = [{
    The operands are the condition, a format string and the values to format.
  }];
  let arguments = (ins Variadic<AnyType>:$vals);
}

def Relax_PrintOp : Relax_EffectOp<"print", "Prints values"> {
  let description = [{
    The first operand is a format string.
  }];
  let arguments = (ins Variadic<AnyType>:$vals);
}

//===----------------------------------------------------------------------===//
// Shapes as values
//===----------------------------------------------------------------------===//

def Relax_ShapeOfOp
    : Relax_TensorOp<"shape_of", "The shape of a tensor",
                     "inferShapeOf(location, adaptor.getInput())"> {
  let arguments = (ins Relax_Tensor:$input);
}

def Relax_ShapeToTensorOp
    : Relax_TensorOp<"shape_to_tensor", "A shape as a tensor of i64",
                     "inferShapeToTensor(location, adaptor.getInput())"> {
  let arguments = (ins Relax_ShapeType:$input);
}

def Relax_TensorToShapeOp
    : Relax_TensorOp<"tensor_to_shape", "A tensor of i64 as a shape",
                     "inferTensorToShape(location, adaptor.getInput())"> {
  let arguments = (ins Relax_Tensor:$input);
}

def Relax_SizeOp
    : Relax_TensorOp<"size", "The number of elements",
                     "inferScalar(location, adaptor.getInput(), 64)"> {
  let arguments = (ins Relax_Tensor:$input);
}

//===----------------------------------------------------------------------===//
// Quantization
//===----------------------------------------------------------------------===//

class Relax_QuantizationOp<string mnemonic, string isDequantized, string desc>
    : Relax_TensorOp<mnemonic, desc,
                     "inferQuantized(location, " # isDequantized # ", "
                     "adaptor.getOperands(), adaptor.getOutDtypeAttr(), "
                     "adaptor.getAxis())",
                     [Relax_TVMAttrs<"QuantizeAttrs">]> {
  let arguments = (ins
    Relax_Tensor:$data, Relax_Tensor:$scale, Relax_Tensor:$zero_point,
    TypeAttr:$out_dtype, Relax_Int<-1>:$axis
  );
}

def Relax_DequantizeOp
    : Relax_QuantizationOp<"dequantize", "true", "(data - zero_point) * scale">;
def Relax_QuantizeOp
    : Relax_QuantizationOp<"quantize", "false",
                           "round(data / scale) + zero_point">;

//===----------------------------------------------------------------------===//
// Sampling, parameters and gradients
//===----------------------------------------------------------------------===//

def Relax_MultinomialFromUniformOp
    : Relax_TensorOp<"multinomial_from_uniform", "Draws from distributions",
                     "inferMultinomial(location, adaptor)",
                     [Relax_TVMAttrs<"MultinomialFromUniformAttrs">]> {
  let arguments = (ins
    Relax_Tensor:$prob, Relax_Tensor:$uniform_sample,
    Relax_Tensor:$sample_indices, TypeAttr:$dtype
  );
}

def Relax_WrapParamOp
    : Relax_TensorOp<"wrap_param", "A parameter, converted to `dtype`",
                     "inferConverted(location, adaptor.getData(), "
                     "adaptor.getDtypeAttr())",
                     [Relax_TVMAttrs<"WrapParamAttrs">]> {
  let arguments = (ins Relax_Tensor:$data, TypeAttr:$dtype);
}

// The result is the operand, which the op marks.
class Relax_MarkOp<string mnemonic, string desc>
    : Relax_TensorOp<mnemonic, desc, "FailureOr<Type>(adaptor.getX().getType())"> {
  let arguments = (ins AnyType:$x);
}

def Relax_StopLiftParamsOp
    : Relax_MarkOp<"builtin.stop_lift_params",
                   "What the parameters are transformed to ends here">;
def Relax_EndCheckpointOp
    : Relax_MarkOp<"grad.end_checkpoint", "Where recomputation ends">;
def Relax_NoGradOp : Relax_MarkOp<"grad.no_grad", "Has no gradient">;
def Relax_StartCheckpointOp
    : Relax_MarkOp<"grad.start_checkpoint", "Where recomputation starts">;

class Relax_PoolBackwardOp<string mnemonic>
    : Relax_TensorOp<mnemonic, "The gradient of a pooling op",
                     "inferSame(location, adaptor.getData())",
                     [Relax_TVMAttrs<"Pool2DAttrs">]> {
  let arguments = (ins
    Relax_Tensor:$output_grad, Relax_Tensor:$data,
    Relax_DefaultArray<"{1, 1}">:$pool_size,
    Relax_DefaultArray<"{1, 1}">:$strides,
    Relax_DefaultArray<"{0, 0, 0, 0}">:$padding,
    Relax_DefaultArray<"{1, 1}">:$dilation, Relax_Bool<"false">:$ceil_mode,
    Relax_Bool<"false">:$count_include_pad, Relax_Str<"NCHW">:$layout,
    Relax_Str<"NCHW">:$out_layout
  );
}

def Relax_AvgPool2DBackwardOp : Relax_PoolBackwardOp<"grad.avg_pool2d_backward">;
def Relax_MaxPool2DBackwardOp : Relax_PoolBackwardOp<"grad.max_pool2d_backward">;

def Relax_NLLLossBackwardOp
    : Relax_TensorOp<"grad.nll_loss_backward", "The gradient of nn.nll_loss",
                     "inferSame(location, adaptor.getPredictions())",
                     [Relax_TVMAttrs<"NLLLossAttrs">]> {
  let arguments = (ins
    Relax_Tensor:$output_grad, Relax_Tensor:$predictions, Relax_Tensor:$targets,
    Optional<Relax_Tensor>:$weights, Relax_Str<"mean">:$reduction,
    Relax_Int<-100>:$ignore_index
  );
}

def Relax_TakeBackwardOp
    : Relax_TensorOp<"grad.take_backward", "The gradient of take",
                     "inferSame(location, adaptor.getX())",
                     [Relax_TVMAttrs<"TakeAttrs">]> {
  let arguments = (ins
    Relax_Tensor:$output_grad, Relax_Tensor:$x, Relax_Tensor:$indices,
    Relax_OptionalInt:$axis, Relax_Str<"fast">:$mode
  );
}

//===----------------------------------------------------------------------===//
// Devices and collective communication
//===----------------------------------------------------------------------===//

def Relax_ToVDeviceOp
    : Relax_TensorOp<"to_vdevice", "Copies a tensor to a device",
                     "inferToDevice(location, adaptor.getData())",
                     [Relax_TVMAttrs<"ToVDeviceAttrs">]> {
  let arguments = (ins Relax_Tensor:$data, AnyAttr:$dst_vdevice);
}

def Relax_HintOnDeviceOp
    : Relax_TensorOp<"hint_on_device", "Says on which device a tensor is",
                     "inferToDevice(location, adaptor.getData())",
                     [Relax_TVMAttrs<"HintOnDeviceAttrs">]> {
  let arguments = (ins
    Relax_Tensor:$data, I64Attr:$device_type, I64Attr:$index,
    Relax_Str<"global">:$memory_scope
  );
}

def Relax_AllGatherOp
    : Relax_TensorOp<"ccl.allgather", "The tensors of all workers, joined",
                     "inferAllGather(location, adaptor)",
                     [Relax_TVMAttrs<"AllGatherAttrs">]> {
  let arguments = (ins
    Relax_Tensor:$x, I64Attr:$num_workers, Relax_Bool<"true">:$in_group
  );
}

def Relax_AllReduceOp
    : Relax_TensorOp<"ccl.allreduce", "The tensors of all workers, reduced",
                     "inferSame(location, adaptor.getX())",
                     [Relax_TVMAttrs<"AllReduceAttrs">]> {
  let arguments = (ins
    Relax_Tensor:$x, Relax_Str<"sum">:$op_type, Relax_Bool<"true">:$in_group
  );
}

def Relax_BroadcastFromWorker0Op
    : Relax_TensorOp<"ccl.broadcast_from_worker0", "The first worker's tensor",
                     "inferSame(location, adaptor.getX())"> {
  let arguments = (ins Relax_Tensor:$x);
}

def Relax_ScatterFromWorker0Op
    : Relax_TensorOp<"ccl.scatter_from_worker0",
                     "The part of a tensor that is this worker's",
                     "inferScatter(location, adaptor)",
                     [Relax_TVMAttrs<"ScatterCollectiveAttrs">]> {
  let arguments = (ins
    Relax_Tensor:$x, I64Attr:$num_workers, Relax_Int<0>:$axis
  );
}

// An op on tensors that are distributed, whose types are kept as they are.
class Relax_DistOp<string mnemonic, string desc, string attrs, dag fields>
    : Relax_TVMOp<mnemonic, [Pure, Relax_TVMAttrs<attrs>]> {
  let summary = desc;
  let arguments = !con((ins AnyType:$input), fields);
  let results = (outs AnyType:$result);
  let assemblyFormat = [{
    operands attr-dict `:` functional-type(operands, results)
  }];
}

def Relax_AnnotateShardingOp
    : Relax_DistOp<"dist.annotate_sharding", "Says where a tensor's parts are",
                   "DistributionAttrs",
                   (ins AnyAttr:$device_mesh, AnyAttr:$placement)>;
def Relax_RedistributeOp
    : Relax_DistOp<"dist.redistribute", "Moves the parts of a tensor",
                   "DistributionAttrs",
                   (ins AnyAttr:$device_mesh, AnyAttr:$placement)>;
def Relax_RedistributeReplicaToShardOp
    : Relax_DistOp<"dist.redistribute_replica_to_shard",
                   "Leaves each worker its part of a tensor",
                   "ScatterCollectiveAttrs",
                   (ins I64Attr:$num_workers, Relax_Int<0>:$axis)>;

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

def Relax_AllocTensorOp
    : Relax_AllocOp<"builtin.alloc_tensor", "A tensor without elements",
                    "inferAllocTensor(location, adaptor.getShape(), "
                    "adaptor.getDtype())"> {
  let arguments = (ins
    AnyType:$shape, AnyType:$dtype, AnyType:$runtime_device_index,
    AnyType:$storage_scope
  );
}

class Relax_AllocStorageOpBase<string mnemonic, dag operands>
    : Relax_AllocOp<mnemonic, "A piece of memory",
                    "FailureOr<Type>(ObjectType::get(context))"> {
  let arguments = operands;
}

def Relax_MemoryAllocStorageOp
    : Relax_AllocStorageOpBase<"memory.alloc_storage", (ins
        AnyType:$total_space, AnyType:$virtual_device_index,
        AnyType:$storage_scope, AnyType:$dtype
      )>;
def Relax_VMAllocStorageOp
    : Relax_AllocStorageOpBase<"vm.alloc_storage", (ins
        AnyType:$size, AnyType:$runtime_device_index, AnyType:$dtype,
        AnyType:$storage_scope
      )>;

class Relax_TensorInStorageOp<string mnemonic>
    : Relax_AllocOp<mnemonic, "A tensor in a piece of memory",
                    "inferAllocTensor(location, adaptor.getShape(), "
                    "adaptor.getDtype())"> {
  let arguments = (ins
    AnyType:$storage, AnyType:$offset, AnyType:$shape, AnyType:$dtype,
    AnyType:$runtime_device_index
  );
}

def Relax_MemoryAllocTensorOp : Relax_TensorInStorageOp<"memory.alloc_tensor">;
def Relax_VMAllocTensorOp : Relax_TensorInStorageOp<"vm.alloc_tensor">;

def Relax_EnsureZeroOffsetOp
    : Relax_MarkOp<"memory.ensure_zero_offset",
                   "The tensor, at the start of its memory">;

def Relax_ViewOp
    : Relax_TensorOp<"memory.view", "The memory of a tensor as another tensor",
                     "inferView(location, adaptor)"> {
  let description = [{
    Each but the first is an empty tuple where it stays as it is.
  }];
  let arguments = (ins
    Relax_Tensor:$x, AnyType:$shape, AnyType:$dtype,
    AnyType:$relative_byte_offset
  );
}

def Relax_KillStorageOp
    : Relax_EffectOp<"memory.kill_storage", "Frees a piece of memory"> {
  let arguments = (ins AnyType:$storage);
}
def Relax_KillTensorOp : Relax_EffectOp<"memory.kill_tensor", "Frees a tensor"> {
  let arguments = (ins AnyType:$tensor);
}
def Relax_KillObjectOp : Relax_EffectOp<"vm.kill_object", "Frees an object"> {
  let arguments = (ins AnyType:$obj);
}

def Relax_NullValueOp
    : Relax_TensorOp<"null_value", "No object",
                     "FailureOr<Type>(ObjectType::get(context))">;

//===----------------------------------------------------------------------===//
// What a tensor is
//===----------------------------------------------------------------------===//

class Relax_InspectOp<string mnemonic, string desc, string type>
    : Relax_TensorOp<"inspect." # mnemonic, desc,
                     "FailureOr<Type>(IntegerType::get(context, " # type # "))"> {
  let arguments = (ins Relax_Tensor:$tensor);
}

def Relax_TensorByteOffsetOp
    : Relax_InspectOp<"tensor_byte_offset", "Where it begins, in bytes",
                      "64, IntegerType::Unsigned">;
def Relax_TensorElemOffsetOp
    : Relax_InspectOp<"tensor_elem_offset", "Where it begins, in elements",
                      "64, IntegerType::Unsigned">;
def Relax_TensorDTypeBitsOp
    : Relax_InspectOp<"tensor_dtype_bits", "The bits of an element",
                      "8, IntegerType::Unsigned">;
def Relax_TensorDTypeCodeOp
    : Relax_InspectOp<"tensor_dtype_code", "The kind of an element",
                      "8, IntegerType::Unsigned">;
def Relax_TensorDTypeLanesOp
    : Relax_InspectOp<"tensor_dtype_lanes", "The numbers in an element",
                      "16, IntegerType::Unsigned">;
def Relax_TensorNDimOp
    : Relax_InspectOp<"tensor_ndim", "The number of dimensions", "32">;

class Relax_InspectAxisOp<string mnemonic, string desc>
    : Relax_InspectOp<mnemonic, desc, "64"> {
  let arguments = (ins Relax_Tensor:$tensor, Relax_Number:$axis);
}

def Relax_TensorShapeIOp
    : Relax_InspectAxisOp<"tensor_shape_i", "The size of a dimension">;
def Relax_TensorStrideIOp
    : Relax_InspectAxisOp<"tensor_stride_i", "The stride of a dimension">;

#endif // PARTITA_DIALECT_RELAX_IR_RELAXRUNTIMEOPS
