include "partita/Dialect/TIR/IR/TIROps.td"
