include "partita/Pass/PassBase.td"
  include "partita/Dialect/Relax/IR/RelaxOps.td"
