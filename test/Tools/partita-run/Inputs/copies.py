"""copies.py MODULE ARRAYS [CHECK]: a function that gives its parameters back, one of each dtype.

Writes the module and arrays for it; with CHECK, compares an output with the arrays.
"""

import sys

import numpy as np

# Of MLIR and NumPy; NumPy has no bfloat16, and writes two bytes without a kind for it.
DTYPES = {
    "f16": "float16",
    "f32": "float32",
    "f64": "float64",
    "bf16": "V2",
    "i1": "bool",
    "i8": "int8",
    "i16": "int16",
    "i32": "int32",
    "i64": "int64",
    "ui8": "uint8",
    "ui16": "uint16",
    "ui32": "uint32",
    "ui64": "uint64",
}


def make_array(dtype):
    """An array with the ends of the dtype's range."""
    if dtype == "bool":
        return np.array([[True, False, True], [False, False, True]])
    if dtype == "V2":
        # 1, -2, infinity, 3.140625, NaN and 0.
        numbers = [[0x3F80, 0xC000, 0x7F80], [0x4049, 0x7FC0, 0]]
        return np.array(numbers, "uint16").view("V2")
    info = np.finfo(dtype) if dtype.startswith("float") else np.iinfo(dtype)
    return np.array([[info.min, 1, 2], [3, 4, info.max]], dtype)


module, arrays = sys.argv[1:3]
expected = {kind: make_array(dtype) for kind, dtype in DTYPES.items()}
if len(sys.argv) == 3:
    types = [f"tensor<2x3x{kind}>" for kind in DTYPES]
    params = ", ".join(f"%{kind}: {type}" for kind, type in zip(DTYPES, types))
    names = ", ".join(f"%{kind}" for kind in DTYPES)
    with open(module, "w") as file:
        file.write(f"partita.module {{\n  relax.func @main({params}) -> ({', '.join(types)}) {{\n")
        file.write(f"    relax.return {names} : {', '.join(types)}\n  }}\n}}\n")
    np.savez(arrays, **expected)
else:
    results = np.load(sys.argv[3])
    assert len(results.files) == len(expected), results.files
    for index, (kind, array) in enumerate(expected.items()):
        result = results[f"out_{index}"]
        assert result.dtype == array.dtype, (kind, result.dtype)
        assert result.shape == array.shape and result.tobytes() == array.tobytes(), (kind, result)
    print(f"{len(expected)} dtypes agree")
