include "partita/Dialect/Partita/IR/PartitaOps.td"
