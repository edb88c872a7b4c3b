"""A page with pictures of what instruments write, made from a run of partita-opt on ResNet-18.

A browser takes the pictures of pages, if there is one. The trace is drawn as ui.perfetto.dev
shows it: a track for each thread, nested spans below each other, and a counter.

By itself, `python docs/site/pictures.py BIN BROWSER` makes the picture of README.md.
"""

import html
import json
import pathlib
import subprocess
import sys
import tempfile
import zlib

ROOT = pathlib.Path(__file__).resolve().parents[2]

_WIDTH, _ROW, _LEFT = 960, 22, 90


def _nest(spans):
    """Each span with its depth: how many of the track's spans are around it."""
    open_until = []
    for span in sorted(spans, key=lambda span: (span["ts"], -span["dur"])):
        while open_until and open_until[-1] <= span["ts"]:
            open_until.pop()
        yield len(open_until), span
        open_until.append(span["ts"] + span["dur"])


def draw_trace(events):
    """A trace as SVG."""
    spans = [event for event in events if event["ph"] == "X"]
    counters = [event for event in events if event["ph"] == "C"]
    start = min(event["ts"] for event in spans)
    scale = (_WIDTH - _LEFT) / (max(e["ts"] + e["dur"] for e in spans) - start)
    names = {e["tid"]: e["args"]["name"] for e in events if e["name"] == "thread_name"}
    shapes = []
    y = _ROW

    def text(x, y, label):
        return f'<text x="{x:.1f}" y="{y + 15}">{html.escape(label)}</text>'

    for thread in sorted({event["tid"] for event in spans}):
        shapes.append(text(0, y, names.get(thread, f"thread {thread}")))
        height = 0
        for depth, span in _nest(e for e in spans if e["tid"] == thread):
            x, width = _LEFT + (span["ts"] - start) * scale, max(span["dur"] * scale, 0.5)
            hue = zlib.crc32(span["name"].encode()) % 360
            title = html.escape(f"{span['name']}: {span['dur']} us")
            shapes.append(
                f'<rect x="{x:.1f}" y="{y + depth * _ROW}" width="{width:.1f}" '
                f'height="{_ROW - 1}" fill="hsl({hue} 60% 78%)"><title>{title}</title></rect>'
            )
            if width > 7 * len(span["name"]):
                shapes.append(text(x + 3, y + depth * _ROW, span["name"]))
            height = max(height, depth + 1)
        y += (height + 1) * _ROW
    for name in sorted({event["name"] for event in counters}):
        values = [(e["ts"], next(iter(e["args"].values()))) for e in counters if e["name"] == name]
        low, high = min(v for _, v in values), max(v for _, v in values)
        points = [
            f"{_LEFT + (ts - start) * scale:.1f},{y + 40 - 36 * (v - low) / ((high - low) or 1):.1f}"
            for ts, v in values
        ]
        shapes.append(text(0, y, name))
        shapes.append(
            f'<polyline points="{" ".join(points)}" fill="none" stroke="#4a7" stroke-width="2"/>'
        )
        y += 2 * _ROW
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {y}" width="{_WIDTH}" '
        f'font-family="sans-serif" font-size="12">\n<rect width="100%" height="100%" fill="white"/>\n'
        + "\n".join(shapes)
        + "\n</svg>\n"
    )


def take(browser, page, picture, width=1200, height=800):
    """A picture of a page; false if the browser can't take it."""
    picture.unlink(missing_ok=True)
    flags = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"]
    command = [browser, *flags, f"--window-size={width},{height}", "--virtual-time-budget=2000"]
    try:
        run = subprocess.run(
            [*command, f"--screenshot={picture}", page.as_uri()], capture_output=True, timeout=60
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return run.returncode == 0 and picture.is_file()


def run_passes(source, binaries, folder, *flags):
    """Runs partita-opt on ResNet-18 in `folder`, where it writes report.html."""
    model = source / "test/Inputs/models/resnet18.json"
    translate = [binaries / "partita-translate", "--import-tvm-json", model]
    subprocess.run([*translate, "--emit-bytecode", "-o", "resnet18.mlirbc"], cwd=folder, check=True)
    opt = [binaries / "partita-opt", "resnet18.mlirbc", "-o", "/dev/null", *flags]
    opt += ["--instrument=report{output=report.html title=ResNet-18}"]
    subprocess.run(opt, cwd=folder, check=True)
    (folder / "resnet18.mlirbc").unlink()


def get_page(options):
    """The page; what it shows goes beside it."""
    folder = options.out / "pages"
    report, trace = folder / "report.html", folder / "trace.json"
    run_passes(options.source, options.bin, folder, "-O3", "--instrument=trace{output=trace.json}")
    (folder / "trace.svg").write_text(draw_trace(json.loads(trace.read_text())["traceEvents"]))
    lines = [
        "# What it looks like\n",
        "Pictures of `partita-opt resnet18.mlirbc -O3`; building this site makes them.\n",
        "## report\n",
        "The page that `--instrument=report` writes; [this is the page itself](report.html).\n",
    ]
    picture = folder / "report.png"
    if options.browser and take(options.browser, report, picture):
        lines.append("![The report of ResNet-18](report.png)\n")
    else:
        print("left out the picture of the report: no browser (chromium)")
    lines += [
        "## trace\n",
        "What `--instrument=trace` writes, as ui.perfetto.dev shows it; "
        "[this is the file](trace.json).\n",
        "![The trace of ResNet-18](trace.svg)\n",
    ]
    return "\n".join(lines)


def main():
    binaries, browser = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2]
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        run_passes(ROOT, binaries, folder, "-O2", "--disabled-pass=EliminateCommonSubexpr")
        picture = ROOT / "docs/images/report.png"
        picture.parent.mkdir(exist_ok=True)
        if not take(browser, folder / "report.html", picture, width=1120, height=640):
            sys.exit(f"expected {browser} to take a picture")


if __name__ == "__main__":
    main()
