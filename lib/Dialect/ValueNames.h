//===- ValueNames.h - Names of values in text -------------------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// TVM's variables have names. Here they are the locations of values: shown as
// the names of SSA values, and taken from them.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_DIALECT_VALUENAMES_H
#define PARTITA_LIB_DIALECT_VALUENAMES_H

#include "mlir/IR/OpImplementation.h"
#include "llvm/ADT/StringExtras.h"

namespace partita {

/// A location that is the variable's name `name`, as text has it, at `loc`;
/// just `loc` if it is no name, but what the printer makes up.
mlir::Location getNamedLoc(llvm::StringRef name, mlir::Location loc);
/// Gives parsed arguments without locations their names.
void nameFromText(mlir::OpAsmParser &parser,
                  llvm::MutableArrayRef<mlir::OpAsmParser::Argument> arguments);
/// Gives an op that is about to be parsed the names of its results.
void nameFromText(mlir::OpAsmParser &parser, mlir::OperationState &result);
/// Gives the arguments of all blocks in `region`, which was parsed from `start`
/// on, their names, unless the text has locations of its own. Upstream's
/// parsers, such as that of scf.for, leave the places where names were found.
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
    // Text of locations has that of a loop of upstream's, not its variable's.
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
/// An op as it is registered: the names that its results have in text become
/// its location. Local to a dialect, as nobody else's code is to use it.
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
