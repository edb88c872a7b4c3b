# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""check_examples.py ROOT OPT: parses the examples in the records of ROOT.

Each block of MLIR in a .td file is put where it can stand: into a module, a function or an
attribute. Values that an example uses and does not define are defined with the types that
the parser expects. Nothing is verified, because symbols may be missing.
"""

import pathlib
import re
import subprocess
import sys

FENCE = re.compile(r"^ *```mlir\n(.*?)^ *```$", re.M | re.S)
UNKNOWN = re.compile(r"use of undeclared SSA value name")
EXPECTED = re.compile(
    r"use of value '(%[^']+)' expects different type than prior uses: '(.*)' vs '(.*)'"
)
ALIAS = re.compile(r"undefined symbol alias id '(.*)'")
# The parser is asked again for each value that was not defined.
MOST_ROUNDS = 40


class Example:
    def __init__(self, place, text):
        self.place, self.text = place, text
        self.types, self.aliases = {}, []
        self.error = None

    def wrap(self):
        """The example as a module, on its own lines."""
        first = self.text.split(None, 1)[0]
        if re.match(r"partita\.module|builtin\.module|module\b|func\.func", first):
            return self.text
        if re.match(r"relax\.func|tir\.prim_func", first):
            return f"partita.module {{\n{self.text}}}\n"
        if re.match(r"[#!]|tensor<", first):
            one = re.sub(r" *//.*", "", self.text.strip())
            parts = re.split(r"\n *(?=[#!])", one)
            fields = ", ".join(f"a{index} = {part}" for index, part in enumerate(parts))
            return f"module attributes {{{fields}}} {{}}\n"
        aliases = "".join(f"#{name} = unit\n" for name in self.aliases)
        values = "".join(
            f'{name} = "test.def"() : () -> ({kind})\n' for name, kind in self.types.items()
        )
        return f'{aliases}func.func @example() {{\n{values}{self.text}"test.end"() : () -> ()\n}}\n'

    def handle(self, message, line):
        """Takes an error of the parser into account; false if it is one of the example."""
        expected = EXPECTED.search(message)
        if expected and expected[1] in self.types and self.types[expected[1]] == "none":
            self.types[expected[1]] = expected[2]
            return True
        if UNKNOWN.search(message):
            name = re.match(r"%[\w$.-]+", line)
            if name and name[0] not in self.types:
                self.types[name[0]] = "none"
                return True
        alias = ALIAS.search(message)
        if alias and alias[1] not in self.aliases:
            self.aliases.append(alias[1])
            return True
        self.error = message
        return False


def read_examples(root):
    for path in sorted((root / "include").rglob("*.td")):
        text = path.read_text()
        for block in FENCE.finditer(text):
            number = text.count("\n", 0, block.start()) + 1
            yield Example(f"{path.relative_to(root)}:{number}", block[1])


def parse(opt, examples):
    """Parses all examples in one process; returns the first error in each, with its line."""
    texts = [example.wrap() for example in examples]
    source = "// -----\n".join(texts)
    lines = source.split("\n")
    starts = [0]
    for text in texts:
        starts.append(starts[-1] + text.count("\n") + 1)
    flags = ["--split-input-file", "--allow-unregistered-dialect"]
    flags += ["--mlir-very-unsafe-disable-verifier-on-parsing", "-o", "/dev/null"]
    run = subprocess.run([opt, *flags, "-"], input=source, text=True, stderr=subprocess.PIPE)
    errors = {}
    for found in re.finditer(r"^(?:<stdin>|-):(\d+):(\d+): error: (.*)$", run.stderr, re.M):
        line, column = int(found[1]) - 1, int(found[2]) - 1
        index = max(i for i in range(len(texts)) if starts[i] <= line)
        errors.setdefault(index, (found[3], lines[line][column:]))
    return errors


def main():
    root, opt = pathlib.Path(sys.argv[1]), sys.argv[2]
    examples = list(read_examples(root))
    open_ones = examples
    for _ in range(MOST_ROUNDS):
        errors = parse(opt, open_ones)
        open_ones = [open_ones[i] for i, error in errors.items() if open_ones[i].handle(*error)]
        if not open_ones:
            break
    wrong = [example for example in examples if example.error] + open_ones
    for example in wrong:
        print(f"{example.place}: {example.error or 'expected fewer unknown values'}")
    print(f"{len(examples) - len(wrong)} of {len(examples)} examples are parsed")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
