# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""relax.transform.ConvertLayout: layouts as a dict, and from a function; ToMixedPrecision's options."""

from __future__ import annotations

import pytest
from partita import IRModule, relax

TEXT = """
partita.module {
  relax.func @main(%x: tensor<1x4x8x8xf32>, %w: tensor<8x4x1x1xf32>, %v: tensor<8x8x1x1xf32>) -> tensor<1x8x8x8xf32> {
    %y = relax.dataflow -> tensor<1x8x8x8xf32> {
      %0 = relax.nn.conv2d %x, %w : tensor<1x4x8x8xf32>, tensor<8x4x1x1xf32> -> tensor<1x8x8x8xf32>
      %1 = relax.nn.relu %0 : tensor<1x8x8x8xf32>
      %2 = relax.nn.conv2d %1, %v : tensor<1x8x8x8xf32>, tensor<8x8x1x1xf32> -> tensor<1x8x8x8xf32>
      relax.output %2 : tensor<1x8x8x8xf32>
    }
    relax.return %y : tensor<1x8x8x8xf32>
  }
}
"""


def test_layouts_by_op():
    mod = IRModule.from_text(TEXT)
    layouts = {"relax.nn.conv2d": ["NHWC", "OHWI", "NHWC"], "relax.nn.conv1d": ("NWC", "OWI")}
    text = str(relax.transform.ConvertLayout(layouts)(mod))
    assert text.count('data_layout = "NHWC"') == 2
    assert text.count("relax.permute_dims") == 4
    assert str(relax.transform.ConvertLayout({})(mod)) == str(mod)


def test_layouts_from_a_function():
    mod = IRModule.from_text(TEXT)
    seen = []

    def layout_cb(call):
        seen.append(call.op.name)
        if call.op.name == "relax.nn.conv2d" and call.args[0].struct_info.shape[1] == 8:
            return {"relax.nn.conv2d": ["NCHW4c", "OIHW4o"]}
        return {}

    # As in TVM, the dict does not count then.
    layouts = {"relax.nn.conv2d": ["NHWC", "OHWI"]}
    text = str(relax.transform.ConvertLayout(layouts, layout_cb)(mod))
    assert seen == ["relax.nn.conv2d", "relax.nn.relu", "relax.nn.conv2d"]
    assert text.count("NCHW4c") == 1 and "NHWC" not in text and "desired_layouts" not in text


@pytest.mark.parametrize("result", [None, ["NHWC"], 1])
def test_a_function_returns_a_dict(result):
    mod = IRModule.from_text(TEXT)
    with pytest.raises(Exception, match="expected the callback to return a dict"):
        relax.transform.ConvertLayout({}, lambda call: result)(mod)


def test_wrong_layouts():
    mod = IRModule.from_text(TEXT)
    with pytest.raises(Exception, match="expected a desired layout of the dimensions NCHW"):
        relax.transform.ConvertLayout({"relax.nn.conv2d": ["NWC", "OWI"]})(mod)
    with pytest.raises(TypeError, match="expected the desired layouts to be a dict"):
        relax.transform.ConvertLayout(["NHWC"])


def test_mixed_precision_options():
    mod = IRModule.from_text(TEXT)
    text = str(relax.transform.ToMixedPrecision()(mod))
    assert text.count("out_dtype = f32") == 2 and "%w: tensor<8x4x1x1xf32>" in text
    names = ["w", "v"]
    text = str(relax.transform.ToMixedPrecision("float16", fp16_input_names=names)(mod))
    assert text.count("out_dtype = f16") == 2 and "%w: tensor<8x4x1x1xf16>" in text
    text = str(relax.transform.ToMixedPrecision(out_dtype="bfloat16", fp16_input_names=None)(mod))
    assert text.count("out_dtype = bf16") == 2
