//===- RuntimeError.h - Errors with a status ------------------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_RUNTIME_RUNTIMEERROR_H
#define PARTITA_LIB_RUNTIME_RUNTIMEERROR_H

#include "partita-c/Runtime.h"

#include "llvm/Support/Error.h"

namespace partita::runtime {

/// An error about arguments.
class ArgumentError : public llvm::ErrorInfo<ArgumentError> {
public:
  static char ID;

  ArgumentError(PartitaRuntimeStatus status, const llvm::Twine &message)
      : status(status), text(message.str()) {}

  PartitaRuntimeStatus getStatus() const { return status; }
  void log(llvm::raw_ostream &os) const override { os << text; }
  std::error_code convertToErrorCode() const override {
    return llvm::inconvertibleErrorCode();
  }

private:
  PartitaRuntimeStatus status;
  std::string text;
};

inline llvm::Error makeTypeError(const llvm::Twine &message) {
  return llvm::make_error<ArgumentError>(PartitaRuntimeTypeError, message);
}
inline llvm::Error makeValueError(const llvm::Twine &message) {
  return llvm::make_error<ArgumentError>(PartitaRuntimeValueError, message);
}
inline llvm::Error makeFailure(const llvm::Twine &message) {
  return llvm::createStringError(message);
}

} // namespace partita::runtime

#endif // PARTITA_LIB_RUNTIME_RUNTIMEERROR_H
