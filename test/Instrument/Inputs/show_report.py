"""Shows the data of a report page, without the parts that differ between runs. Checks
that the page is consistent: one title, one piece of data, nothing from elsewhere, and
line numbers and indices that fit."""

import html.parser
import json
import sys


class Page(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.elements = ["page"]
        self.texts = {}
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.elements.append(tag)
        for name, value in attributes:
            is_link = name in ("src", "href") and not value.startswith("data:")
            assert not is_link, f"{tag} refers to {value}"

    def handle_data(self, data):
        if data.strip():
            self.texts.setdefault(self.elements[-1], []).append(data)


def read(path):
    page = Page(open(path, encoding="utf-8").read())
    assert page.elements.count("script") == 2, page.elements
    assert page.elements.count("title") == 1
    assert page.texts["title"][0] == page.texts["h1"][0]
    return page.texts["title"][0], json.loads(page.texts["script"][0])


def unfold(edits):
    """Yields (kind, lines), where kind is as in a unified diff, or ~."""
    edits = iter(edits)
    for kind in edits:
        yield " ~-+"[kind], [next(edits) for _ in range(2 if kind == 1 else 1)]


def show_diff(entry, lines):
    added = removed = 0
    old_end = new_end = 1
    for hunk in entry["diff"]:
        # Lines between two hunks are the same in both texts.
        assert hunk["old"] - old_end == hunk["new"] - new_end >= 0, hunk
        old_end, new_end = hunk["old"], hunk["new"]
        print(f"@@ {hunk['in']} {hunk['old']} {hunk['new']}")
        for kind, indices in unfold(hunk["edits"]):
            print(kind + " => ".join(lines[index] for index in indices))
            added += kind == "+"
            removed += kind == "-"
            old_end += kind != "+"
            new_end += kind != "-"
    if entry.get("diff_cut"):
        print(f"cut: {added + removed} of {entry['added'] + entry['removed']}")
    else:
        assert (added, removed) == (entry["added"], entry["removed"]), entry


def show_pass(entry, lines):
    words = ["  " * entry["depth"] + f"{entry['step']} {entry['name']}:"]
    words += [entry["status"], f"({entry['reason']})"]
    if entry.get("disabled"):
        words.append("disabled")
    if "vetoed_by" in entry:
        words.append("by " + ",".join(entry["vetoed_by"]))
    if "ops" in entry:
        words.append("ops {}->{}".format(*entry["ops"]))
        assert 0 <= entry["begin"] <= entry["end"]
        assert entry["wall"] <= entry["end"] - entry["begin"], entry
        assert entry["time"] >= 0 and entry["runs"] >= 0
        changes = entry.get("op_changes", {})
        if not entry["sequential"]:
            change = entry["ops"][1] - entry["ops"][0]
            assert change == sum(changes.values()), entry
        words += [f"{name}{n:+}" for name, n in changes.items()]
    if entry.get("changed"):
        words.append("changed")
    print(*words)
    if "diff" in entry:
        show_diff(entry, lines)


def show_spans(run):
    spans, begin, ran_on = run["spans"], 0, {}
    for i in range(0, len(spans), 5):
        index, function, _, gap, time = spans[i : i + 5]
        begin += gap
        entry = run["passes"][index]
        assert entry["begin"] <= begin <= begin + time <= entry["end"], entry
        ran_on.setdefault(index, []).append(run["functions"][function])
    for index, functions in ran_on.items():
        entry = run["passes"][index]
        assert len(functions) == entry["runs"], entry
        print(f"span {entry['step']}:", *sorted(functions))


def main():
    title, runs = read(sys.argv[1])
    print(f"title {title}")
    for run in runs:
        print(
            f"run {run['root']} on {run['module']}",
            f"opt_level={run['opt_level']}",
            f"required={run['required_pass']}",
            f"disabled={run['disabled_pass']}",
            "failed" if run["failed"] else "good",
        )
        for entry in run["passes"]:
            show_pass(entry, run["lines"])
        show_spans(run)
        for diagnostic in run["diagnostics"]:
            print(
                *(diagnostic[key] for key in ("severity", "location", "message")),
                *diagnostic["notes"],
                sep=" | ",
            )


if __name__ == "__main__":
    main()
