"""Public headers as pages of Markdown: each declaration with its comment.

The headers are written for this: LLVM's layout, `///` before what is to be known, and members
indented. So no parser of C++ is needed, and no tool of some hundred megabytes.
"""

import html
import re

_NAME = re.compile(
    r"(?:class|struct|enum class|enum|using) (?P<type>\w+)"
    r"|\(\*(?P<pointer>\w+)\)"
    r"|(?P<function>operator\S+?|\w+)\("
    r"|(?P<variable>\w+)(?: =.*)?;"
)
_SKIPPED = re.compile(
    r"#|//(?!/)|}|(?:using )?namespace |extern \"C\"|(?:class|struct|friend) [\w ]+;|DEFINE_|LLVM_|MLIR_D"
)


def escape(text):
    """Text for Markdown, in which `<T>` outside of code is no tag."""
    parts = re.split(r"(`[^`]*`)", text)
    return "".join(
        part if part.startswith("`") else html.escape(part, quote=False) for part in parts
    )


def _collect(lines, start):
    """The line after the declaration that begins at `start`."""
    depth = 0
    for index in range(start, len(lines)):
        code = re.sub(r"//.*|\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])'", "", lines[index])
        depth += sum(code.count(c) for c in "({") - sum(code.count(c) for c in ")}")
        if depth <= 0 and re.search(r"[;}]\s*$", code):
            return index + 1
    return len(lines)


def _shorten(lines):
    """A declaration without the bodies of functions, and what is private in a class."""
    text = "\n".join(lines)
    if not re.match(r"(?:template <.*>\s*)?(?:typedef )?(?:class|struct|enum|union)\b", text):
        # A function that is defined here.
        return re.sub(r"\)( const)?\s*(?::[^;{]*)?\{.*\}$", r")\1;", text, flags=re.S)
    return re.sub(r"\n+(?:private|protected):\n.*\n\}", "\n}", text, flags=re.S)


def _declarations(lines):
    """Each declaration at the top level: its name, its comment and its text."""
    comment = []
    index = 0
    while index < len(lines):
        line = lines[index]
        if line.startswith("///"):
            comment.append(line[3:].removeprefix(" "))
            index += 1
        elif not line.strip() or _SKIPPED.match(line):
            comment = []
            # What a macro goes on with.
            while lines[index].endswith("\\"):
                index += 1
            index += 1
        else:
            end = _collect(lines, index)
            text = _shorten(lines[index:end])
            code = re.sub(r"^template <.*>\n", "", text)
            match = _NAME.search(code)
            name = match.group(match.lastgroup) if match else code.split("\n")[0]
            yield name, comment, text
            comment = []
            index = end


def _intro(lines):
    """What the comment below the banner says of the file."""
    ends = [i for i, line in enumerate(lines) if line.startswith(("//===", "/*===", "|*==="))]
    last = 1 if len(ends) > 1 else 0
    found = []
    for line in lines[ends[last] + 1 :] if ends else []:
        if not line.startswith("//"):
            break
        found.append(line[2:].strip())
    return (
        ""
        if any(line.startswith("===") for line in found[:-1])
        else "\n".join(found).strip("/= -\n")
    )


def get_page(title, headers):
    """A page with a section for each of the headers, which are paths."""
    parts = [f"# {title}\n"]
    for path in headers:
        lines = path.read_text().splitlines()
        parts.append(f"## {path.name}\n\n{escape(_intro(lines))}\n")
        previous = None
        for name, comment, text in _declarations(lines):
            # Overloads have one heading.
            if name != previous:
                parts.append(f"### {name}\n")
            previous = name
            parts.append(escape("\n".join(comment)) + f"\n\n```c++\n{text}\n```\n")
    return "\n".join(parts)
