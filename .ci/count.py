"""Prints `N passed, N failed` for lit's --output files; a missing one fails."""

import json
import sys

passed = failed = 0
for path in sys.argv[1:]:
    try:
        with open(path) as file:
            codes = [test["code"] for test in json.load(file)["tests"]]
    except (OSError, ValueError) as error:
        print(f"no results of {path}: {error}", file=sys.stderr)
        failed += 1
        continue
    passed += sum(code in ("PASS", "FLAKYPASS", "XFAIL") for code in codes)
    failed += sum(code in ("FAIL", "XPASS", "TIMEOUT", "UNRESOLVED") for code in codes)
print(f"{passed} passed, {failed} failed")
