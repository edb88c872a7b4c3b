//===- VDevices.h - Devices of tensors --------------------------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_DIALECT_RELAX_TRANSFORMS_STRUCTURE_VDEVICES_H
#define PARTITA_LIB_DIALECT_RELAX_TRANSFORMS_STRUCTURE_VDEVICES_H

#include "partita/Dialect/Partita/IR/PartitaOps.h"
#include "partita/Dialect/Relax/IR/RelaxOps.h"

namespace partita::relax {

/// The devices in the global infos of `module`.
mlir::ArrayAttr getVDevices(IRModuleOp module);

/// Whether `attr` has the fields of a device.
bool isVDevice(mlir::Attribute attr);

} // namespace partita::relax

#endif // PARTITA_LIB_DIALECT_RELAX_TRANSFORMS_STRUCTURE_VDEVICES_H
