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

// `{a, b}` as the default of an array attribute.
class Relax_DefaultArray<string value>
    : DefaultValuedAttr<DenseI64ArrayAttr, value>;

//===----------------------------------------------------------------------===//
// Activations
//===----------------------------------------------------------------------===//

def Relax_GeluOp : Relax_UnaryOp<"nn.gelu", "Gaussian error linear unit">;
def Relax_ReluOp : Relax_UnaryOp<"nn.relu", "max(x, 0)", Relax_Tensor> {
  let hasFolder = 1;
}
def Relax_SiluOp : Relax_UnaryOp<"nn.silu", "x * sigmoid(x)">;

def Relax_SoftmaxOp : Relax_Op<"nn.softmax", [
    AllTypesMatch<["data", "result"]>, Pure
  ]> {
  let summary = "exp(x) / sum(exp(x)) along `axis`";
  let description = [{
    ```mlir
    %0 = relax.nn.softmax %x : tensor<8x10xf32>
    %1 = relax.nn.softmax %x axis = 0 : tensor<8x10xf32>
    ```

    It is an error when `axis` is out of range.
  }];
  let arguments = (ins
    Relax_FloatTensor:$data, DefaultValuedAttr<I64Attr, "-1">:$axis
  );
  let results = (outs Relax_FloatTensor:$result);
  let assemblyFormat = [{
    $data (`axis` `=` $axis^)? attr-dict `:` type($data)
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Normalization
//===----------------------------------------------------------------------===//

def Relax_LayerNormOp
    : Relax_ComputeOp<"nn.layer_norm", "inferLayerNorm(location, adaptor)"> {
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

def Relax_BatchNormOp : Relax_Op<"nn.batch_norm", [
    Pure, Relax_InferTypes<"return inferBatchNorm(location, adaptor, types);">
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

//===----------------------------------------------------------------------===//
// Convolution and pooling
//===----------------------------------------------------------------------===//

def Relax_Conv2DOp
    : Relax_ComputeOp<"nn.conv2d", "inferConv2D(location, adaptor)"> {
  let summary = "Convolution in two dimensions";
  let description = [{
    `padding` is top, left, bottom, right. The layouts are permutations of NCHW
    and OIHW; `out_layout` is printed when it is not `data_layout`. The size of
    a spatial dimension of the result is
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
    Relax_DefaultArray<"{1, 1}">:$strides,
    Relax_DefaultArray<"{0, 0, 0, 0}">:$padding,
    Relax_DefaultArray<"{1, 1}">:$dilation,
    DefaultValuedAttr<I64Attr, "1">:$groups,
    DefaultValuedStrAttr<StrAttr, "NCHW">:$data_layout,
    DefaultValuedStrAttr<StrAttr, "OIHW">:$kernel_layout,
    DefaultValuedStrAttr<StrAttr, "NCHW">:$out_layout,
    OptionalAttr<TypeAttr>:$out_dtype
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

class Relax_Pool2DOp<string mnemonic, string desc>
    : Relax_ComputeOp<mnemonic,
                      "inferPool2D(location, adaptor.getData(), "
                      "{adaptor.getPoolSize(), adaptor.getStrides(), "
                      "adaptor.getDilation(), adaptor.getPadding(), "
                      "adaptor.getCeilMode(), adaptor.getLayout(), "
                      "adaptor.getOutLayout()})"> {
  let summary = desc # " of each window in two dimensions";
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
    Relax_DefaultArray<"{1, 1}">:$pool_size,
    Relax_DefaultArray<"{1, 1}">:$strides,
    Relax_DefaultArray<"{1, 1}">:$dilation,
    Relax_DefaultArray<"{0, 0, 0, 0}">:$padding,
    DefaultValuedAttr<BoolAttr, "false">:$ceil_mode,
    DefaultValuedAttr<BoolAttr, "false">:$count_include_pad,
    DefaultValuedStrAttr<StrAttr, "NCHW">:$layout,
    DefaultValuedStrAttr<StrAttr, "NCHW">:$out_layout
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

def Relax_AvgPool2DOp : Relax_Pool2DOp<"nn.avg_pool2d", "The average">;
def Relax_MaxPool2DOp : Relax_Pool2DOp<"nn.max_pool2d", "The maximum">;

#endif // PARTITA_DIALECT_RELAX_IR_RELAXNNOPS
