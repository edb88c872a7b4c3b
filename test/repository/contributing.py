"""contributing.py DOCUMENT FOLDER: writes the files of the example instrument.

They are the blocks in CONTRIBUTING.md's last section, one for each language.
"""

import pathlib
import re
import sys
import textwrap

document, folder = map(pathlib.Path, sys.argv[1:])
section = document.read_text().split("## Add an instrument\n")[1]
blocks = {
    language: textwrap.dedent(text)
    for language, text in re.findall(r"^ *```(\S+)\n(.*?)^ *```$", section, re.M | re.S)
}
include = 'include "partita/Instrument/InstrumentBase.td"\n'
(folder / "Example.td").write_text(include + blocks["tablegen"])
(folder / "CountPasses.cpp").write_text(blocks["c++"])
(folder / "count-passes.mlir").write_text(blocks["mlir"])
