//===- partita-bisect.cpp - Finds the pass that breaks a module -----------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Tools.h"

int main(int argc, char **argv) { return partitaRunBisect(argc, argv); }
