"""Legalizes relax.funcs, and runs the code that partita.compile makes of them."""

import ml_dtypes
import numpy as np

import partita

#: What may stay beside relax.call_tir.
LEGAL = {"call_tir", "constant", "prim_value", "dim", "shape", "dataflow", "output"}
LEGAL |= {"alias", "tuple", "tuple_get_item", "return", "func"}


def find_illegal(function):
    """The first op without a lowering, or None."""
    found = []

    def look(op):
        name = op.operation.name
        if name.removeprefix("relax.") not in LEGAL:
            found.append(name)
        return partita.mlir.ir.WalkResult.ADVANCE

    function.walk(look)
    return found[0] if found else None


class Program:
    """The relax.funcs of `text`, legalized and compiled; `blocks` makes them TVM's first."""

    def __init__(self, text, options="", opt_level=1, blocks=False):
        mod = partita.transform.get_pass("LegalizeOps", options)(partita.IRModule.from_text(text))
        #: The functions that can't be compiled, and why.
        self.illegal = {}
        for op in list(mod.operation.regions[0].blocks[0].operations):
            if op.operation.name == "relax.func" and (illegal := find_illegal(op.operation)):
                self.illegal[op.operation.attributes["sym_name"].value] = illegal
                op.operation.erase()
        if blocks:
            mod = partita.transform.get_pass("ConvertLinalgToTIR")(mod)
        with partita.transform.PassContext(opt_level=opt_level):
            self.code = partita.compile(mod, relax_pipeline=None)

    def run(self, function, *args):
        """The result as an array, or the name of an op that is not legal."""
        if function in self.illegal:
            return self.illegal[function]
        result = self.code[function](*args)
        result = np.asarray(result[0] if isinstance(result, tuple) else result)
        # NumPy's tests hold bfloat16 as its bits.
        return result.view(np.uint16) if result.dtype == ml_dtypes.bfloat16 else result
