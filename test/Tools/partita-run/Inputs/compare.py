"""compare.py FILE EXPECTED [TOLERANCE]: compares out_0 with the last array of a file."""

import sys

import numpy as np

result, expected = np.load(sys.argv[1])["out_0"], np.load(sys.argv[2])
expected = expected[expected.files[-1]]
assert result.dtype == expected.dtype and result.shape == expected.shape, (result, expected)
tolerance = float(sys.argv[3]) if len(sys.argv) > 3 else 0
difference = np.abs(result - expected).max()
assert difference <= tolerance, f"expected a difference of {tolerance}, but found {difference}"
print("agrees")
