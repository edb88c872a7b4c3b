# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Instruments see a pass as one, also if Python runs others in it."""

import pytest

from partita import relax
from partita.instrument import PassInstrument
from partita.relax.dpl import is_op, wildcard
from partita.transform import PassContext


class _Names(PassInstrument):
    def __init__(self):
        super().__init__()
        self.names = []

    def should_run(self, mod, info):
        self.names.append(info.name)
        # A veto is for passes, and none of their parts.
        return len(self.names) == 1


def _make_products():
    x, y = (relax.Var(name, relax.TensorType((4, 4), "float32")) for name in "xy")
    builder = relax.BlockBuilder()
    with builder.function("main", [x, y]):
        with builder.dataflow():
            lv = builder.emit(relax.op.exp(relax.op.matmul(x, y)))
            gv = builder.emit_output(relax.op.sum(lv))
        builder.emit_func_output(gv)
    return builder.get()


def _exp_of_product():
    pattern = is_op("relax.exp")(is_op("relax.matmul")(wildcard(), wildcard()))
    return [("my.exp", pattern, {"root": pattern}, lambda context: True)]


@pytest.mark.parametrize(
    "name, make",
    [
        ("AlterOpImpl", lambda: relax.transform.AlterOpImpl({}, {})),
        (
            "CombineParallelMatmul",
            lambda: relax.transform.CombineParallelMatmul(lambda *parts: True),
        ),
        ("FuseOpsByPattern", lambda: relax.transform.FuseOpsByPattern(_exp_of_product())),
        ("Gradient", lambda: relax.transform.Gradient("main", "x")),
        (
            "LegalizeOps",
            lambda: relax.transform.LegalizeOps({"relax.exp": lambda bb, call: call.args[0]}),
        ),
    ],
)
def test_instruments_see_a_pass_and_not_its_parts(name, make):
    mod = _make_products()
    instrument = _Names()
    with PassContext(instruments=[instrument]):
        after = make()(mod)
    assert instrument.names == [name]
    assert name == "AlterOpImpl" or after != mod


def test_functions_that_run_passes_are_not_seen():
    func = _make_products()["main"]
    instrument = _Names()
    with PassContext(instruments=[instrument]):
        relax.analysis.remove_all_unused(func)
    assert instrument.names == []


def test_parts_do_not_warn_again(recwarn):
    with PassContext(config={"tirx.disable_vectorize": True, "relax.FuseOps.max_depth": 3}):
        given = len(recwarn)
        relax.transform.LegalizeOps({"relax.exp": lambda bb, call: call})(_make_products())
    assert len(recwarn) == given == 1
