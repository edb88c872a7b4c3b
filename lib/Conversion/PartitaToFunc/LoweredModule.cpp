//===- LoweredModule.cpp - What lowered functions share -------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoweredModule.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace partita;

void LoweredModule::insert(Operation *global) {
  Block &body = table.getOp()->getRegion(0).front();
  table.insert(global, last ? std::next(last->getIterator()) : body.begin());
  last = global;
}

const EqualSizes &LoweredModule::getEqualSizes(tir::PrimFuncOp func) {
  std::unique_ptr<EqualSizes> &sizes = equalSizes[func];
  if (!sizes)
    sizes = std::make_unique<EqualSizes>(func);
  return *sizes;
}

// The names of functions begin with `partita.`.
memref::GlobalOp LoweredModule::addConstant(Location loc, MemRefType type,
                                            ElementsAttr elements) {
  auto global = memref::GlobalOp::create(
      globals, loc, "partita_constant", globals.getStringAttr("private"), type,
      elements, /*constant=*/true, /*alignment=*/nullptr);
  insert(global);
  return global;
}

LLVM::GlobalOp LoweredModule::getMessage(Location loc, StringRef text) {
  LLVM::GlobalOp &message = messages[text];
  if (message)
    return message;
  std::string value = text.str();
  value.push_back('\0');
  message = LLVM::GlobalOp::create(
      globals, loc, LLVM::LLVMArrayType::get(globals.getI8Type(), value.size()),
      /*isConstant=*/true, LLVM::Linkage::Internal, "partita_message",
      globals.getStringAttr(value));
  insert(message);
  return message;
}

func::FuncOp LoweredModule::getFunction(Location loc, StringRef name,
                                        FunctionType type) {
  if (auto func = table.lookup<func::FuncOp>(name))
    return func;
  auto func = func::FuncOp::create(globals, loc, name, type);
  func.setPrivate();
  insert(func);
  return func;
}

func::FuncOp LoweredModule::getFail(Location loc) {
  auto pointer = LLVM::LLVMPointerType::get(globals.getContext());
  return getFunction(loc, "partita_runtime_fail",
                     globals.getFunctionType(pointer, {}));
}

func::FuncOp LoweredModule::getCheckStack(Location loc) {
  return getFunction(loc, "partita_runtime_check_stack",
                     globals.getFunctionType({}, {}));
}

void LoweredModule::failUnless(ImplicitLocOpBuilder &builder, Value condition,
                               StringRef message) {
  if (matchPattern(condition, m_One()))
    return;
  Value isWrong = builder.createOrFold<arith::XOrIOp>(
      condition, arith::ConstantIntOp::create(builder, 1, 1));
  auto branch = scf::IfOp::create(builder, isWrong);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  Location loc = builder.getLoc();
  Value address = LLVM::AddressOfOp::create(builder, getMessage(loc, message));
  func::CallOp::create(builder, getFail(loc), address);
}

func::FuncOp LoweredModule::getPackedFunc(Location loc, FunctionType type,
                                          llvm::json::Object description) {
  llvm::json::Value value(std::move(description));
  std::string text;
  llvm::raw_string_ostream(text) << value << type;
  func::FuncOp &declaration = packedByDescription[text];
  if (declaration)
    return declaration;
  declaration = func::FuncOp::create(globals, loc, "partita_packed", type);
  declaration.setPrivate();
  // The runtime defines the C interface.
  declaration->setAttr("llvm.emit_c_interface", globals.getUnitAttr());
  insert(declaration);
  packedFuncs[declaration.getSymName()] = std::move(value);
  return declaration;
}

void LoweredModule::findValues(Operation *scope) {
  scope->walk([&](relax::GlobalOp op) {
    if (auto func = lookup<relax::FuncOp>(op, op.getValueAttr()))
      values.insert(func);
  });
}

void LoweredModule::exportClosures() {
  if (closures.empty())
    return;
  // The table lacks functions that were built after it.
  SymbolTable all(table.getOp());
  for (relax::FuncOp func : closures)
    all.lookup<func::FuncOp>(getLoweredName(func.getSymName()))
        ->setAttr("llvm.emit_c_interface", globals.getUnitAttr());
}
