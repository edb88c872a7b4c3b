//===- ValueNames.h - Names of values in text -------------------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// TVM's variables have names. Here, the locations of values hold these names:
// they are printed as SSA names, and parsed from them.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_DIALECT_VALUENAMES_H
#define PARTITA_LIB_DIALECT_VALUENAMES_H

#include "mlir/IR/OpImplementation.h"
#include "llvm/ADT/StringExtras.h"

namespace partita {

/// A location at `loc` with the variable's name `name`, as in the text; just
/// `loc` if the printer made the name up.
mlir::Location getNamedLoc(llvm::StringRef name, mlir::Location loc);
/// Sets the names of parsed arguments without locations.
void nameFromText(mlir::OpAsmParser &parser,
                  llvm::MutableArrayRef<mlir::OpAsmParser::Argument> arguments);
/// Sets the result names of an op that is about to be parsed.
void nameFromText(mlir::OpAsmParser &parser, mlir::OperationState &result);
/// Sets the names of all block arguments in `region`, which was parsed from
/// `start` on, unless the text has explicit locations. Upstream's parsers, such
/// as scf.for's, leave the positions of the names as locations.
void nameFromText(mlir::OpAsmParser &parser, llvm::SMLoc start,
                  mlir::Region &region);

// NOLINTBEGIN(bugprone-derived-method-shadowing-base-method): so they are
// found.
/// The names of an op's results and of its regions' arguments.
template <typename OpT>
struct NamesOfLocations
    : mlir::OpAsmOpInterface::ExternalModel<NamesOfLocations<OpT>, OpT> {
  void getAsmResultNames(mlir::Operation *op,
                         mlir::OpAsmSetValueNameFn setName) const {
    if (op->getNumResults() == 0)
      return;
    auto fused = llvm::dyn_cast<mlir::FusedLoc>(op->getLoc());
    if (!fused || fused.getLocations().size() != op->getNumResults())
      return setNameOf(op->getResult(0), op->getLoc(), setName);
    for (auto [result, loc] :
         llvm::zip_equal(op->getResults(), fused.getLocations()))
      setNameOf(result, loc, setName);
  }

  void getAsmBlockArgumentNames(mlir::Operation *op, mlir::Region &region,
                                mlir::OpAsmSetValueNameFn setName) const {
    for (mlir::Block &block : region)
      for (mlir::BlockArgument argument : block.getArguments())
        setNameOf(argument, argument.getLoc(), setName);
    // If locations are printed, the text has the loop's location, but not its
    // variable's.
    if (op->getNumResults() == 0 && region.hasOneBlock() &&
        region.getNumArguments() == 1 &&
        !llvm::isa<mlir::NameLoc>(region.getArgument(0).getLoc()))
      setNameOf(region.getArgument(0), op->getLoc(), setName);
  }

private:
  static void setNameOf(mlir::Value value, mlir::Location loc,
                        mlir::OpAsmSetValueNameFn &setName) {
    if (auto name = llvm::dyn_cast<mlir::NameLoc>(loc))
      setName(value, name.getName());
  }
};
// NOLINTEND(bugprone-derived-method-shadowing-base-method)

namespace {
/// The registered form of an op: when it is parsed, the names of its results
/// become its location. Local to a dialect, because no other code should use
/// it.
template <typename OpT>
struct Named : OpT {
  using OpT::OpT;

  static mlir::ParseResult parse(mlir::OpAsmParser &parser,
                                 mlir::OperationState &result) {
    nameFromText(parser, result);
    return OpT::parse(parser, result);
  }
};
} // namespace

template <typename... Ops>
static void addNamedOperations(mlir::Dialect &dialect) {
  (mlir::RegisteredOperationName::insert<Named<Ops>>(dialect), ...);
}

} // namespace partita

template <typename OpT>
struct mlir::detail::TypeIDResolver<partita::Named<OpT>> {
  static TypeID resolveTypeID() { return TypeID::get<OpT>(); }
};

#endif // PARTITA_LIB_DIALECT_VALUENAMES_H
