#include "partita/Instrument/InstrumentRegistry.h"
#include "partita/Instrument/Instruments.h"
#include "partita/Pass/SequentialPass.h"
#include "partita/Tools/PartitaOptMain.h"

#include "mlir/Transforms/Passes.h"

namespace partita::instrument {
#include "Example.cpp.inc"
} // namespace partita::instrument

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  mlir::registerTransformsPasses();
  partita::transform::registerSequentialPass();
  partita::instrument::registerExampleInstruments();
  return partita::partitaOptMain(argc, argv, "Example\n", registry);
}
