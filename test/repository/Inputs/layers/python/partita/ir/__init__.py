from .good import f
