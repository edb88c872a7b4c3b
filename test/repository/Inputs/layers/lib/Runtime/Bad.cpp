#include "partita-c/Runtime.h"

#include "mlir/IR/Builders.h"
