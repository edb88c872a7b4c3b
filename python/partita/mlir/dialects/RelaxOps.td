include "partita/Dialect/Relax/IR/RelaxOps.td"
