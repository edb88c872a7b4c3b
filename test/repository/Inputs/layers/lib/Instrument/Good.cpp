#include "partita/Instrument/Good.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "partita/Pass/Pass.h"
