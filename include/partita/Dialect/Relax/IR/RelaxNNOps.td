//===- RelaxNNOps.td - Ops of neural networks --------------*- tablegen -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_DIALECT_RELAX_IR_RELAXNNOPS
#define PARTITA_DIALECT_RELAX_IR_RELAXNNOPS

include "partita/Dialect/Relax/IR/RelaxBase.td"
include "partita/Dialect/Relax/IR/RelaxTensorOps.td"

//===----------------------------------------------------------------------===//
// Activations
//===----------------------------------------------------------------------===//

def Relax_GeluOp : Relax_UnaryOp<"nn.gelu", "Gaussian error linear unit">;
def Relax_GeluTanhOp
    : Relax_UnaryOp<"nn.gelu_tanh", "gelu, approximated with tanh">;
def Relax_ReluOp : Relax_UnaryOp<"nn.relu", "max(x, 0)", Relax_Tensor> {
  let hasFolder = 1;
}
def Relax_SeluOp : Relax_UnaryOp<"nn.selu", "Scaled exponential linear unit">;
def Relax_SiluOp : Relax_UnaryOp<"nn.silu", "x * sigmoid(x)">;

def Relax_LeakyReluOp
    : Relax_TensorOp<"nn.leakyrelu", "x where it is positive, else alpha * x",
                     "inferSame(location, adaptor.getData())",
                     [Relax_TVMAttrs<"LeakyReluAttrs">]> {
  let arguments = (ins Relax_FloatTensor:$data, Relax_Float<"0.01">:$alpha);
}

def Relax_PReluOp
    : Relax_TensorOp<"nn.prelu", "leakyrelu with an alpha for each channel",
                     "inferAlong(location, adaptor.getData(), "
                     "adaptor.getAxis())", [Relax_TVMAttrs<"PReluAttrs">]> {
  let arguments = (ins
    Relax_FloatTensor:$data, Relax_Tensor:$alpha, Relax_Int<1>:$axis
  );
}

def Relax_SoftplusOp
    : Relax_TensorOp<"nn.softplus", "log(1 + exp(beta * x)) / beta",
                     "inferSame(location, adaptor.getData())",
                     [Relax_TVMAttrs<"SoftplusAttrs">]> {
  let arguments = (ins
    Relax_FloatTensor:$data, Relax_Float<"1.0">:$beta,
    Relax_Float<"20.0">:$threshold
  );
}

class Relax_SoftmaxOpBase<string mnemonic, string desc>
    : Relax_ComputeOp<mnemonic,
                      "inferAlong(location, adaptor.getData(), "
                      "adaptor.getAxis())", [Relax_TVMAttrs<"SoftmaxAttrs">]> {
  let summary = desc # " along `axis`";
  let description = [{
    ```mlir
    %0 = relax.nn.softmax %x : tensor<8x10xf32>
    %1 = relax.nn.softmax %x axis = 0 : tensor<8x10xf32>
    ```

    It is an error when `axis` is out of range.
  }];
  let arguments = (ins Relax_FloatTensor:$data, Relax_Int<-1>:$axis);
  let results = (outs Relax_FloatTensor:$result);
  let assemblyFormat = [{
    $data (`axis` `=` $axis^)? attr-dict `:`
    custom<Signature>(type($data), type($result))
  }];
}

def Relax_LogSoftmaxOp
    : Relax_SoftmaxOpBase<"nn.log_softmax", "log(softmax(x))">;
def Relax_SoftmaxOp
    : Relax_SoftmaxOpBase<"nn.softmax", "exp(x) / sum(exp(x))">;

//===----------------------------------------------------------------------===//
// Normalization
//===----------------------------------------------------------------------===//

def Relax_LayerNormOp
    : Relax_ComputeOp<"nn.layer_norm",
                      "inferNormalized(location, adaptor.getData(), "
                      "{{adaptor.getGamma(), \"gamma\"}, "
                      "{adaptor.getBeta(), \"beta\"}}, adaptor.getAxes())",
                      [Relax_TVMAttrs<"LayerNormAttrs">]> {
  let summary = "Normalizes over `axes`, then scales and shifts";
  let description = [{
    (x - mean) / sqrt(variance + epsilon) * gamma + beta. `gamma` and `beta`
    have the shape of the dimensions `axes`; `scale` and `center` say whether
    they are used.

    ```mlir
    %0 = relax.nn.layer_norm %x, %gamma, %beta axes = [-1]
      : tensor<1x16x64xf32>, tensor<64xf32>, tensor<64xf32>
        -> tensor<1x16x64xf32>
    ```

    It is an error when an axis is out of range or named twice, or when gamma
    or beta has another shape or element type.
  }];
  let arguments = (ins
    Relax_FloatTensor:$data, Relax_FloatTensor:$gamma, Relax_FloatTensor:$beta,
    DenseI64ArrayAttr:$axes,
    DefaultValuedAttr<F64Attr, "1e-5">:$epsilon,
    DefaultValuedAttr<BoolAttr, "true">:$center,
    DefaultValuedAttr<BoolAttr, "true">:$scale
  );
  let results = (outs Relax_FloatTensor:$result);
  let assemblyFormat = [{
    $data `,` $gamma `,` $beta `axes` `=` $axes (`epsilon` `=` $epsilon^)?
    (`center` `=` $center^)? (`scale` `=` $scale^)? attr-dict `:`
    custom<Signature>(type($data), type($gamma), type($beta), type($result))
  }];
}

def Relax_BatchNormOp : Relax_TVMOp<"nn.batch_norm", [
    Pure, Relax_InferTypes<"return inferBatchNorm(location, adaptor, types);">,
    Relax_TVMAttrs<"BatchNormAttrs">
  ]> {
  let summary = "Normalizes each channel, then scales and shifts it";
  let description = [{
    The results are the normalized data and the new running mean and variance.
    In training the statistics are the data's, and `momentum` is their weight in
    the new running ones; otherwise they are the running ones, which stay.
    `axis` is the dimension of the channels; the four vectors have its size.

    ```mlir
    %y, %mean, %var = relax.nn.batch_norm %x, %gamma, %beta, %m, %v
      axis = 1 training = false
      : (tensor<1x8x32x32xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>,
         tensor<8xf32>) -> (tensor<1x8x32x32xf32>, tensor<8xf32>, tensor<8xf32>)
    ```

    It is an error when `axis` is out of range, or when a vector has another
    size or element type.
  }];
  let arguments = (ins
    Relax_FloatTensor:$data, Relax_FloatTensor:$gamma, Relax_FloatTensor:$beta,
    Relax_FloatTensor:$moving_mean, Relax_FloatTensor:$moving_var,
    I64Attr:$axis,
    DefaultValuedAttr<F64Attr, "1e-5">:$epsilon,
    DefaultValuedAttr<BoolAttr, "true">:$center,
    DefaultValuedAttr<BoolAttr, "true">:$scale,
    DefaultValuedAttr<F64Attr, "0.1">:$momentum,
    DefaultValuedAttr<BoolAttr, "true">:$training
  );
  let results = (outs
    Relax_FloatTensor:$result, Relax_FloatTensor:$new_mean,
    Relax_FloatTensor:$new_var
  );
  let assemblyFormat = [{
    $data `,` $gamma `,` $beta `,` $moving_mean `,` $moving_var
    `axis` `=` $axis (`epsilon` `=` $epsilon^)? (`center` `=` $center^)?
    (`scale` `=` $scale^)? (`momentum` `=` $momentum^)?
    (`training` `=` $training^)? attr-dict `:`
    functional-type(operands, results)
  }];
}

class Relax_ChannelNormOp<string mnemonic, string desc, string attrs, Type data,
                          dag fields, string groups>
    : Relax_TensorOp<mnemonic, desc,
                     "inferChannelNorm(location, adaptor.getData(), "
                     "{{adaptor.getGamma(), \"gamma\"}, "
                     "{adaptor.getBeta(), \"beta\"}}, "
                     "adaptor.getChannelAxis(), adaptor.getAxes(), "
                     # groups # ")",
                     [Relax_TVMAttrs<attrs>]> {
  let arguments = !con((ins
    data:$data, Relax_Tensor:$gamma, Relax_Tensor:$beta
  ), fields, (ins
    I64Attr:$channel_axis, DenseI64ArrayAttr:$axes,
    Relax_Float<"1e-5">:$epsilon, Relax_Bool<"true">:$center,
    Relax_Bool<"true">:$scale
  ));
}

def Relax_GroupNormOp
    : Relax_ChannelNormOp<"nn.group_norm", "Normalizes groups of channels",
                          "GroupNormAttrs", Relax_FloatTensor,
                          (ins I64Attr:$num_groups), "adaptor.getNumGroups()">;
def Relax_InstanceNormOp
    : Relax_ChannelNormOp<"nn.instance_norm", "Normalizes each channel",
                          "InstanceNormAttrs", Relax_Tensor, (ins),
                          "/*groups=*/1">;

def Relax_RMSNormOp
    : Relax_TensorOp<"nn.rms_norm", "Divides by the root of the mean square",
                     "inferNormalized(location, adaptor.getData(), "
                     "{{adaptor.getWeight(), \"weight\"}}, adaptor.getAxes())",
                     [Relax_TVMAttrs<"RMSNormAttrs">]> {
  let arguments = (ins
    Relax_FloatTensor:$data, Relax_FloatTensor:$weight, DenseI64ArrayAttr:$axes,
    Relax_Float<"1e-5">:$epsilon
  );
}

def Relax_DropoutOp
    : Relax_MultiResultOp<"nn.dropout", "Zeros at random, and where",
                          "return inferDropout(location, adaptor, types);",
                          [Relax_TVMAttrs<"DropoutAttrs">]> {
  let arguments = (ins Relax_Tensor:$data, Relax_Float<"0.5">:$rate);
}

//===----------------------------------------------------------------------===//
// Convolution and pooling
//===----------------------------------------------------------------------===//

// In `rank` spatial dimensions, whose letters, such as HW, are `dims`.
class Relax_ConvOp<string mnemonic, string dims, string attrs, string ones,
                   string zeros>
    : Relax_ComputeOp<mnemonic,
                      "inferConv(location, \"" # dims # "\", "
                      "getConv(adaptor))", [Relax_TVMAttrs<attrs>]> {
  let summary = "Convolution of the dimensions " # dims;
  let description = [{
    `padding` is that in front of each dimension, then that behind each: top,
    left, bottom, right. The layouts are permutations of NCHW and OIHW (NCW and
    OIW, NCDHW and OIDHW), parts of whose dimensions may stand at the end:
    NCHW4c; `out_layout` is printed when it is not `data_layout`. The size of a
    spatial dimension of the result is
    (input + padding - dilation * (kernel - 1) - 1) / stride + 1, rounded down.

    ```mlir
    %0 = relax.nn.conv2d %x, %w strides = [2, 2] padding = [3, 3, 3, 3]
      : tensor<1x3x64x64xf32>, tensor<8x3x7x7xf32> -> tensor<1x8x32x32xf32>
    ```

    It is an error when a layout is not such a permutation, a stride, dilation
    or group count is not positive, a padding is negative, the channels do not
    fit the groups, the window is larger than the padded input, or the element
    types differ and there is no `out_dtype`.
  }];
  let arguments = (ins
    Relax_Tensor:$data, Relax_Tensor:$weight,
    Relax_DefaultArray<ones>:$strides,
    Relax_DefaultArray<zeros>:$padding,
    Relax_DefaultArray<ones>:$dilation,
    Relax_Int<1>:$groups,
    Relax_Str<"NC" # dims>:$data_layout,
    Relax_Str<"OI" # dims>:$kernel_layout,
    Relax_Str<"NC" # dims>:$out_layout,
    Relax_OptionalDType:$out_dtype
  );
  let results = (outs Relax_Tensor:$result);
  let assemblyFormat = [{
    $data `,` $weight (`strides` `=` $strides^)? (`padding` `=` $padding^)?
    (`dilation` `=` $dilation^)? (`groups` `=` $groups^)?
    (`data_layout` `=` $data_layout^)? (`kernel_layout` `=` $kernel_layout^)?
    `` custom<OutLayout>(ref($data_layout), $out_layout)
    (`out_dtype` `=` $out_dtype^)? attr-dict `:`
    custom<Signature>(type($data), type($weight), type($result))
  }];
}

def Relax_Conv1DOp
    : Relax_ConvOp<"nn.conv1d", "W", "Conv1DAttrs", "{1}", "{0, 0}">;
def Relax_Conv2DOp
    : Relax_ConvOp<"nn.conv2d", "HW", "Conv2DAttrs", "{1, 1}", "{0, 0, 0, 0}">;
def Relax_Conv3DOp
    : Relax_ConvOp<"nn.conv3d", "DHW", "Conv3DAttrs", "{1, 1, 1}",
                   "{0, 0, 0, 0, 0, 0}">;

class Relax_ConvTransposeOp<string mnemonic, string dims, string attrs,
                            string ones, string zeros, string noPadding>
    : Relax_TensorOp<mnemonic, "Transposed convolution of the dimensions " # dims,
                     "inferConvTranspose(location, \"" # dims # "\", "
                     "getConv(adaptor), adaptor.getOutputPadding())",
                     [Relax_TVMAttrs<attrs>]> {
  let description = [{
    The size of a spatial dimension of the result is (input - 1) * stride -
    padding + dilation * (kernel - 1) + output_padding + 1. It is an error when
    an output padding is not smaller than its stride, or as for a convolution.
  }];
  let arguments = (ins
    Relax_Tensor:$data, Relax_Tensor:$weight,
    Relax_DefaultArray<ones>:$strides,
    Relax_DefaultArray<zeros>:$padding,
    Relax_DefaultArray<noPadding>:$output_padding,
    Relax_DefaultArray<ones>:$dilation,
    Relax_Int<1>:$groups,
    Relax_Str<"NC" # dims>:$data_layout,
    Relax_Str<"IO" # dims>:$kernel_layout,
    Relax_Str<"NC" # dims>:$out_layout,
    Relax_OptionalDType:$out_dtype
  );
}

def Relax_Conv1DTransposeOp
    : Relax_ConvTransposeOp<"nn.conv1d_transpose", "W", "Conv1DTransposeAttrs",
                            "{1}", "{0, 0}", "{0}">;
def Relax_Conv2DTransposeOp
    : Relax_ConvTransposeOp<"nn.conv2d_transpose", "HW", "Conv2DTransposeAttrs",
                            "{1, 1}", "{0, 0, 0, 0}", "{0, 0}">;
def Relax_Conv3DTransposeOp
    : Relax_ConvTransposeOp<"nn.conv3d_transpose", "DHW", "Conv3DTransposeAttrs",
                            "{1, 1, 1}", "{0, 0, 0, 0, 0, 0}", "{0, 0, 0}">;

class Relax_PoolOp<string mnemonic, string desc, string dims, string attrs,
                   string ones, string zeros>
    : Relax_ComputeOp<mnemonic,
                      "inferPool(location, \"" # dims # "\", "
                      "adaptor.getData(), getPool(adaptor))",
                      [Relax_TVMAttrs<attrs>]> {
  let summary = desc # " of each window in the dimensions " # dims;
  let description = [{
    `padding` is top, left, bottom, right. With `ceil_mode` a window that is cut
    off at the end counts too, unless it starts in the padding.
    `count_include_pad` says whether an average counts the padding.

    ```mlir
    %0 = relax.nn.max_pool2d %x pool_size = [3, 3] strides = [2, 2]
      padding = [1, 1, 1, 1] : tensor<1x8x32x32xf32> -> tensor<1x8x16x16xf32>
    ```

    It is an error when a layout is not a permutation of NCHW, a window, stride
    or dilation is not positive, a padding is negative, or the window is larger
    than the padded input.
  }];
  let arguments = (ins
    Relax_Tensor:$data,
    Relax_DefaultArray<ones>:$pool_size,
    Relax_DefaultArray<ones>:$strides,
    Relax_DefaultArray<ones>:$dilation,
    Relax_DefaultArray<zeros>:$padding,
    Relax_Bool<"false">:$ceil_mode,
    Relax_Bool<"false">:$count_include_pad,
    Relax_Str<"NC" # dims>:$layout,
    Relax_Str<"NC" # dims>:$out_layout
  );
  let results = (outs Relax_Tensor:$result);
  let assemblyFormat = [{
    $data (`pool_size` `=` $pool_size^)? (`strides` `=` $strides^)?
    (`dilation` `=` $dilation^)? (`padding` `=` $padding^)?
    (`ceil_mode` `=` $ceil_mode^)?
    (`count_include_pad` `=` $count_include_pad^)? (`layout` `=` $layout^)?
    `` custom<OutLayout>(ref($layout), $out_layout) attr-dict `:`
    custom<Signature>(type($data), type($result))
  }];
}

class Relax_Pool1DOp<string mnemonic, string desc>
    : Relax_PoolOp<mnemonic, desc, "W", "Pool1DAttrs", "{1}", "{0, 0}">;
class Relax_Pool2DOp<string mnemonic, string desc>
    : Relax_PoolOp<mnemonic, desc, "HW", "Pool2DAttrs", "{1, 1}",
                   "{0, 0, 0, 0}">;
class Relax_Pool3DOp<string mnemonic, string desc>
    : Relax_PoolOp<mnemonic, desc, "DHW", "Pool3DAttrs", "{1, 1, 1}",
                   "{0, 0, 0, 0, 0, 0}">;

def Relax_AvgPool1DOp : Relax_Pool1DOp<"nn.avg_pool1d", "The average">;
def Relax_AvgPool2DOp : Relax_Pool2DOp<"nn.avg_pool2d", "The average">;
def Relax_AvgPool3DOp : Relax_Pool3DOp<"nn.avg_pool3d", "The average">;
def Relax_MaxPool1DOp : Relax_Pool1DOp<"nn.max_pool1d", "The maximum">;
def Relax_MaxPool2DOp : Relax_Pool2DOp<"nn.max_pool2d", "The maximum">;
def Relax_MaxPool3DOp : Relax_Pool3DOp<"nn.max_pool3d", "The maximum">;

class Relax_AdaptivePoolOp<string mnemonic, string dims, string attrs>
    : Relax_TensorOp<mnemonic, "The averages of `output_size` windows",
                     "inferAdaptivePool(location, \"" # dims # "\", "
                     "adaptor.getData(), adaptor.getOutputSize(), "
                     "adaptor.getLayout(), adaptor.getOutLayout())",
                     [Relax_TVMAttrs<attrs>]> {
  let arguments = (ins
    Relax_Tensor:$data, Relax_OptionalAxes:$output_size,
    Relax_Str<"NC" # dims>:$layout, Relax_Str<"NC" # dims>:$out_layout
  );
}

def Relax_AdaptiveAvgPool1DOp
    : Relax_AdaptivePoolOp<"nn.adaptive_avg_pool1d", "W", "AdaptivePool1DAttrs">;
def Relax_AdaptiveAvgPool2DOp
    : Relax_AdaptivePoolOp<"nn.adaptive_avg_pool2d", "HW",
                           "AdaptivePool2DAttrs">;
def Relax_AdaptiveAvgPool3DOp
    : Relax_AdaptivePoolOp<"nn.adaptive_avg_pool3d", "DHW",
                           "AdaptivePool3DAttrs">;

//===----------------------------------------------------------------------===//
// Attention, losses and others
//===----------------------------------------------------------------------===//

class Relax_AttentionOpBase<string mnemonic, string desc, dag operands>
    : Relax_TensorOp<mnemonic, desc,
                     "inferAttention(location, adaptor.getOperands())",
                     [Relax_TVMAttrs<"AttentionAttrs">]> {
  let arguments = !con((ins
    Relax_Tensor:$query, Relax_Tensor:$key, Relax_Tensor:$value
  ), operands, (ins
    OptionalAttr<AnyAttr>:$scale, OptionalAttr<StrAttr>:$causal_mask,
    OptionalAttr<AnyAttr>:$window_size
  ));
}

def Relax_AttentionOp
    : Relax_AttentionOpBase<"nn.attention", "Attention", (ins)>;
def Relax_AttentionBiasOp
    : Relax_AttentionOpBase<"nn.attention_bias", "Attention with a bias",
                            (ins Relax_Tensor:$bias)>;
def Relax_AttentionVarLenOp
    : Relax_AttentionOpBase<"nn.attention_var_len",
                            "Attention on sequences of several lengths",
                            (ins Relax_Tensor:$seqstart_q,
                                 Relax_Tensor:$seqstart_k,
                                 Relax_Tensor:$max_seqlen_q,
                                 Relax_Tensor:$max_seqlen_k)>;

def Relax_CrossEntropyWithLogitsOp
    : Relax_TensorOp<"nn.cross_entropy_with_logits", "Cross entropy",
                     "inferCrossEntropy(location, adaptor)"> {
  let arguments = (ins Relax_Tensor:$predictions, Relax_Tensor:$labels);
}

def Relax_NLLLossOp
    : Relax_TensorOp<"nn.nll_loss", "Negative log likelihood",
                     "inferNLLLoss(location, adaptor)",
                     [Relax_TVMAttrs<"NLLLossAttrs">]> {
  let arguments = (ins
    Relax_Tensor:$predictions, Relax_Tensor:$targets,
    Optional<Relax_Tensor>:$weights, Relax_Str<"mean">:$reduction,
    Relax_Int<-100>:$ignore_index
  );
}

def Relax_BatchFlattenOp
    : Relax_TensorOp<"nn.batch_flatten", "All dimensions but the first in one",
                     "inferBatchFlatten(location, adaptor.getData())"> {
  let arguments = (ins Relax_Tensor:$data);
}

def Relax_PadOp
    : Relax_TensorOp<"nn.pad", "Adds elements around each dimension",
                     "inferPad(location, adaptor)",
                     [Relax_TVMAttrs<"PadAttrs">]> {
  let description = [{
    `pad_width` has two numbers for each dimension: how many go in front of it,
    and how many behind it.
  }];
  let arguments = (ins
    Relax_Tensor:$data, DenseI64ArrayAttr:$pad_width,
    Relax_Float<"0.0">:$pad_value, Relax_Str<"constant">:$pad_mode
  );
}

def Relax_PixelShuffleOp
    : Relax_TensorOp<"nn.pixel_shuffle", "Moves channels into the plane",
                     "inferPixelShuffle(location, adaptor)",
                     [Relax_TVMAttrs<"PixelShuffleAttrs">]> {
  let arguments = (ins Relax_Tensor:$data, I64Attr:$upscale_factor);
}

#endif // PARTITA_DIALECT_RELAX_IR_RELAXNNOPS
