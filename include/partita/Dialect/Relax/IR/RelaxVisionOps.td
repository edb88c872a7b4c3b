//===- RelaxVisionOps.td - Ops on images -------------------*- tablegen -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_DIALECT_RELAX_IR_RELAXVISIONOPS
#define PARTITA_DIALECT_RELAX_IR_RELAXVISIONOPS

include "partita/Dialect/Relax/IR/RelaxBase.td"

class Relax_ResizeOp<string mnemonic, string dims, string attrs>
    : Relax_TensorOp<mnemonic, "Resizes the dimensions " # dims # " to `size`",
                     "inferResize(location, \"" # dims # "\", "
                     "adaptor.getData(), adaptor.getSize(), "
                     "adaptor.getLayout(), adaptor.getOutDtypeAttr())",
                     [Relax_TVMAttrs<attrs>]> {
  let arguments = (ins
    Relax_Tensor:$data, Relax_ShapeType:$size, AnyAttr:$roi,
    Relax_Str<"NC" # dims>:$layout, Relax_Str<"linear">:$method,
    Relax_Str<"half_pixel">:$coordinate_transformation_mode,
    Relax_Str<"round">:$rounding_method, Relax_Float<"-0.75">:$cubic_alpha,
    Relax_Int<0>:$cubic_exclude, Relax_Float<"0.0">:$extrapolation_value,
    Relax_OptionalDType:$out_dtype
  );
}

def Relax_Resize2DOp
    : Relax_ResizeOp<"image.resize2d", "HW", "Resize2DAttrs">;
def Relax_Resize3DOp
    : Relax_ResizeOp<"image.resize3d", "DHW", "Resize3DAttrs">;

def Relax_GridSampleOp
    : Relax_TensorOp<"image.grid_sample", "The values at the points of `grid`",
                     "inferGridSample(location, adaptor)",
                     [Relax_TVMAttrs<"GridSampleAttrs">]> {
  let arguments = (ins
    Relax_Tensor:$data, Relax_Tensor:$grid, Relax_Str<"bilinear">:$method,
    Relax_Str<"NCHW">:$layout, Relax_Str<"zeros">:$padding_mode,
    Relax_Bool<"false">:$align_corners
  );
}

def Relax_AffineGridOp
    : Relax_TensorOp<"image.affine_grid", "A grid for grid_sample",
                     "inferAffineGrid(location, adaptor)",
                     [Relax_TVMAttrs<"AffineGridAttrs">]> {
  let arguments = (ins
    Relax_Tensor:$data, Relax_ShapeType:$size, Relax_Bool<"true">:$align_corners
  );
}

def Relax_AllClassNonMaxSuppressionOp
    : Relax_MultiResultOp<"vision.all_class_non_max_suppression",
                          "The boxes of each class that remain",
                          "return inferAllClassNMS(location, adaptor, types);",
                          [Relax_TVMAttrs<
                              "AllClassNonMaximumSuppressionAttrs">]> {
  let arguments = (ins
    Relax_Tensor:$boxes, Relax_Tensor:$scores,
    Relax_Tensor:$max_output_boxes_per_class, Relax_Tensor:$iou_threshold,
    Relax_Tensor:$score_threshold, Relax_Str<"onnx">:$output_format
  );
}

def Relax_GetValidCountsOp
    : Relax_MultiResultOp<"vision.get_valid_counts",
                          "The boxes of sufficient score",
                          "return inferValidCounts(location, adaptor, types);",
                          [Relax_TVMAttrs<"GetValidCountsAttrs">]> {
  let arguments = (ins
    Relax_Tensor:$data, Relax_Float<"0.0">:$score_threshold,
    Relax_Int<0>:$id_index, Relax_Int<1>:$score_index
  );
}

def Relax_MultiboxTransformLocOp
    : Relax_MultiResultOp<"vision.multibox_transform_loc",
                          "Boxes and scores of predictions",
                          "return inferMultibox(location, adaptor, types);",
                          [Relax_TVMAttrs<"MultiboxTransformLocAttrs">]> {
  let arguments = (ins
    Relax_Tensor:$cls_pred, Relax_Tensor:$loc_pred, Relax_Tensor:$anchor,
    Relax_Bool<"false">:$clip, Relax_Float<"0.0">:$threshold,
    DefaultValuedAttr<DenseF64ArrayAttr, "{1.0, 1.0, 1.0, 1.0}">:$variances,
    Relax_Bool<"true">:$keep_background, Relax_Bool<"true">:$apply_softmax
  );
}

def Relax_NonMaxSuppressionOp
    : Relax_MultiResultOp<"vision.non_max_suppression", "The boxes that remain",
                          "return inferNMS(location, adaptor, types);",
                          [Relax_TVMAttrs<"NonMaximumSuppressionAttrs">]> {
  let arguments = (ins
    Relax_Tensor:$data, Relax_Tensor:$valid_count, Relax_Tensor:$indices,
    Relax_Int<-1>:$max_output_size, Relax_Float<"0.5">:$iou_threshold,
    Relax_Bool<"false">:$force_suppress, Relax_Int<-1>:$top_k,
    Relax_Int<2>:$coord_start, Relax_Int<1>:$score_index, Relax_Int<0>:$id_index,
    Relax_Bool<"true">:$return_indices, Relax_Bool<"false">:$invalid_to_bottom,
    Relax_Float<"0.0">:$soft_nms_sigma, Relax_Float<"0.0">:$score_threshold
  );
}

class Relax_ROIOp<string mnemonic, string infer, string attrs, dag fields>
    : Relax_TensorOp<mnemonic, "Pools each region of interest",
                     infer # "(location, adaptor)", [Relax_TVMAttrs<attrs>]> {
  let arguments = !con((ins
    Relax_Tensor:$data, Relax_Tensor:$rois, DenseI64ArrayAttr:$pooled_size,
    F64Attr:$spatial_scale
  ), fields, (ins Relax_Str<"NCHW">:$layout));
}

def Relax_ROIAlignOp
    : Relax_ROIOp<"vision.roi_align", "inferROIAlign", "ROIAlignAttrs", (ins
        Relax_Int<-1>:$sample_ratio, Relax_Bool<"false">:$aligned,
        Relax_Str<"avg">:$mode
      )>;
def Relax_ROIPoolOp
    : Relax_ROIOp<"vision.roi_pool", "inferROIPool", "ROIPoolAttrs", (ins)>;

#endif // PARTITA_DIALECT_RELAX_IR_RELAXVISIONOPS
