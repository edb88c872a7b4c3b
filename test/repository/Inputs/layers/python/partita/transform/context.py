import partita.ir.good
from partita import transform
from ..tir.function import PrimFunc
