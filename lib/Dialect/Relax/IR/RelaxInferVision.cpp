//===- RelaxInferVision.cpp - Types of ops on images ---------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RelaxDetail.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace partita::relax;

/// The tensor `value`, whose rank is `rank`.
static FailureOr<TensorInfo> getOfRank(OptionalLoc loc, Value value,
                                       StringRef name, int64_t rank) {
  FailureOr<TensorInfo> info = getTensor(loc, value, name);
  if (failed(info))
    return failure();
  if (info->isRanked && info->getRank() != rank)
    return emitOptionalError(loc, "expected '", name, "' to have rank ", rank,
                             ", found ", value.getType());
  if (!info->isRanked)
    info->setRank(rank);
  return info;
}

FailureOr<Type> partita::relax::inferResize(OptionalLoc loc, StringRef dims,
                                            Value data, Value size,
                                            StringRef layout,
                                            TypeAttr outDtype) {
  FailureOr<TensorInfo> info = getTensor(loc, data, "data");
  std::string canonical = ("NC" + dims).str();
  std::optional<SmallVector<Dim>> sizes = getShapeDims(size);
  if (failed(info) || failed(checkLayout(loc, "layout", layout, canonical)))
    return failure();
  if (!sizes || sizes->size() != dims.size())
    return emitOptionalError(loc, "expected 'size' to be a !relax.shape of ",
                             dims.size(), " dimensions, found ",
                             size.getType());
  FailureOr<SmallVector<Dim>> result =
      toCanonical(loc, *info, layout, canonical);
  if (failed(result))
    return failure();
  llvm::copy(*sizes, result->begin() + 2);
  info->setDims(fromCanonical(*result, layout, canonical));
  if (outDtype)
    info->elementType = outDtype.getValue();
  return info->getType(data.getContext());
}

FailureOr<Type> partita::relax::inferGridSample(OptionalLoc loc,
                                                GridSampleOp::Adaptor op) {
  FailureOr<TensorInfo> data = getTensor(loc, op.getData(), "data");
  FailureOr<TensorInfo> grid = getTensor(loc, op.getGrid(), "grid");
  if (failed(data) || failed(grid))
    return failure();
  StringRef layout = op.getLayout(),
            canonical = layout == "NCDHW" ? "NCDHW" : "NCHW";
  if (failed(checkLayout(loc, "layout", layout, canonical)))
    return failure();
  FailureOr<SmallVector<Dim>> result =
      toCanonical(loc, *data, layout, canonical);
  if (failed(result))
    return failure();
  if (grid->isRanked && grid->dims.size() != canonical.size())
    return emitOptionalError(loc, "expected 'grid' to have the data's rank, ",
                             canonical.size(), ", found ",
                             op.getGrid().getType());
  for (size_t index = 2; index < canonical.size(); ++index)
    (*result)[index] = grid->isRanked ? grid->dims[index] : Dim();
  data->setDims(fromCanonical(*result, layout, canonical));
  return data->getType(op.getData().getContext());
}

FailureOr<Type> partita::relax::inferAffineGrid(OptionalLoc loc,
                                                AffineGridOp::Adaptor op) {
  FailureOr<TensorInfo> data = getOfRank(loc, op.getData(), "data", 3);
  if (failed(data))
    return failure();
  std::optional<SmallVector<Dim>> size = getShapeDims(op.getSize());
  if (!size || (size->size() != 2 && size->size() != 3))
    return emitOptionalError(loc,
                             "expected 'size' to be a !relax.shape of 2 "
                             "or 3 dimensions, found ",
                             op.getSize().getType());
  int64_t spatial = size->size();
  if (!mayBeEqual(data->dims[1], Dim(spatial)) ||
      !mayBeEqual(data->dims[2], Dim(spatial + 1)))
    return emitOptionalError(loc, "expected matrices of ", spatial, " times ",
                             spatial + 1, ", found ", op.getData().getType());
  SmallVector<Dim> dims = {data->dims[0], Dim(spatial)};
  llvm::append_range(dims, *size);
  data->setDims(dims);
  return data->getType(op.getData().getContext());
}

LogicalResult partita::relax::inferAllClassNMS(
    OptionalLoc loc, AllClassNonMaxSuppressionOp::Adaptor op, TypeList &types) {
  FailureOr<TensorInfo> boxes = getOfRank(loc, op.getBoxes(), "boxes", 3);
  FailureOr<TensorInfo> scores = getOfRank(loc, op.getScores(), "scores", 3);
  if (failed(boxes) || failed(scores))
    return failure();
  MLIRContext *context = op.getBoxes().getContext();
  auto append = [&](ArrayRef<Dim> dims, Type element) {
    TensorInfo info(dims, element);
    info.vdevice = boxes->vdevice;
    types.push_back(info.getType(context));
  };
  Type i64 = IntegerType::get(context, 64);
  Dim batch = boxes->dims[0], each = scores->dims[1] * boxes->dims[1];
  if (op.getOutputFormat() == "onnx") {
    append({batch * each, 3}, i64);
    append({Dim(1)}, i64);
    return success();
  }
  append({batch, each, 2}, i64);
  append({batch, each}, Float32Type::get(context));
  append({batch}, i64);
  return success();
}

/// Verifies that `index` is a place in the last dimension of boxes, `length`
/// long, or at least `least`.
static LogicalResult checkPlace(OptionalLoc loc, StringRef name, int64_t index,
                                int64_t least, Dim length) {
  if (!length.isNumber() || (index >= least && index < length.getSize()))
    return success();
  return emitOptionalError(loc, "expected '", name, "' to be at least ", least,
                           " and below ", length.getSize(), ", found ", index);
}

LogicalResult partita::relax::inferValidCounts(OptionalLoc loc,
                                               GetValidCountsOp::Adaptor op,
                                               TypeList &types) {
  FailureOr<TensorInfo> data = getOfRank(loc, op.getData(), "data", 3);
  if (failed(data) ||
      failed(checkPlace(loc, "id_index", op.getIdIndex(), -1, data->dims[2])) ||
      failed(
          checkPlace(loc, "score_index", op.getScoreIndex(), 0, data->dims[2])))
    return failure();
  MLIRContext *context = op.getData().getContext();
  TensorInfo info = *data;
  info.elementType = IntegerType::get(context, 32);
  info.setDims(data->dims[0]);
  types.push_back(info.getType(context));
  data->shape = {};
  types.push_back(data->getType(context));
  info.setDims({data->dims[0], data->dims[1]});
  types.push_back(info.getType(context));
  return success();
}

LogicalResult partita::relax::inferMultibox(OptionalLoc loc,
                                            MultiboxTransformLocOp::Adaptor op,
                                            TypeList &types) {
  FailureOr<TensorInfo> classes =
      getOfRank(loc, op.getClsPred(), "cls_pred", 3);
  FailureOr<TensorInfo> locations =
      getOfRank(loc, op.getLocPred(), "loc_pred", 2);
  FailureOr<TensorInfo> anchors = getOfRank(loc, op.getAnchor(), "anchor", 3);
  if (failed(classes) || failed(locations) || failed(anchors) ||
      failed(inferElementType(loc, *classes, *locations)) ||
      failed(inferElementType(loc, *classes, *anchors)))
    return failure();
  if (!mayBeEqual(locations->dims[0], classes->dims[0]) ||
      !mayBeEqual(locations->dims[1], classes->dims[2] * Dim(4)))
    return emitOptionalError(loc,
                             "expected 4 numbers in 'loc_pred' for each "
                             "anchor, found ",
                             op.getLocPred().getType(), " and ",
                             op.getClsPred().getType());
  if (!mayBeEqual(anchors->dims[0], Dim(1)) ||
      !mayBeEqual(anchors->dims[1], classes->dims[2]) ||
      !mayBeEqual(anchors->dims[2], Dim(4)))
    return emitOptionalError(loc, "expected 'anchor' to have shape ",
                             toString({Dim(1), classes->dims[2], Dim(4)}),
                             " to fit ", op.getClsPred().getType(), ", found ",
                             op.getAnchor().getType());
  if (op.getVariances().size() != 4)
    return emitOptionalError(loc,
                             "expected 'variances' to be 4 numbers, found ",
                             op.getVariances().size());
  MLIRContext *context = op.getClsPred().getContext();
  TensorInfo boxes = *classes;
  boxes.setDims({classes->dims[0], classes->dims[2], 4});
  types.push_back(boxes.getType(context));
  classes->shape = {};
  types.push_back(classes->getType(context));
  return success();
}

LogicalResult partita::relax::inferNMS(OptionalLoc loc,
                                       NonMaxSuppressionOp::Adaptor op,
                                       TypeList &types) {
  FailureOr<TensorInfo> data = getOfRank(loc, op.getData(), "data", 3);
  FailureOr<TensorInfo> counts =
      getOfRank(loc, op.getValidCount(), "valid_count", 1);
  FailureOr<TensorInfo> indices = getOfRank(loc, op.getIndices(), "indices", 2);
  if (failed(data) || failed(counts) || failed(indices))
    return failure();
  std::tuple<StringRef, TensorInfo, Value> tensors[] = {
      {"valid_count", *counts, op.getValidCount()},
      {"indices", *indices, op.getIndices()}};
  for (const auto &[name, info, value] : tensors) {
    ArrayRef<Dim> dims = ArrayRef(data->dims).take_front(info.dims.size());
    bool areNumbers = !info.elementType || info.elementType.isInteger(32);
    if (areNumbers && llvm::all_of_zip(info.dims, dims, mayBeEqual))
      continue;
    return emitOptionalError(
        loc, "expected '", name, "' to be 32-bit integers of shape ",
        toString(dims), " to fit the data, found ", value.getType());
  }
  Dim length = data->dims[2];
  if (failed(checkPlace(loc, "id_index", op.getIdIndex(), -1, length)) ||
      failed(checkPlace(loc, "score_index", op.getScoreIndex(), 0, length)) ||
      failed(checkPlace(loc, "coord_start", op.getCoordStart(), 0,
                        length.isNumber() ? Dim(length.getSize() - 3) : Dim())))
    return failure();
  MLIRContext *context = op.getData().getContext();
  data->shape = {};
  bool isSoft = op.getSoftNmsSigma().convertToDouble() > 0;
  if (!op.getReturnIndices() || isSoft)
    types.push_back(data->getType(context));
  if (!op.getReturnIndices())
    return success();
  TensorInfo info = *data;
  info.elementType = IntegerType::get(context, 32);
  info.setDims({data->dims[0], data->dims[1]});
  types.push_back(info.getType(context));
  info.setDims({data->dims[0], 1});
  types.push_back(info.getType(context));
  return success();
}

/// The type that ops which pool regions give in one of the `layouts`.
template <typename AdaptorT>
static FailureOr<Type> inferROI(OptionalLoc loc, AdaptorT op,
                                ArrayRef<StringRef> layouts) {
  Value data = op.getData(), rois = op.getRois();
  FailureOr<TensorInfo> info = getOfRank(loc, data, "data", 4);
  FailureOr<TensorInfo> regions = getOfRank(loc, rois, "rois", 2);
  if (failed(info) || failed(regions))
    return failure();
  StringRef layout = op.getLayout();
  if (!llvm::is_contained(layouts, layout))
    return emitOptionalError(loc, "expected 'layout' to be ",
                             llvm::join(layouts, " or "), ", found '", layout,
                             "'");
  ArrayRef<int64_t> pooledSize = op.getPooledSize();
  if (pooledSize.size() != 2 || pooledSize[0] < 0 || pooledSize[1] < 0)
    return emitOptionalError(loc, "expected 'pooled_size' to be 2 sizes");
  if (!mayBeEqual(regions->dims[1], 5))
    return emitOptionalError(loc, "expected 5 numbers for each region, found ",
                             rois.getType());
  bool areChannelsFirst = layout == "NCHW";
  SmallVector<Dim> dims = {regions->dims[0], pooledSize[0], pooledSize[1]};
  dims.insert(areChannelsFirst ? dims.begin() + 1 : dims.end(),
              info->dims[areChannelsFirst ? 1 : 3]);
  info->setDims(dims);
  return info->getType(data.getContext());
}

FailureOr<Type> partita::relax::inferROIAlign(OptionalLoc loc,
                                              ROIAlignOp::Adaptor op) {
  StringRef mode = op.getMode();
  if (mode != "avg" && mode != "max")
    return emitOptionalError(loc, "expected 'mode' to be avg or max, found '",
                             mode, "'");
  return inferROI(loc, op, {"NCHW", "NHWC"});
}

FailureOr<Type> partita::relax::inferROIPool(OptionalLoc loc,
                                             ROIPoolOp::Adaptor op) {
  return inferROI(loc, op, {"NCHW"});
}
