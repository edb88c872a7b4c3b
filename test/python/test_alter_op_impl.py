# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""relax.transform.AlterOpImpl: prim_funcs of other modules, and layouts as functions."""

from __future__ import annotations


import numpy as np
import pytest
from partita import IRModule, relax, tir

TEXT = """
partita.module {
  relax.func @main(%x: tensor<14xf32>) -> tensor<14xf32> {
    %0 = relax.call_tir @relu(%x) : (tensor<14xf32>) -> tensor<14xf32>
    %1 = relax.call_tir @relu(%0) : (tensor<14xf32>) -> tensor<14xf32>
    relax.return %1 : tensor<14xf32>
  }
  tir.prim_func private @relu(%x: memref<14xf32>, %y: memref<14xf32>) attributes {operator_name = "relax.nn.relu"} {
    tir.return
  }
}
"""
OTHER = """
partita.module {
  tir.prim_func @new(%x: memref<4x4xf32>, %y: memref<4x4xf32>) attributes {global_symbol = "new"} {
    tir.return
  }
}
"""


def split(i):
    return i // 4, i % 4


def test_layouts():
    mod, other = IRModule.from_text(TEXT), IRModule.from_text(OTHER)
    before = str(mod), str(other)
    functions = {"relax.nn.relu": other["new"]}
    # A function, an IndexMap, and an IndexMap with the axes that it separates.
    for layout in (split, tir.IndexMap.from_func(split), (tir.IndexMap.from_func(split), [1])):
        layouts = {"relax.nn.relu": [layout, layout]}
        given = layouts["relax.nn.relu"]
        out = relax.transform.AlterOpImpl(functions, layouts)(mod)
        names = {var.name_hint for var in out.get_global_vars()}
        assert names == {"main", "relu", "relax_nn_relu_replacement", "remove_pad"}
        text = str(out)
        assert text.count("call_tir @relax_nn_relu_replacement(") == 2
        assert text.count("call_tir @remove_pad(") == 2
        assert text.count("relax.layout_transform") == 4
        assert out["relax_nn_relu_replacement"].attrs["operator_name"] == "relax.nn.relu"
        # The caller's objects are as they were.
        assert layouts == {"relax.nn.relu": given} and given == [layout, layout]
        assert functions["relax.nn.relu"].attrs["global_symbol"] == "new"
        assert (str(mod), str(other)) == before


def test_without_layouts():
    mod = IRModule.from_text(TEXT)
    same = IRModule.from_text(OTHER.replace("4x4", "14"))["new"].with_attr("fast", True)
    for layouts in ({}, {"relax.nn.relu": []}):
        text = str(relax.transform.AlterOpImpl({"relax.nn.relu": same}, layouts)(mod))
        assert text.count("call_tir @relax_nn_relu_replacement(%") == 2
        assert "layout_transform" not in text
    # The layout of an output alone, where the input stays.
    mixed = IRModule.from_text(OTHER.replace("%x: memref<4x4xf32>", "%x: memref<14xf32>"))["new"]
    layouts = {"relax.nn.relu": [None, split]}
    text = str(relax.transform.AlterOpImpl({"relax.nn.relu": mixed}, layouts)(mod))
    assert text.count("layout_transform") == 2


def test_nothing_to_replace():
    mod, other = IRModule.from_text(TEXT), IRModule.from_text(OTHER)
    for functions in ({}, {"relax.add": other["new"]}):
        assert str(relax.transform.AlterOpImpl(functions, {"relax.add": []})(mod)) == str(mod)


def test_a_name_that_is_taken():
    mod = IRModule.from_text(TEXT.replace("@relu", "@implementation0"))
    new = IRModule.from_text(OTHER)["new"]
    out = relax.transform.AlterOpImpl({"relax.nn.relu": new}, {"relax.nn.relu": [split, split]})(
        mod
    )
    names = {var.name_hint for var in out.get_global_vars()}
    assert names == {"main", "implementation0", "relax_nn_relu_replacement", "remove_pad"}


def test_mistakes():
    mod, new = IRModule.from_text(TEXT), IRModule.from_text(OTHER)["new"]
    name = "relax.nn.relu"
    with pytest.raises(TypeError, match="to be a PrimFunc"):
        relax.transform.AlterOpImpl({name: mod["main"]}, {})
    with pytest.raises(TypeError, match="to be a dict of PrimFuncs"):
        relax.transform.AlterOpImpl([new], {})
    with pytest.raises(TypeError, match="to be a list"):
        relax.transform.AlterOpImpl({name: new}, {name: split})
    with pytest.raises(TypeError, match="to be an IndexMap, callable or None"):
        relax.transform.AlterOpImpl({name: new}, {name: [1, split]})
    with pytest.raises(ValueError, match="expected ndim"):
        relax.transform.AlterOpImpl({name: new}, {name: [lambda *i: i, split]})
    with pytest.raises(Exception, match="one for each of the 2 parameters, but found 1"):
        relax.transform.AlterOpImpl({name: new}, {name: [split]})(mod)
    with pytest.raises(
        Exception, match="can be undone for result 0, but found affine_map<.d0. -> .d0 mod 4.>"
    ):
        layouts = {name: [lambda i: i % 4, lambda i: i % 4]}
        relax.transform.AlterOpImpl({name: new}, layouts)(mod)


MAPS = [
    (lambda i: (i // 4, i % 4), [14]),
    (lambda i: (i % 4, i // 4), [3]),
    (lambda i: (i // 8, i // 2 % 4, i % 2), [30]),
    (lambda i, j: (j, i), [3, 5]),
    (lambda i, j: i * 5 + j, [3, 5]),
    (lambda i, j: (i // 2 * 4 + j // 4, i % 2, j % 4), [5, 13]),
    (lambda i, j: ((i * 16 + j) // 32, (i * 16 + j) % 32), [4, 16]),
    (lambda n, c, h: (n, c // 4, h, c % 4), [1, 3, 2]),
    (lambda i, j, k: i * 12 + j * 4 + k, [2, 3, 4]),
    (lambda i, j, k: j * 8 + i * 4 + k, [2, 3, 4]),
]


@pytest.mark.parametrize("number", range(len(MAPS)))
def test_inverses(number):
    """Each element comes back from its own place in the new layout."""
    function, shape = MAPS[number]
    dims = "x".join(map(str, shape))
    text = f"""
    partita.module {{
      relax.func @main(%x: tensor<{dims}xf32>) -> tensor<{dims}xf32> {{
        %0 = relax.call_tir @old(%x) : (tensor<{dims}xf32>) -> tensor<{dims}xf32>
        relax.return %0 : tensor<{dims}xf32>
      }}
      tir.prim_func private @old(%x: memref<{dims}xf32>, %y: memref<{dims}xf32>) attributes {{operator_name = "op"}} {{
        tir.return
      }}
    }}"""
    forward = tir.IndexMap.from_func(function)
    rank = len(forward.final_indices)
    buffer = f"memref<{'?x' * rank}f32>"
    new = IRModule.from_text(
        f"partita.module {{ tir.prim_func private @new(%x: {buffer}, %y: {buffer}) {{ tir.return }} }}"
    )["new"]
    out = relax.transform.AlterOpImpl({"op": new}, {"op": [forward, forward]})(
        IRModule.from_text(text)
    )
    first, second = (
        value
        for value in relax.analysis.get_var2val(out["main"]).values()
        if getattr(getattr(value, "op", None), "name", "") == "relax.layout_transform"
    )
    moved = set()
    for index in np.ndindex(*shape):
        place = forward.map_indices(list(index))
        moved.add(tuple(place))
        assert all(0 <= i < int(size) for i, size in zip(place, first.struct_info.shape))
        assert second.attrs.index_map.map_indices(place) == list(index)
    assert len(moved) == np.prod(shape)
