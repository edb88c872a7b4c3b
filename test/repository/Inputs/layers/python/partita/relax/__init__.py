from ..ir.good import f
from .bad import g
