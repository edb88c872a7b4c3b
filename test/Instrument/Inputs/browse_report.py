"""browse_report.py CHROMIUM FAILED LONG: uses two report pages as a reader
does, and checks their layout. FAILED is the page of a run with a failed pass, LONG
the page of a run with 2,000 passes."""

import html
import json
import pathlib
import re
import sys

from playwright.sync_api import expect, sync_playwright

SIZES = [(1280, 800), (400, 800)]

# Areas of the page that overlap or leave the window, and figures in the table that
# are cut off.
LAYOUT = """() => {
  const bad = [];
  const areas = [...document.querySelectorAll("header, section, main")].filter(e => e.offsetParent);
  const boxes = areas.map(e => e.getBoundingClientRect());
  boxes.forEach((a, i) => {
    const isFixed = getComputedStyle(document.body).display === "grid";
    if (a.left < 0 || a.right > innerWidth + .5 || (isFixed && a.bottom > innerHeight + .5))
      bad.push(`${areas[i].id} sticks out`);
    boxes.forEach((b, j) => {
      if (i < j && Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 &&
          Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1)
        bad.push(`${areas[i].id} overlaps ${areas[j].id}`);
    });
  });
  for (const e of document.querySelectorAll("#table td, #table th, header *, .tools *, .facts *, .diff td"))
    if (!e.closest("td.name") && !e.closest(".hidden") && e.clientWidth && e.scrollWidth > e.clientWidth + 1 && e.tagName !== "INPUT")
      bad.push(`${e.tagName}.${e.className} is cut: ${e.textContent}`);
  if (document.documentElement.scrollWidth > innerWidth) bad.push("the page scrolls sideways");
  return bad;
}"""

# Texts with a contrast to their background below 4.5 to 1 (WCAG 2, 1.4.3).
CONTRAST = """() => {
  const channels = colour => colour.match(/[\\d.]+/g).map(Number);
  const luminance = colour => {
    const [r, g, b] = channels(colour).map(c => c / 255).map(c => c <= .04045 ? c / 12.92 : ((c + .055) / 1.055) ** 2.4);
    return .2126 * r + .7152 * g + .0722 * b;
  };
  const behind = e => {
    for (; e; e = e.parentElement) {
      const colour = getComputedStyle(e).backgroundColor, alpha = channels(colour)[3];
      if (alpha === undefined || alpha === 1) return colour;
      if (alpha > 0) throw new Error(`${e.tagName} is translucent`);
    }
    return "rgb(255, 255, 255)";
  };
  const bad = new Set(), walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  let count = 0;
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const e = node.parentElement;
    if (!node.data.trim() || !e.offsetParent || e.closest(".hidden")) continue;
    count++;
    const [a, b] = [luminance(getComputedStyle(e).color), luminance(behind(e))].sort((x, y) => y - x);
    const ratio = (a + .05) / (b + .05);
    if (ratio < 4.5) bad.add(`${node.data.trim()} (${e.tagName}.${e.className}): ${ratio.toFixed(2)}`);
  }
  return [count, [...bad]];
}"""


class Reader:
    """A page in a window, which may neither log errors nor load anything."""

    def __init__(self, browser, path, size, theme="light", link=""):
        self.url = pathlib.Path(path).resolve().as_uri()
        self.context = browser.new_context(
            viewport={"width": size[0], "height": size[1]}, color_scheme=theme
        )
        self.page = self.context.new_page()
        self.messages, self.requests = [], []
        self.page.on("console", lambda message: self.messages.append(message.text))
        self.page.on("pageerror", lambda error: self.messages.append(str(error)))
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.goto(self.url + link)

    def __enter__(self):
        return self.page

    def __exit__(self, *error):
        others = {url for url in self.requests if not url.startswith("data:")}
        assert {url.split("#")[0] for url in others} == {self.url}, others
        assert self.messages == [], self.messages
        self.context.close()


def edited(path, name, edit):
    """A copy of the page at `path`, with its data changed by `edit`."""
    text = pathlib.Path(path).read_text(encoding="utf-8")
    begin = text.index(">", text.index('<script type="application/json"')) + 1
    end = text.index("</script>", begin)
    runs = json.loads(text[begin:end])
    runs = edit(runs) or runs
    data = json.dumps(runs).replace("<", "\\u003c")
    other = pathlib.Path(f"{path}.{name}.html")
    other.write_text(text[:begin] + data + text[end:], encoding="utf-8")
    return other


def figures(page, column):
    texts = page.locator(f"#table tr.pass td:nth-child({column})").all_inner_texts()
    return [float(text.strip().replace("−", "-").replace(",", "") or 0) for text in texts]


def titles(page):
    return page.locator("#table tr.pass .title").all_inner_texts()


def check_look(browser, path):
    for size in SIZES:
        for theme in ("light", "dark"):
            with Reader(browser, path, size, theme) as page:
                for name in ("cse", "test-fail", "canonicalize"):
                    page.get_by_role("link", name=name).first.click()
                    assert page.evaluate(LAYOUT) == [], (size, theme)
                    count, bad = page.evaluate(CONTRAST)
                    assert count > 50 and bad == [], (size, theme, bad)


def check_theme(browser, path):
    with Reader(browser, path, SIZES[0], "dark") as page:
        colour = "getComputedStyle(document.body).backgroundColor"
        dark = page.evaluate(colour)
        page.get_by_role("button", name="Change between light and dark").click()
        assert page.evaluate(colour) != dark


def check_sort(page):
    time = page.locator("th", has=page.get_by_role("button", name="Time"))
    time.get_by_role("button").click()
    expect(time).to_have_attribute("aria-sort", "descending")
    falling = figures(page, 3)
    assert len(falling) > 4 and falling == sorted(falling, reverse=True), falling
    time.get_by_role("button").click()
    expect(time).to_have_attribute("aria-sort", "ascending")
    assert figures(page, 3) == sorted(falling)
    page.get_by_role("button", name="Ops").click()
    assert figures(page, 5)[0] == -1
    page.get_by_role("button", name="Pass", exact=True).click()
    assert titles(page) == sorted(titles(page), key=str.lower)
    page.get_by_role("button", name="Step").click()
    assert titles(page)[:2] == ["sequential", "cse"]


def check_search(page):
    every = titles(page)
    page.keyboard.press("/")
    page.keyboard.type("testOWNer")
    expect(page.locator("#table tr.pass")).to_have_count(4)
    assert set(titles(page)) == {"TestMiddle", "TestA", "TestOwner"}
    page.keyboard.press("Escape")
    expect(page.locator("#table tr.pass")).to_have_count(len(every))
    # In the changed part, not around it.
    page.get_by_role("searchbox").fill("arith.muli")
    expect(page.locator("#table tr.pass")).to_have_count(1)
    assert titles(page) == ["cse"]
    page.get_by_role("searchbox").fill("no such text")
    expect(page.get_by_text("No pass fits.")).to_be_visible()
    page.get_by_role("searchbox").fill("")
    page.get_by_role("button", name="Not run").click()
    expect(page.locator("#table tr.pass")).to_have_count(5)
    rows = page.locator("#table tr.pass").all_inner_texts()
    for words in ("vetoed by A", "opt_level 3 > 1", "disabled_pass", "not reached"):
        assert any(words in row for row in rows), (words, rows)
    page.get_by_role("button", name="All").click()


def check_detail(page):
    expect(page.locator("#totals")).to_contain_text("Without a change")
    expect(page.locator("#totals")).to_contain_text("Pipelines made")
    page.get_by_role("link", name="cse").click()
    expect(page.locator("#detail h2")).to_have_text("cse")
    assert page.url.endswith("#pass-1")
    removed = page.locator(".diff td.old.del").all_inner_texts()
    added = page.locator(".diff td.new.add").all_inner_texts()
    assert [line.strip() for line in removed] == [
        "%1 = arith.addi %arg0, %arg0 : i32",
        "%2 = arith.muli %0, %1 : i32",
    ], removed
    assert [line.strip() for line in added] == ["%1 = arith.muli %0, %0 : i32"]
    # This line only got new numbers, so both versions of it are shown.
    same = page.locator(".diff tr.same", has_text="return").first
    assert "return %2" in same.inner_text() and "return %1" in same.inner_text()
    assert page.locator(".diff .v").count() > 5 and page.locator(".diff .o").count() > 2
    page.keyboard.press("j")
    expect(page.locator("#detail h2")).to_have_text("canonicalize")
    page.keyboard.press("k")
    expect(page.locator("#detail h2")).to_have_text("cse")


def check_links(browser, path):
    with Reader(browser, path, SIZES[1], link="#pass-4") as page:
        expect(page.locator("#detail h2")).to_have_text("TestMiddle")
        expect(page.locator("#detail .why")).to_contain_text("although named in disabled_pass")
        expect(page.locator("#detail h2")).to_be_in_viewport()
        page.locator("#failure a").click()
        expect(page.locator("#detail h2")).to_have_text("test-fail")
        expect(page.locator("#failure")).to_contain_text("test-fail was here")
        page.evaluate("location.hash = 'canonicalize'")
        expect(page.locator("#detail h2")).to_have_text("canonicalize")


def culprit_in_timeline(page):
    """The place of the pass that failed."""
    box = page.locator("#canvas").bounding_box()
    x = page.evaluate(
        """() => gutter + ((culprits[0].begin + culprits[0].end) / 2 - view[0]) *
           (canvas.clientWidth - gutter) / (view[1] - view[0])"""
    )
    # Below the Sequential's.
    return box["x"] + x, box["y"] + 50


def check_timeline(page):
    page.keyboard.press("0")
    x, y = culprit_in_timeline(page)
    page.mouse.move(x, y)
    expect(page.locator("#tip")).to_contain_text("test-fail")
    page.mouse.click(x, y)
    expect(page.locator("#detail h2")).to_have_text("test-fail")


def check_long(browser, path):
    for size in SIZES:
        with Reader(browser, path, size, link="#pass-1777") as page:
            expect(page.locator("#detail .head")).to_contain_text("step 1777")
            page.locator("#rows").scroll_into_view_if_needed()
            expect(page.locator("#table tr.now")).to_be_in_viewport()
            assert page.locator("#table tr").count() < 100
            assert page.evaluate(LAYOUT) == []
            # Nothing but the window ends the row.
            right = page.locator("#table tr.now").evaluate(
                "e => [e.getBoundingClientRect().right, e.lastElementChild.getBoundingClientRect().right]"
            )
            assert right[0] - 1 <= right[1] <= right[0], right
            page.locator("#rows").evaluate("e => { e.scrollTop = 0 }")
            expect(page.get_by_role("link", name="sequential")).to_be_visible()
            # The focus goes with the selection, and is not lost to the rows
            # that are out of sight.
            page.locator("#table tr.pass a").nth(1).focus()
            for _ in range(60):
                page.keyboard.press("ArrowDown")
            chosen = page.evaluate("`#${selected.id}`")
            assert page.evaluate("document.activeElement.getAttribute('href')") == chosen
            page.locator("#rows").evaluate("e => { e.scrollTop = 40000 }")
            expect(page.locator("#table tr.now")).to_have_count(0)
            assert page.evaluate("document.activeElement.id") == "rows"
            # A row that stays in sight is not put in anew, so it can be clicked
            # while the list moves.
            row = page.locator("#table tr.pass").nth(15).element_handle()
            page.locator("#rows").evaluate("e => { e.scrollTop += 20 }")
            page.evaluate(
                "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
            )
            assert row.evaluate("e => e.isConnected")
            # On paper, all are there.
            page.evaluate("dispatchEvent(new Event('beforeprint'))")
            assert page.locator("#table tr.pass").count() == 2001


def check_frame(browser, path):
    """In a notebook, the page has no address."""
    text = html.escape(pathlib.Path(path).read_text(encoding="utf-8"))
    outer = pathlib.Path(f"{path}.frame.html")
    outer.write_text(f'<!doctype html><iframe srcdoc="{text}" width=900 height=700></iframe>')
    with Reader(browser, outer, SIZES[0]) as page:
        frame = page.frame_locator("iframe")
        heading = frame.locator("#detail h2")
        frame.locator("#table tr.pass", has_text="cse").first.click()
        expect(heading).to_have_text("cse")
        frame.locator("#failure a").click()
        expect(heading).to_have_text("test-fail")
        expect(frame.locator("h1")).to_have_count(1)


def check_bad_link(browser, path):
    for link in ("#%", "#%ff", "#none"):
        with Reader(browser, path, SIZES[0], link=link) as page:
            expect(page.locator("#detail h2")).to_have_text("test-fail")


def check_large_figures(browser, path):
    def edit(runs):
        passes = [p for p in runs[0]["passes"] if "memory" in p]
        for p, ms in zip(passes, (999.9994, 123456.78, 9999999, 360e6)):
            p["wall"] = p["time"] = int(ms * 1e6)
            p["end"] = p["begin"] + p["wall"]
        for p, kb in zip(passes, (1205632, 999999, -1205632, 1023)):
            p["memory"] = [2**40, 2**40 + kb * 1024]
            p["ops"] = [2000000, 2000000 + kb]

    page_path = edited(path, "large", edit)
    for size in SIZES:
        with Reader(browser, page_path, size) as page:
            bad = page.evaluate(LAYOUT)
            assert bad == [], (size, bad)
            rows = " ".join(page.locator("#table").inner_text().split())
            for figure in ("999.999", "123,457", "9,999,999", "360,000 s", "+1.21 M", "+999,999"):
                assert figure in rows, (figure, rows)
            assert size == SIZES[1] or "−1,177 MB" in rows, rows


def check_failures(browser, path):
    """If one of several runs fails, it is named, unless it is a nested run whose pass
    goes on."""

    def edit(runs):
        def copy(**changes):
            run = json.loads(json.dumps(runs[0]))
            run.update(diagnostics=[], **changes)
            return run

        runs += [copy(module="second"), copy(module="third", failed=False)]
        for p in runs[2]["passes"]:
            if p["status"] == "failed":
                p["status"] = "ran"
        index = next(i for i, p in enumerate(runs[2]["passes"]) if p["name"] == "test-fail")
        runs += [copy(module="inner", parent=[2, index])]
        return runs

    with Reader(browser, edited(path, "failures", edit), SIZES[0]) as page:
        failures = page.locator("#failure p")
        expect(failures).to_have_count(2)
        expect(failures.nth(0)).to_have_text(re.compile(r"^test-fail failed on .*func\.mlir\.$"))
        expect(failures.nth(1)).to_have_text(
            re.compile(r"^test-fail failed on second\. It gave no diagnostic")
        )
        failures.nth(1).locator("a").click()
        assert "#run-2-pass-" in page.url, page.url
        expect(page.locator("#table small", has_text="failed on second")).to_have_count(1)
        page.get_by_role("button", name="Failed").click()
        expect(page.locator("#table tr.pass")).to_have_count(3)
        expect(page.get_by_text("failed, but was handled")).to_have_count(1)

    def handle(runs):
        runs = edit(runs)[2:]
        runs[1]["parent"][0] = 0
        return runs

    with Reader(browser, edited(path, "handled", handle), SIZES[0]) as page:
        expect(page.locator("#failure")).to_be_hidden()
        expect(page.locator("#table tr.pass .mark.failed").first).to_be_visible()


def check_running(browser, path):
    """The page shows no facts that are missing in its data."""

    def edit(runs):
        runs[0].update(failed=False, diagnostics=[])
        for p in runs[0]["passes"]:
            if p["status"] == "failed":
                p["status"] = "running"
                p.pop("memory", None)
                p.pop("ops")
        runs[0]["passes"][1].update(status="not seen")
        for key in ("begin", "end", "time", "wall", "runs", "memory", "ops", "changed", "diff"):
            runs[0]["passes"][1].pop(key, None)
        del runs[0]["passes"][2]["runs"]
        del runs[0]["passes"][2]["ops"]

    with Reader(browser, edited(path, "running", edit), SIZES[0]) as page:
        expect(page.locator("#about")).to_contain_text("still running")
        expect(page.locator("#failure")).to_be_hidden()
        page.get_by_role("link", name="test-fail").click()
        expect(page.locator("#detail .why")).to_contain_text("running")
        expect(page.locator("#detail")).to_contain_text("It has not ended.")
        page.get_by_role("link", name="cse").click()
        expect(page.locator("#detail .why")).to_contain_text("the report was not in the context")
        page.get_by_role("link", name="canonicalize").first.click()
        expect(page.locator("#detail")).to_contain_text("Its changes are unknown")
        text = page.locator("body").inner_text()
        assert not re.search("NaN|undefined|Invalid", text), text

    with Reader(browser, edited(path, "empty", lambda runs: runs.clear()), SIZES[0]) as page:
        expect(page.get_by_text("No pass has run.")).to_be_visible()
        expect(page.get_by_text("No pass fits.")).to_be_hidden()


def check_marks(browser, path):
    """Search marks the text that it looks for, also inside words and across them."""
    line = '    %0 = arith.addi %arg0, %arg0 {a = "İİİ find me"} : i32'

    def edit(runs):
        lines = runs[0]["lines"]
        lines[next(i for i, text in enumerate(lines) if "%1 = arith.addi" in text)] = line

    marked = "[...(CSS.highlights.get('found') || [])].map(range => range.toString())"
    with Reader(browser, edited(path, "marks", edit), SIZES[0]) as page:
        for text, count in (("arith.addi %ARG0, %arg0 ", 3), ("  find me ", 1), ("addi", 3)):
            page.get_by_role("searchbox").fill(text)
            page.keyboard.press("Enter")
            expect(page.locator("#detail h2")).to_have_text("cse")
            found = page.evaluate(marked)
            assert len(found) == count, (text, found)
            assert {part.lower() for part in found} == {text.strip().lower()}, found


def check_keys(browser, path):
    with Reader(browser, path, SIZES[0]) as page:
        # Enter works at once, without waiting for the search to catch up.
        page.get_by_role("searchbox").fill("TestOwner")
        page.evaluate(
            "$('search').dispatchEvent(new KeyboardEvent('keydown', {key: 'Enter', bubbles: true}))"
        )
        assert "TestOwner" in page.evaluate("selected.text + selected.name + selected.reason")
        assert titles(page) and "cse" not in titles(page)
        page.keyboard.press("Escape")
        chosen = page.evaluate("selected.id")
        page.locator("#failure").focus()
        page.keyboard.press("ArrowDown")
        assert page.evaluate("selected.id") == chosen
        page.locator("#canvas").focus()
        page.keyboard.press("ArrowDown")
        assert page.evaluate("selected.id") != chosen
        # The element around the canvas has the outline: it would cut the canvas's off.
        assert page.locator(".lanes").evaluate("e => getComputedStyle(e).outlineWidth") == "2px"
    with Reader(browser, path, SIZES[1]) as page:
        chosen = page.evaluate("selected.id")
        page.keyboard.press("ArrowDown")
        # The page allows no code from elsewhere, so it cannot look itself.
        for _ in range(100):
            if page.evaluate("scrollY") > 0:
                break
            page.wait_for_timeout(50)
        assert page.evaluate("scrollY") > 0
        assert page.evaluate("selected.id") == chosen
        # A click on a pass in the timeline leads to its details.
        page.evaluate("scrollTo(0, 0)")
        x, y = culprit_in_timeline(page)
        page.mouse.click(x, y)
        expect(page.locator("#detail h2")).to_be_in_viewport()


def check_axis(browser, path):
    """At any zoom, each time is on the axis once."""

    def edit(runs):
        runs[0]["passes"][0]["end"] = int(5e9)

    with Reader(browser, edited(path, "slow", edit), SIZES[0]) as page:
        for size in (5e9, 3e8, 1e6, 2000):
            labels = page.evaluate(
                """size => {
                  const texts = [], fill = CanvasRenderingContext2D.prototype.fillText;
                  CanvasRenderingContext2D.prototype.fillText = function (text, x, y) {
                    if (y === 7) texts.push(text);
                    fill.apply(this, arguments);
                  };
                  setView(3.2e9, 3.2e9 + size);
                  CanvasRenderingContext2D.prototype.fillText = fill;
                  return texts;
                }""",
                size,
            )
            assert len(labels) > 3 and len(set(labels)) == len(labels), labels


def check_print(browser, path):
    with Reader(browser, path, SIZES[0], "dark") as page:
        dark = page.evaluate("document.documentElement.dataset.theme")
        page.emulate_media(media="print")
        page.evaluate("dispatchEvent(new Event('beforeprint'))")
        assert (
            page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
        )
        for hidden in (".zoom", ".tools", "#theme"):
            expect(page.locator(hidden)).to_be_hidden()
        lefts = {
            page.locator(area).evaluate("e => parseFloat(getComputedStyle(e).paddingLeft)")
            for area in ("header", "#list", "#detail")
        }
        assert len(lefts) == 1, lefts
        page.evaluate("dispatchEvent(new Event('afterprint'))")
        assert page.evaluate("document.documentElement.dataset.theme") == dark == "dark"


def main():
    chromium, failed, long = sys.argv[1:]
    with sync_playwright() as playwright:
        # As root, Chromium has no sandbox.
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        check_look(browser, failed)
        check_theme(browser, failed)
        with Reader(browser, failed, SIZES[0]) as page:
            expect(page.locator("#detail h2")).to_have_text("test-fail")
            check_sort(page)
            check_search(page)
            check_detail(page)
            check_timeline(page)
        check_links(browser, failed)
        check_bad_link(browser, failed)
        check_frame(browser, failed)
        check_large_figures(browser, failed)
        check_failures(browser, failed)
        check_running(browser, failed)
        check_marks(browser, failed)
        check_keys(browser, failed)
        check_axis(browser, failed)
        check_print(browser, failed)
        check_long(browser, long)
        browser.close()
    print("both pages are as they should be")


if __name__ == "__main__":
    main()
