//===- UpdateVDevice.cpp - Replace a device -------------------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "VDevices.h"

#include "partita/Dialect/Relax/IR/RelaxShape.h"
#include "partita/Dialect/Relax/Transforms/Passes.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/AttrTypeSubElements.h"

namespace partita::relax {
#define GEN_PASS_DEF_UPDATEVDEVICE
#include "partita/Dialect/Relax/Transforms/Passes.h.inc"
} // namespace partita::relax

using namespace mlir;
using namespace partita;
using namespace partita::relax;

namespace {
struct UpdateVDevice : relax::impl::UpdateVDeviceBase<UpdateVDevice> {
  using UpdateVDeviceBase::UpdateVDeviceBase;
  void runOnOperation() override;
};
} // namespace

ArrayAttr partita::relax::getVDevices(IRModuleOp module) {
  DictionaryAttr infos = module.getGlobalInfosAttr();
  auto devices = infos ? infos.getAs<ArrayAttr>("vdevice") : ArrayAttr();
  return devices ? devices : ArrayAttr::get(module.getContext(), {});
}

bool partita::relax::isVDevice(Attribute attr) {
  auto device = dyn_cast_if_present<DictionaryAttr>(attr);
  return device && device.get("target") &&
         device.getAs<IntegerAttr>("vdevice_id") &&
         device.getAs<StringAttr>("memory_scope");
}

void UpdateVDevice::runOnOperation() {
  int64_t place = index;
  IRModuleOp module = getOperation();
  ArrayAttr devices = getVDevices(module);
  if (place < 0 || place >= int64_t(devices.size())) {
    module.emitError("expected index to be one of the ")
        << devices.size()
        << " vdevices in the module's global infos, but found " << place;
    return signalPassFailure();
  }
  // Pipelines take the braces for ones around the option.
  std::string text = newVDevice;
  if (!StringRef(text).starts_with("{"))
    text = "{" + text + "}";
  Attribute after = parseAttribute(text, &getContext());
  if (!isVDevice(after)) {
    module.emitError("expected new-vdevice to be a device, with a target, a "
                     "vdevice_id and a memory_scope, but found '")
        << newVDevice << "'";
    return signalPassFailure();
  }
  Attribute before = devices[place];
  SmallVector<Attribute> updated(devices.getValue());
  for (Attribute &device : updated)
    if (device == before) {
      device = after;
      ++numDevices;
    }
  NamedAttrList infos(module.getGlobalInfosAttr());
  infos.set("vdevice", ArrayAttr::get(&getContext(), updated));
  module.setGlobalInfosAttr(infos.getDictionary(&getContext()));

  // Types name a device by its place, or have it.
  AttrTypeReplacer replacer;
  replacer.addReplacement([&](PartialTensorType type) -> std::optional<Type> {
    TensorInfo tensor = *TensorInfo::get(type);
    if (tensor.vdevice != before)
      return std::nullopt;
    tensor.vdevice = after;
    return tensor.getType(type.getContext());
  });
  for (auto func : module.getOps<FuncOp>())
    func.walk([&](Operation *op) {
      bool hasTypes = isa<FuncOp>(op) || op->hasAttr("ty_args");
      replacer.replaceElementsIn(op, /*replaceAttrs=*/hasTypes,
                                 /*replaceLocs=*/false, /*replaceTypes=*/true);
    });
}
