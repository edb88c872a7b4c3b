"""build.py --out=OUT ...: the pages of the site, from docs/, README.md and what is generated.

OUT/mkdocs.yml and OUT/pages are what `mkdocs build` makes the site of. Before that, and without
MkDocs, every page must be in the navigation, and every link must lead to a heading of a page.
"""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys

import cpp_api
import notebook
import pictures

FENCE = re.compile(r"^(?P<indent> *)```(?P<language>[\w+]*)(?: file=(?P<file>\S+))?(?: varies)?$")
LINK = re.compile(r"(!?)\[([^\]\n]*)\]\(([^)\s]+)\)")
PYTHON = ("", "transform", "instrument", "ir", "relax", "relax.transform", "tir", "tir.transform")
LANGUAGES = {
    ".cpp": "c++",
    ".h": "c++",
    ".c": "c",
    ".td": "tablegen",
    ".txt": "cmake",
    ".py": "python",
}
LANGUAGES |= {".mlir": "mlir", ".sh": "sh", ".ipynb": "json"}
# Entries of the navigation: the tabs, and the pages of one of them.
MOST_IN_SIGHT = 12


def slugify(heading):
    """The anchor that MkDocs gives a heading."""
    text = re.sub(r"[^\w\s-]", "", re.sub(r"[`*]|^_|_$", "", heading)).strip().lower()
    return re.sub(r"[-\s]+", "-", text)


def outside_code(text):
    """The lines of a page, each with whether it is outside of fenced code."""
    fence = None
    for line in text.splitlines():
        mark = re.match(r" *`{3,}", line)
        yield line, fence is None and not mark
        if fence is None and mark:
            fence = mark[0]
        elif fence == line.rstrip():
            fence = None


def for_python_markdown(text):
    """What CommonMark shows, as Python-Markdown and its extensions want to have it."""
    lines = []
    in_list = False
    previous = ""
    for line, is_text in outside_code(text):
        if fence := FENCE.match(line):
            line = fence["indent"] + "```" + fence["language"]
            line += f' title="{fence["file"]}"' if fence["file"] else ""
        item = re.match(r"(?:\d+\.|-) ", line) if is_text else None
        if item and previous.strip() and not in_list:
            lines.append("")
        if item or (line and not line.startswith(" ") and is_text and not previous.strip()):
            in_list = bool(item)
        # What belongs to an item is indented by four.
        if in_list and line.startswith("   ") and not line.startswith("    " if is_text else "\0"):
            line = " " + line
        lines.append(line)
        previous = line
    return "\n".join(lines) + "\n"


class Site:
    def __init__(self, options):
        self.options = options
        self.root = options.source
        self.pages = {}  # by the page's name
        self.origins = {}  # by the page's name, the file in the repository that its links are of
        self.errors = []

    def add(self, name, text, origin=None):
        self.pages[name] = text
        self.origins[name] = origin

    def tblgen(self, tool, *arguments):
        includes = [f"-I{self.root / 'include'}", f"-I{self.options.mlir_include}"]
        return subprocess.run(
            [tool, *arguments[:-1], *includes, self.root / "include/partita" / arguments[-1]],
            check=True,
            text=True,
            stdout=subprocess.PIPE,
        ).stdout

    def collect(self):
        """All pages but for those of pictures."""
        self.add("index.md", (self.root / "README.md").read_text(), "README.md")
        self.add("contributing.md", (self.root / "CONTRIBUTING.md").read_text(), "CONTRIBUTING.md")
        self.add("license.md", f"# License\n\n```text\n{(self.root / 'LICENSE').read_text()}```\n")
        for path in sorted(self.root.glob("docs/*.md")):
            self.add(path.name, path.read_text(), f"docs/{path.name}")
        self.add("examples.md", self.get_examples())

        mlir_tblgen, partita_tblgen = self.options.mlir_tblgen, self.options.partita_tblgen
        passes = ["# Passes\n\nWhat `partita-opt` has besides MLIR's own.\n"]
        for name in ("Partita", "Relax", "TIR"):
            dialect = f"Dialect/{name}/IR/{name}Ops.td"
            flags = ("-gen-dialect-doc", f"-dialect={name.lower()}")
            text = self.tblgen(mlir_tblgen, *flags, dialect).replace("\n[TOC]\n", "")
            self.add(f"dialects/{name.lower()}.md", text)
            records = f"Dialect/{name}/Transforms/Passes.td"
            table = self.tblgen(partita_tblgen, "-gen-pass-table", records)
            text = self.tblgen(mlir_tblgen, "-gen-pass-doc", records)
            passes.append(f"## {name}\n\n{table}\n{text}")
        self.add("passes.md", "\n".join(passes))
        text = self.tblgen(partita_tblgen, "-gen-instrument-doc", "Instrument/Instruments.td")
        intro = "Examples of each are in [Instruments](docs/instruments.md).\n"
        self.add("instruments_reference.md", f"# Options of instruments\n\n{intro}\n{text}", ".")

        for folder, title in self.get_header_folders().items():
            headers = sorted(folder.rglob("*.h"))
            self.add(f"cpp/{title.lower()}.md", cpp_api.get_page(f"Headers: {title}", headers))
        for module in PYTHON:
            name = ".".join(("partita", module)).rstrip(".")
            page = module.replace(".", "_") or "partita"
            self.add(f"python/{page}.md", f"# {name}\n\n::: {name}\n")
        self.add("notebook.md", notebook.get_page(self.root / "examples/notebook.ipynb", self.root))

    def get_header_folders(self):
        folders = {path: path.name for path in self.root.glob("include/partita/*") if path.is_dir()}
        return folders | {self.root / "include/partita-c": "C"}

    def get_examples(self):
        """The sources of the examples."""
        parts = ["# Examples\n\nA test builds each against an installation, and runs it.\n"]
        for folder in sorted(path for path in self.root.glob("examples/*") if path.is_dir()):
            parts.append(f"## {folder.name}\n")
            for path in sorted(path for path in folder.rglob("*") if path.suffix in LANGUAGES):
                language = LANGUAGES[path.suffix]
                parts.append(f"### {path.relative_to(self.root / 'examples')}\n")
                parts.append(f"````{language}\n{path.read_text().rstrip()}\n````\n")
        return "\n".join(parts)

    def find(self, path):
        """The page and the heading for a file of the repository; None if there is neither."""
        for name, origin in self.origins.items():
            if origin == path:
                return name, ""
        parts = pathlib.PurePath(path).parts
        if parts[:2] == ("docs", "images") and (self.root / path).exists():
            return "/".join(parts[1:]), ""
        if path == "LICENSE":
            return "license.md", ""
        if parts[:1] == ("examples",) and len(parts) > 1 and (self.root / path).exists():
            return "examples.md", slugify("/".join(parts[1:]))
        if parts[-2:] == ("Transforms", "Passes.td") and (self.root / path).exists():
            return "passes.md", slugify(parts[3])
        if parts[:1] == ("include",) and (self.root / path).exists():
            folders = self.get_header_folders()
            folder = next((self.root / p for p in pathlib.PurePath(path, "_").parents
                           if self.root / p in folders), None)  # fmt: skip
            if folder:
                is_file = (self.root / path).is_file()
                return f"cpp/{folders[folder].lower()}.md", slugify(parts[-1]) if is_file else ""
        return None

    def resolve(self, name, target):
        """A link of a page as one between pages."""
        if re.match(r"\w+:", target) or self.origins[name] is None:
            return target
        path, _, anchor = target.partition("#")
        if not path:
            return target
        path = os.path.normpath(os.path.join(os.path.dirname(self.origins[name]), path))
        found = self.find(path)
        if not found:
            self.errors.append(
                f"{self.origins[name]}: expected a page or a file, but found {target}"
            )
            return target
        link = os.path.relpath(found[0], os.path.dirname(name) or ".")
        anchor = anchor or found[1]
        return link + (f"#{anchor}" if anchor else "")

    def finish(self):
        """Mends the links, and checks them and the navigation."""
        for name, text in self.pages.items():
            lines = []
            for line, is_text in outside_code(text):
                if is_text:
                    line = LINK.sub(lambda m: f"{m[1]}[{m[2]}]({self.resolve(name, m[3])})", line)
                lines.append(line)
            self.pages[name] = for_python_markdown("\n".join(lines))
        anchors = {
            name: {slugify(line.lstrip("# ")) for line, is_text in outside_code(text)
                   if is_text and re.match("#+ ", line)}
            for name, text in self.pages.items()
        }  # fmt: skip
        for name, text in self.pages.items():
            for line, is_text in outside_code(text):
                for _, _, target in LINK.findall(line) if is_text else ():
                    path, _, anchor = target.partition("#")
                    page = (
                        os.path.normpath(os.path.join(os.path.dirname(name), path))
                        if path
                        else name
                    )
                    is_file = (self.options.out / "pages" / page).is_file()
                    if re.match(r"\w+:", target) or (is_file and page not in self.pages):
                        continue
                    if page not in self.pages:
                        self.errors.append(f"{name}: expected a page, but found a link to {target}")
                    elif anchor and anchor not in anchors[page]:
                        self.errors.append(f"{name}: expected a heading {target}")
        config = (self.root / "docs/site/mkdocs.yml").read_text()
        entries = config.partition("\nnav:")[2]
        tabs = re.split(r"^  - ", entries, flags=re.M)[1:]
        in_sight = len(tabs) + max(len(re.findall(r"^      - ", tab, re.M)) for tab in tabs)
        if in_sight > MOST_IN_SIGHT:
            self.errors.append(
                f"expected at most {MOST_IN_SIGHT} entries in sight in the nav of mkdocs.yml, "
                f"but found {in_sight}"
            )
        nav = re.findall(r"(\S+\.md)$", entries, re.M)
        self.errors += [
            f"expected {name} in the nav of mkdocs.yml" for name in self.pages if name not in nav
        ]
        self.errors += [
            f"mkdocs.yml: expected a page {name}" for name in nav if name not in self.pages
        ]
        for name, text in self.pages.items():
            path = self.options.out / "pages" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        (self.options.out / "mkdocs.yml").write_text(config)


def main():
    parser = argparse.ArgumentParser()
    for name in ("source", "bin", "mlir-include", "out"):
        parser.add_argument(
            f"--{name}", required=True, type=lambda text: pathlib.Path(text).resolve()
        )
    parser.add_argument("--mlir-tblgen", default="mlir-tblgen")
    parser.add_argument("--browser", help="chromium; without it there are no pictures of pages")
    options = parser.parse_args()
    options.partita_tblgen = options.bin / "partita-tblgen"
    shutil.rmtree(options.out / "pages", ignore_errors=True)
    (options.out / "pages").mkdir(parents=True)
    shutil.copytree(options.source / "docs/images", options.out / "pages/images")
    site = Site(options)
    site.collect()
    site.add("pictures.md", pictures.get_page(options))
    site.finish()
    print(f"{len(site.pages)} pages")
    sys.exit("\n".join(site.errors) or 0)


if __name__ == "__main__":
    main()
