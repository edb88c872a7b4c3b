"""browse_report.py CHROMIUM FAILED LONG: uses two report pages as a reader
does, and checks their layout. FAILED is of a run in which a pass failed, LONG
one of 2,000 passes."""

import pathlib
import sys

from playwright.sync_api import expect, sync_playwright

SIZES = [(1280, 800), (400, 800)]

# The areas of the page that overlap another, or hang out of the window, and
# the figures in the table that are cut off.
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

# Texts that stand out from what is behind them by less than 4.5 to 1 (WCAG 2,
# 1.4.3).
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
    """A page in a window, which may neither complain nor ask for more."""

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


def figures(page, column):
    texts = page.locator(f"#table tr.pass td:nth-child({column})").all_inner_texts()
    return [float(text.strip().replace("−", "-") or 0) for text in texts]


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
    # In what changed, not around it.
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
    # Only numbered anew, so it is there as it was and as it is.
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


def check_timeline(page):
    page.keyboard.press("0")
    box = page.locator("#canvas").bounding_box()
    x = page.evaluate(
        """() => gutter + ((culprit.begin + culprit.end) / 2 - view[0]) *
           (canvas.clientWidth - gutter) / (view[1] - view[0])"""
    )
    # Below the Sequential's.
    page.mouse.move(box["x"] + x, box["y"] + 50)
    expect(page.locator("#tip")).to_contain_text("test-fail")
    page.mouse.click(box["x"] + x, box["y"] + 50)
    expect(page.locator("#detail h2")).to_have_text("test-fail")


def check_long(browser, path):
    with Reader(browser, path, SIZES[0], link="#pass-1777") as page:
        expect(page.locator("#detail .head")).to_contain_text("step 1777")
        expect(page.locator("#table tr.now")).to_be_in_viewport()
        assert page.locator("#table tr").count() < 100
        assert page.evaluate(LAYOUT) == []
        page.locator("#rows").evaluate("e => { e.scrollTop = 0 }")
        expect(page.get_by_role("link", name="sequential")).to_be_visible()
        # On paper, all are there.
        page.evaluate("dispatchEvent(new Event('beforeprint'))")
        assert page.locator("#table tr.pass").count() == 2001


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
        check_long(browser, long)
        browser.close()
    print("both pages are as they should be")


if __name__ == "__main__":
    main()
