"use strict";
const $ = id => document.getElementById(id);
const runs = JSON.parse($("data").textContent);
const collator = new Intl.Collator();
/// Lower case, but only for characters that keep their length, so that positions
/// in both texts agree.
function fold(text) {
  const lower = text.toLowerCase();
  if (lower.length === text.length) return lower;
  return Array.from(text, c => c.toLowerCase().length === c.length ? c.toLowerCase() : c).join("");
}

// ---- Data: all passes in one list, the passes of a nested run below the pass around it.

const passes = [];
function addRun(run, depth, parent) {
  const isFirst = !passes.length;
  const prefix = isFirst ? "" : `run-${runs.indexOf(run) + 1}-`;
  run.first = [];
  const above = [];
  run.passes.forEach((pass, index) => {
    const own = pass.depth;
    above.length = own;
    Object.assign(pass, {
      run, index, order: passes.length, own, depth: depth + own, parent: above[own - 1] || parent,
      id: prefix + (pass.step ? `pass-${pass.step}` : `entry-${index}`),
      heap: pass.memory ? pass.memory[1] - pass.memory[0] : 0,
      delta: pass.ops ? pass.ops[1] - pass.ops[0] : 0,
      isOff: pass.begin === undefined,
      text: fold(`${pass.name}\n${pass.argument}\n${pass.reason}\n${(pass.vetoed_by || []).join()}`),
    });
    above[own] = pass;
    passes.push(pass);
    for (const inner of run.inner.filter(inner => inner.parent[1] === index))
      addRun(inner, pass.depth + 1, pass);
  });
}
for (const run of runs) run.inner = [];
for (const run of runs) if (run.parent) runs[run.parent[0]].inner.push(run);
const outer = runs.filter(run => !run.parent);
for (const run of outer) addRun(run, 0, null);
for (const pass of passes)
  if (pass.sequential) pass.hasChange = pass.run.passes.some(other => other.changed && isInside(other, pass));
const leaves = passes.filter(pass => !pass.sequential);
const byId = new Map(passes.map(pass => [pass.id, pass]));
const slowest = Math.max(1, ...leaves.map(pass => pass.wall || 0));

function isInside(pass, sequential) {
  for (let p = pass.parent; p; p = p.parent) if (p === sequential) return true;
  return false;
}
/// Whether a run failed, and made all runs around it fail.
function isFatal(run) {
  const outer = run.parent && runs[run.parent[0]];
  return run.failed && (!outer || outer.passes[run.parent[1]].status === "failed" && isFatal(outer));
}
const getOutermost = run => run.parent ? getOutermost(runs[run.parent[0]]) : run;
/// For each failed outermost run, the innermost failed pass, which made the others
/// fail.
const culprits = outer.map(run => passes.filter(pass =>
  pass.status === "failed" && getOutermost(pass.run) === run && isFatal(pass.run)).pop()).filter(Boolean);

// ---- Text

const escapes = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
const html = text => String(text).replace(/[&<>"]/g, c => escapes[c]);
const signed = (n, text = String(Math.abs(n))) => n > 0 ? `+${text}` : n < 0 ? `−${text}` : "0";
const formatTime = ns => ns >= 1e9 ? `${(ns / 1e9).toFixed(2)} s` : ns >= 1e6 ? `${(ns / 1e6).toFixed(2)} ms`
  : ns >= 1e3 ? `${(ns / 1e3).toFixed(1)} µs` : `${ns} ns`;
function formatBytes(bytes) {
  const size = Math.abs(bytes);
  return size >= 1 << 20 ? `${(size / (1 << 20)).toFixed(1)} MB` : size >= 1024 ? `${(size / 1024).toFixed(1)} KB` : `${size} B`;
}
const plural = (n, one, many = one + "s") => `${n.toLocaleString("en")} ${n === 1 ? one : many}`;
/// For the table: in the unit of the column, or in a larger one if there is no
/// room.
const formatFixed = (n, digits) => n.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits });
const formatMs = ms => ms >= 1e7 ? `${formatFixed(ms / 1000, 0)} s` : formatFixed(ms, ms < 1000 ? 3 : ms < 1e5 ? 1 : 0);
const formatCount = n => n >= 1e6 ? `${formatFixed(n / 1e6, 2)} M` : formatFixed(n, 0);
const formatKB = kb => kb >= 1e6 ? `${formatFixed(kb / 1024, 0)} MB` : formatFixed(kb, kb < 1000 ? 1 : 0);

function describe(pass) {
  if (pass.status === "vetoed")
    return pass.vetoed_by ? `vetoed by ${pass.vetoed_by.join(", ")}` : "vetoed";
  if (pass.status === "failed" && !isFatal(pass.run)) return `failed, but was handled · ${pass.reason}`;
  if (pass.status === "not seen") return `not seen: the report was not in the context then · ${pass.reason}`;
  if (pass.status !== "ran" && pass.status !== "skipped") return `${pass.status} · ${pass.reason}`;
  return pass.reason;
}
const summarize = pass => !pass.own && outer.length > 1 && !pass.isOff ? `${pass.status === "ran" ? "" : `${pass.status} `}on ${pass.run.module || "a module"}` : pass.disabled ? `disabled, yet ${pass.reason.replace(/^runs: /, "").replace(", although named in disabled_pass", "")}`
  : describe(pass).replace(": the report was not in the context then", "").replace(/^runs: |(?<= · )runs: /, "");
function getMark(pass) {
  const kind = pass.status === "failed" ? "failed" : pass.isOff ? "off" : pass.sequential ? "seq" : pass.changed ? "changed" : "";
  const text = pass.status === "failed" || pass.isOff ? pass.status : pass.sequential ? "Sequential" : pass.changed ? "changed" : pass.ops ? "unchanged" : pass.status;
  return `<i class="mark ${kind}" title="${text}"></i><span class="hidden">${text}: </span>`;
}

// ---- Header

function showHeader() {
  const names = [...new Set(outer.map(run => run.module).filter(Boolean))];
  const about = [names.join(", ")];
  const first = outer[0];
  if (first) {
    about.push(`opt_level ${first.opt_level}`);
    for (const key of ["required_pass", "disabled_pass"])
      if (first[key].length) about.push(`${key} ${first[key].join(", ")}`);
  }
  if (outer.some(run => run.passes.some(pass => pass.status === "running"))) about.push("still running");
  $("about").textContent = first ? about.filter(Boolean).join(" · ") : "No pass has run.";
  const ran = leaves.filter(pass => !pass.isOff);
  const changed = ran.filter(pass => pass.changed);
  const roots = outer.map(run => run.passes[0]).filter(pass => !pass.isOff);
  const outermost = ran.filter(pass => !isNested(pass)), heap = outermost.reduce((sum, pass) => sum + pass.heap, 0);
  const sumTimes = passes => passes.reduce((sum, pass) => sum + pass.wall, 0);
  const time = sumTimes(outermost);
  const wasted = sumTimes(outermost.filter(pass => pass.ops && !pass.changed && pass.status === "ran"));
  const totals = [
    ["Passes run", `${ran.length.toLocaleString("en")} of ${leaves.length.toLocaleString("en")}`],
    ["Changed something", changed.length.toLocaleString("en")],
    ["Time in passes", formatTime(time)],
  ];
  // The instrument waste says how much of it can be saved.
  if (wasted) totals.push(["Without a change", `${formatTime(wasted)}, ${Math.round(100 * wasted / time)} %`]);
  // Most of it is the initialization of passes. A run that takes the pipeline of an earlier one has none.
  const made = runs.filter(run => run.set_up !== undefined);
  if (made.length) totals.push(["Pipelines made", `${made.length}, ${formatTime(made.reduce((sum, run) => sum + run.set_up, 0))}`]);
  if (roots.length === 1 && roots[0].ops) totals.push(["Operations", roots[0].ops.map(n => n.toLocaleString("en")).join(" → ")]);
  if (outermost.some(pass => pass.memory)) totals.push(["Heap", signed(heap, formatBytes(heap))]);
  const forced = leaves.filter(pass => pass.disabled);
  if (forced.length) totals.push(["Disabled, yet required", forced.length]);
  $("totals").innerHTML = totals.map(([key, value]) => `<div><dt>${key}</dt><dd>${html(value)}</dd></div>`).join("");

  const diagnostics = outer.flatMap(run => run.diagnostics);
  if (culprits.length || diagnostics.length) {
    const describeFailure = pass => {
      const { module, diagnostics } = getOutermost(pass.run);
      return `<p><a href="#${pass.id}">${html(pass.name)}</a> failed${outer.length > 1 ? ` on ${html(module || "a module")}` : ""}.` +
        (diagnostics.some(d => d.severity === "error") ? "" : " It gave no diagnostic. If it is a Python pass, the exception that it raised says why.") + "</p>";
    };
    $("failure").hidden = false;
    $("failure").innerHTML = culprits.map(describeFailure).join("") +
      `<ul>${diagnostics.map(d => `<li><b class="${d.severity === "error" ? "bad" : "warn"}">${d.severity}:</b> ${html(d.message)}` +
        ` <span class="muted">${html(d.location)}</span>${d.notes.map(note => `<br><span class="muted">${html(note)}</span>`).join("")}</li>`).join("")}</ul>`;
  }
}
const isNested = pass => pass.parent && (!pass.parent.sequential || isNested(pass.parent));

// ---- Table. Rows have one height, and only those in sight exist.

const rowHeight = 46;
const filters = {
  all: ["All", () => true],
  changed: ["Changed", pass => pass.changed],
  off: ["Not run", pass => pass.isOff],
  failed: ["Failed", pass => pass.status === "failed" && (!pass.sequential || culprits.includes(pass))],
};
const keys = { order: p => p.order, time: p => p.wall || 0, memory: p => p.heap, ops: p => p.delta };
let sort = { key: "order", down: false }, filter = "all", query = "", shown = passes, selected = null, isPrinting = false;

function update() {
  const hasQuery = query !== "";
  const lines = hasQuery ? findLines(query) : null;
  shown = passes.filter(pass => filters[filter][1](pass) && (!hasQuery || pass.text.includes(query) || hasLine(pass, lines)));
  if (sort.key !== "order" && sort.key !== "name") shown = shown.filter(pass => !pass.sequential);
  const key = keys[sort.key], sign = sort.down ? -1 : 1;
  shown.sort((a, b) => sign * (key ? key(a) - key(b) : collator.compare(a.name, b.name)) || a.order - b.order);
  $("empty").hidden = shown.length > 0 || !passes.length;
  $("count").textContent = plural(shown.length, "pass", "passes");
  for (const th of $("table").tHead.rows[0].cells) {
    if (th.firstElementChild.dataset.sort === sort.key) th.setAttribute("aria-sort", sort.down ? "descending" : "ascending");
    else th.removeAttribute("aria-sort");
  }
  drawRows();
}
function findLines(text) {
  const found = new Map();
  for (const run of runs) {
    run.lower ||= run.lines.map(fold);
    const hits = new Set();
    run.lower.forEach((line, i) => { if (line.includes(text)) hits.add(i); });
    found.set(run, hits);
  }
  return found;
}
function hasLine(pass, found) {
  const hits = found.get(pass.run);
  if (!hits.size || !pass.diff) return false;
  for (const { edits } of pass.diff)
    for (let i = 0; i < edits.length;) {
      const kind = edits[i++], line = edits[i++];
      if (kind === 1) i++;
      if (kind >= 2 && hits.has(line)) return true;
    }
  return false;
}
function makeRow(pass, index) {
  const indent = sort.key === "order" ? Math.min(pass.depth, 8) : 0;
  const cell = (isKnown, n, text) => isKnown ? n ? text : '<span class="muted">0</span>' : "";
  const kind = `${pass.isOff ? " off" : ""}${pass.sequential ? " seq" : ""}${pass === selected ? " now" : ""}`;
  const tone = pass.status === "failed" ? "bad" : pass.disabled || pass.status === "vetoed" ? "warn" : "muted";
  return `<tr class="pass${kind}" data-order="${pass.order}" aria-rowindex="${index + 2}"><td class="step">${pass.step || ""}</td>` +
    `<td class="name" style="--depth:${indent}"><a href="#${pass.id}"${pass === selected ? ' aria-current="true"' : ""}>` +
    `${getMark(pass)}<span class="title" title="${html(pass.name)}">${html(pass.name)}</span><small class="${tone}">${html(summarize(pass))}</small></a></td>` +
    `<td>${pass.isOff ? "" : formatMs(pass.wall / 1e6)}${pass.isOff || pass.sequential || pass.wall < .02 * slowest ? "" : `<i class="meter" style="width:${(100 * pass.wall / slowest).toFixed(1)}%"></i>`}</td>` +
    `<td class="memory">${cell(pass.memory, pass.heap, signed(pass.heap, formatKB(Math.abs(pass.heap) / 1024)))}</td>` +
    `<td>${cell(pass.ops, pass.delta, signed(pass.delta, formatCount(Math.abs(pass.delta))))}</td></tr>`;
}
let drawnRows = [0, 0];
/// Draws rows only if visible ones are missing: a row that is replaced between a
/// press and its release is not clicked.
function drawMissingRows() {
  const rows = $("rows"), first = Math.floor(rows.scrollTop / rowHeight);
  const last = Math.min(shown.length, first + Math.ceil(rows.clientHeight / rowHeight) + 1);
  if (first < drawnRows[0] || last > drawnRows[1]) drawRows();
}
function drawRows() {
  const rows = $("rows"), body = $("table").tBodies[0];
  let first = 0, last = shown.length;
  if (!isPrinting) {
    first = Math.max(0, Math.min(Math.floor(rows.scrollTop / rowHeight) - 10, shown.length - 1));
    last = Math.min(shown.length, first + Math.ceil(rows.clientHeight / rowHeight) + 22);
  }
  drawnRows = [first, last];
  const focused = body.contains(document.activeElement) && document.activeElement.getAttribute("href");
  const gap = count => count ? `<tr aria-hidden="true"><td style="height:${count * rowHeight}px;padding:0;border:0"></td></tr>` : "";
  body.innerHTML = gap(first) + shown.slice(first, last).map((pass, i) => makeRow(pass, first + i)).join("") + gap(shown.length - last);
  $("table").setAttribute("aria-rowcount", shown.length + 1);
  // If the focused row is out of sight, the selected row or the list gets the focus.
  if (focused) (body.querySelector(`a[href="${focused}"]`) || body.querySelector("tr.now a") || rows).focus({ preventScroll: true });
}

// ---- Selection. The page's address names it.

function select(pass, { isLink = true, jump = false, isInTimeline = false } = {}) {
  selected = pass;
  // In a frame of a notebook, there is no address.
  try { if (isLink && location.hash !== `#${pass.id}`) history.replaceState(null, "", `#${pass.id}`); } catch {}
  let index = shown.indexOf(pass);
  if (index < 0) {
    setFilter("all");
    $("search").value = query = "";
    sort = { key: "order", down: false };
    update();
    index = shown.indexOf(pass);
  }
  const rows = $("rows"), head = $("table").tHead.offsetHeight, top = index * rowHeight;
  if (top < rows.scrollTop) rows.scrollTop = top;
  else if (top + rowHeight + head > rows.scrollTop + rows.clientHeight) rows.scrollTop = top + rowHeight + head - rows.clientHeight;
  drawRows();
  showDetail(pass);
  drawTimeline();
  if (!pass.isOff && !isInTimeline) {
    const box = $("canvas").parentElement, top = axis + pass.depth * laneHeight;
    box.scrollTop = Math.max(top + laneHeight - box.clientHeight, Math.min(box.scrollTop, top - axis));
  }
  if (jump && !isGrid()) $("detail").scrollIntoView();
}
/// Whether the page fills the window, and its parts scroll.
const isGrid = () => getComputedStyle(document.body).display === "grid";
function move(step) {
  const index = shown.indexOf(selected);
  const next = shown[index < 0 ? 0 : Math.max(0, Math.min(shown.length - 1, index + step))];
  const body = $("table").tBodies[0], hasFocus = body.contains(document.activeElement);
  if (next) select(next);
  if (next && hasFocus) body.querySelector("tr.now a").focus({ preventScroll: true });
}
function followLink() {
  let name = location.hash.slice(1);
  try { name = decodeURIComponent(name); } catch {}
  const pass = byId.get(name) || passes.find(pass => pass.name === name);
  if (pass) select(pass, { isLink: false, jump: true });
  return pass;
}
function setFilter(name) {
  filter = name;
  for (const button of $("filter").querySelectorAll("button")) button.setAttribute("aria-pressed", button.dataset.filter === name);
}

// ---- Detail

function showDetail(pass) {
  const facts = [];
  if (!pass.isOff) {
    facts.push(["Time", formatTime(pass.wall)]);
    if (pass.time > 1.01 * pass.wall) facts.push(["On all threads", formatTime(pass.time)]);
    if (!pass.sequential && pass.runs !== undefined && pass.runs !== 1) facts.push(["Ran on", plural(pass.runs, "operation")]);
    if (pass.memory) facts.push(["Heap", `${signed(pass.heap, formatBytes(pass.heap))} <span class="muted">to ${formatBytes(pass.memory[1])}</span>`]);
    if (pass.ops) facts.push(["Operations", `${pass.ops[0].toLocaleString("en")} → ${pass.ops[1].toLocaleString("en")}`]);
    if (pass.added !== undefined) facts.push(["Lines", `+${pass.added.toLocaleString("en")} −${pass.removed.toLocaleString("en")}`]);
  }
  const tone = pass.status === "failed" ? "bad" : pass.disabled || pass.status === "vetoed" ? "warn" : "muted";
  let text = `<div class="head"><h2>${html(pass.name)}</h2>` +
    (pass.argument && pass.argument !== pass.name ? `<code class="muted">${html(pass.argument)}</code>` : "") +
    `<span class="muted">${pass.sequential ? "Sequential" : pass.step ? `step ${pass.step}` : ""}</span>` +
    `<a href="#${pass.id}" aria-label="Link to this pass">#${pass.id}</a></div>` +
    `<p class="why ${tone}">${html(describe(pass))}</p>` +
    `<dl class="facts">${facts.map(([key, value]) => `<div><dt>${key}</dt><dd>${value}</dd></div>`).join("")}</dl>`;
  const changes = Object.entries(pass.op_changes || {}).sort((a, b) => Math.abs(b[1]) - Math.abs(a[1]) || collator.compare(a[0], b[0]));
  if (changes.length)
    text += `<h3>Operations</h3><ul class="chips">${changes.map(([name, n]) => `<li><code>${html(name)}</code> ${signed(n)}</li>`).join("")}</ul>`;
  if (pass.diff) text += `<h3>Changes</h3><div id="diff"></div>`;
  else if (pass.changed) text += `<h3>Changes</h3><p class="muted">Diffs were not requested.</p>`;
  else if (!pass.isOff && !pass.sequential)
    text += `<p class="muted" style="margin-top:16px">${pass.ops ? "It changed nothing." : pass.status === "running" ? "It has not ended." : "Its changes are unknown: the report was not in the context all the time."}</p>`;
  text += makeFunctions(pass);
  $("detail").innerHTML = text;
  $("detail").scrollTop = 0;
  if (pass.diff) showDiff(pass, 400);
}
function makeFunctions(pass) {
  const spans = getSpans(pass.run).filter(span => span.pass === pass);
  if (spans.length < 2) return "";
  const times = new Map();
  for (const span of spans) times.set(span.name, (times.get(span.name) || 0) + span.time);
  const list = [...times].sort((a, b) => b[1] - a[1]);
  return `<h3>Slowest functions</h3><table class="functions"><tbody>${list.slice(0, 10).map(([name, time]) =>
    `<tr><td><code>@${html(name)}</code></td><td>${formatTime(time)}</td></tr>`).join("")}</tbody></table>` +
    (list.length > 10 ? `<p class="muted">and ${plural(list.length - 10, "other")}</p>` : "");
}

// ---- Diffs

const tokens = /("(?:[^"\\]|\\.)*"?)|([%^][\w$.-]+(?:[#:]\d+)?)|(@(?:[\w$.-]+|"[^"]*"))|(![\w.]+|\b(?:tensor|memref|vector|tuple|index|none|[su]?i\d+|b?f\d+\w*)\b(?!\s*=))|(\b[a-z_]\w*(?:\.[\w$]+)+)|(-?\b\d[\w.+]*)|\w+|\s+|./g;
const classes = [, "q", "v", "s", "t", "o", "n"];
function tokenize(line) {
  return [...line.matchAll(tokens)].map(match => {
    const kind = classes.findIndex((name, i) => name && match[i] !== undefined);
    return { text: match[0], name: kind > 0 ? classes[kind] : "" };
  });
}
const makeToken = ({ text, name }) => name ? `<span class="${name}">${html(text)}</span>` : html(text);
/// Marks the part between the common beginning and the common end of both sides.
function colour(line, other) {
  const list = tokenize(line);
  let first = 0, last = list.length;
  if (other !== undefined) {
    const rest = tokenize(other);
    const most = Math.min(list.length, rest.length);
    while (first < most && list[first].text === rest[first].text) first++;
    let same = 0;
    while (same < most - first && list[list.length - 1 - same].text === rest[rest.length - 1 - same].text) same++;
    last = list.length - same;
    // If the lines have little in common, mark nothing: all of it is new.
    const count = tokens => tokens.reduce((sum, token) => sum + token.text.trim().length, 0);
    if (count(list) - count(list.slice(first, last)) < Math.min(count(list), count(rest)) / 3) first = last = list.length;
  }
  const part = (from, to) => list.slice(from, to).map(makeToken).join("");
  return other === undefined ? part(0, last) : part(0, first) + (last > first ? `<b>${part(first, last)}</b>` : "") + part(last);
}
function getLines(hunk) {
  const list = [];
  for (let i = 0; i < hunk.edits.length;) {
    const isRenamed = hunk.edits[i++] === 1;
    list.push(hunk.edits[i++]);
    if (isRenamed) list.push(hunk.edits[i++]);
  }
  return list;
}
function* makeDiffRows(pass) {
  const lines = pass.run.lines;
  const side = (n, kind, name, text) => `<td class="line${name && ` ${name}`}">${n}</td><td class="${kind}${name && ` ${name}`}">${text}</td>`;
  for (const hunk of pass.diff) {
    yield `<tr><th colspan="4">${hunk.in ? `<code>${html(hunk.in)}</code>, ` : ""}line ${hunk.new}</th></tr>`;
    let oldLine = hunk.old, newLine = hunk.new, removed = [], added = [];
    const indent = Math.min(...getLines(hunk).map(line => lines[line].search(/\S|$/)));
    const take = line => lines[line].slice(indent);
    const flush = function* () {
      for (let i = 0; i < Math.max(removed.length, added.length); i++) {
        const before = removed[i], after = added[i];
        yield `<tr>${before === undefined ? side("", "old", "", "") : side(oldLine++, "old", "del", colour(before, after))}` +
          `${after === undefined ? side("", "new", "", "") : side(newLine++, "new", "add", colour(after, before))}</tr>`;
      }
      removed = []; added = [];
    };
    for (let i = 0; i < hunk.edits.length;) {
      const kind = hunk.edits[i++], line = take(hunk.edits[i++]);
      if (kind === 2) removed.push(line);
      else if (kind === 3) added.push(line);
      else {
        yield* flush();
        const after = kind === 1 ? take(hunk.edits[i++]) : line;
        yield `<tr class="same">${side(oldLine++, "old", "", colour(line))}${side(newLine++, "new", "", colour(after))}</tr>`;
      }
    }
    yield* flush();
  }
}
function showDiff(pass, limit) {
  const rows = [...makeDiffRows(pass)];
  const cut = pass.diff_cut ? '<p class="muted more">The diff is cut here: it is too long for this page.</p>' : "";
  const note = rows.length ? "" : '<p class="muted">Only changes that are not printed, or numbers of values.</p>';
  $("diff").innerHTML = note + (rows.length ? `<table class="diff ir" aria-label="Before and after"><colgroup><col class="line"><col><col class="line"><col></colgroup>` +
    `<tbody>${rows.slice(0, limit).join("")}</tbody></table>` : "") +
    (rows.length > limit ? `<button class="more" type="button">Show ${plural(rows.length - limit, "more line")}</button>` : cut);
  $("diff").querySelector("button")?.addEventListener("click", () => showDiff(pass, Infinity));
  markFound();
}
function markFound() {
  if (!CSS.highlights) return;
  CSS.highlights.delete("found");
  if (!query || !$("diff")) return;
  const ranges = [];
  for (const cell of $("diff").querySelectorAll("td:not(.line)")) {
    const text = fold(cell.textContent);
    let i = text.indexOf(query);
    if (i < 0) continue;
    const walker = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
    let node = walker.nextNode(), begin = 0;
    /// The token at the position `at`, or the one that ends there.
    const seek = at => { while (begin + node.length < at) { begin += node.length; node = walker.nextNode(); } return [node, at - begin]; };
    for (; i >= 0; i = text.indexOf(query, i + query.length)) {
      const range = new Range();
      range.setStart(...seek(i));
      range.setEnd(...seek(i + query.length));
      ranges.push(range);
    }
  }
  CSS.highlights.set("found", new Highlight(...ranges));
}

// ---- Timeline: a lane for each depth of passes, then one for each thread.

function getSpans(run) {
  if (run.spanList) return run.spanList;
  run.spanList = [];
  let begin = 0;
  for (let i = 0; i < run.spans.length; i += 5) {
    const [pass, name, thread, gap, time] = run.spans.slice(i, i + 5);
    begin += gap;
    run.spanList.push({ pass: run.passes[pass], name: run.functions[name], thread, begin, end: begin + time, time });
  }
  return run.spanList;
}
const lanes = [];
function makeLanes() {
  for (const pass of passes)
    if (!pass.isOff) (lanes[pass.depth] ||= { label: "", items: [] }).items.push({ pass, name: "", begin: pass.begin, end: pass.end });
  const threads = [];
  for (const run of runs)
    for (const span of getSpans(run)) (threads[span.thread] ||= { label: `thread ${span.thread + 1}`, items: [] }).items.push(span);
  lanes.push(...threads.filter(Boolean));
  const leftOut = runs.reduce((sum, run) => sum + run.spans_left_out, 0);
  if (leftOut) $("left-out").textContent = `${plural(leftOut, "short run")} on functions left out`;
}
/// With enough digits to differ from the next tick.
function formatTick(time, step) {
  if (!Math.round(time)) return "0";
  const [size, unit] = [[1e9, "s"], [1e6, "ms"], [1e3, "µs"]].find(([size]) => time >= size) || [1, "ns"];
  return `${(time / size).toFixed(Math.max(0, -Math.floor(Math.log10(step / size) + 1e-9)))} ${unit}`;
}
const gutter = 62, laneHeight = 20, axis = 20;
let whole = [0, 1], view = [0, 1];
function drawTimeline() {
  const canvas = $("canvas"), width = canvas.parentElement.clientWidth, height = axis + lanes.length * laneHeight;
  if (!width) return;
  const scale = devicePixelRatio || 1, style = getComputedStyle(document.documentElement);
  const paint = name => style.getPropertyValue(`--${name}`).trim();
  const colours = { line: paint("line"), muted: paint("muted"), ink: paint("ink"), accent: paint("accent"), quiet: paint("quiet"), sequence: paint("sequence"), bad: paint("bad"), surface: paint("surface") };
  canvas.width = width * scale;
  canvas.height = height * scale;
  canvas.style.height = `${height}px`;
  const g = canvas.getContext("2d");
  g.scale(scale, scale);
  g.font = "11px system-ui, sans-serif";
  g.textBaseline = "middle";
  const room = width - gutter, perPixel = (view[1] - view[0]) / room;
  const x = time => gutter + (time - view[0]) / perPixel;

  const raw = perPixel * 110, power = 10 ** Math.floor(Math.log10(raw));
  const step = power * [1, 2, 5, 10].find(n => n * power >= raw);
  g.strokeStyle = colours.line;
  g.fillStyle = colours.muted;
  for (let time = Math.ceil((view[0] - whole[0]) / step) * step; time + whole[0] <= view[1]; time += step) {
    const at = Math.round(x(time + whole[0])) + .5;
    g.beginPath(); g.moveTo(at, axis - 4); g.lineTo(at, height); g.stroke();
    const label = formatTick(time, step);
    if (at + g.measureText(label).width / 2 < width) { g.textAlign = at - gutter < 8 ? "left" : "center"; g.fillText(label, at, 7); }
  }
  g.textAlign = "left";
  lanes.forEach((lane, index) => {
    const top = axis + index * laneHeight;
    g.fillStyle = colours.muted;
    g.fillText(lane.label || (index === 0 ? "passes" : ""), 0, top + laneHeight / 2);
    g.save();
    g.beginPath(); g.rect(gutter, top, room, laneHeight); g.clip();
    let drawn = -1;
    const chosen = [];
    for (const item of lane.items) {
      if (item.end < view[0] || item.begin > view[1]) continue;
      const { pass } = item;
      const left = x(item.begin), size = Math.max(x(item.end) - left, 1);
      // Draw one of several items in a pixel, unless another one shows more.
      const isPlain = pass !== selected && pass.status !== "failed";
      if (left + size <= drawn && isPlain && !pass.changed) continue;
      drawn = Math.ceil(left + size);
      g.fillStyle = pass.status === "failed" && !pass.sequential ? colours.bad : pass.sequential ? colours.sequence : pass.changed ? colours.accent : colours.quiet;
      g.fillRect(left, top + 1, size > 3 ? size - .5 : size, laneHeight - 3);
      if (pass === selected) chosen.push([left, size]);
      const start = Math.max(left, gutter);
      const space = left + size - start - 10, label = item.name ? `@${item.name}` : pass.name;
      if (space > 24) {
        g.fillStyle = pass.sequential ? colours.ink : pass.changed || pass.status === "failed" ? colours.surface : colours.ink;
        g.fillText(fit(g, label, space), start + 5, top + laneHeight / 2);
      }
    }
    g.strokeStyle = g.fillStyle = colours.ink;
    g.lineWidth = 2;
    for (const [left, size] of chosen) {
      if (size > 6) g.strokeRect(left + 1, top + 2, size - 2.5, laneHeight - 5);
      // A frame would hide so small an item.
      else g.fillRect(left - 2, top + laneHeight - 4, size + 4, 3);
    }
    g.restore();
  });
}
function fit(g, text, space) {
  if (g.measureText(text).width <= space) return text;
  let count = Math.floor(text.length * space / g.measureText(text).width);
  while (count > 2 && g.measureText(`${text.slice(0, count)}…`).width > space) count--;
  return count > 2 ? `${text.slice(0, count)}…` : "";
}
function findItem(event) {
  const box = $("canvas").getBoundingClientRect();
  const lane = lanes[Math.floor((event.clientY - box.top - axis) / laneHeight)];
  const perPixel = (view[1] - view[0]) / (box.width - gutter), time = view[0] + (event.clientX - box.left - gutter) * perPixel;
  if (!lane || event.clientX - box.left < gutter) return null;
  let best = null, distance = 3 * perPixel;
  for (const item of lane.items) {
    const off = Math.max(item.begin - time, time - item.end, 0);
    if (off < distance) { best = item; distance = off; }
    if (off === 0) return item;
  }
  return best;
}
function setView(begin, end) {
  const size = Math.min(end - begin, whole[1] - whole[0]);
  begin = Math.max(whole[0], Math.min(begin, whole[1] - size));
  view = [begin, begin + Math.max(size, 100)];
  drawTimeline();
}
function zoom(factor, at = .5) {
  const size = view[1] - view[0], middle = view[0] + size * at;
  setView(middle - size * factor * at, middle + size * factor * (1 - at));
}
function pan(part) {
  const size = view[1] - view[0];
  setView(view[0] + size * part, view[1] + size * part);
}

// ---- Events

function setTheme(theme) {
  document.documentElement.dataset.theme = theme;
  drawTimeline();
}
const dark = matchMedia("(prefers-color-scheme: dark)");
let hasChosen = false;
$("theme").addEventListener("click", () => {
  hasChosen = true;
  setTheme(document.documentElement.dataset.theme === "dark" ? "light" : "dark");
});
dark.addEventListener("change", () => hasChosen || setTheme(dark.matches ? "dark" : "light"));
$("filter").insertAdjacentHTML("beforeend", Object.entries(filters).map(([name, [label, fits]]) =>
  `<button type="button" data-filter="${name}">${label} <span class="muted">${passes.filter(fits).length.toLocaleString("en")}</span></button>`).join(""));
$("filter").addEventListener("click", event => {
  const button = event.target.closest("button");
  if (button) { setFilter(button.dataset.filter); $("rows").scrollTop = 0; update(); }
});
let timer = 0;
function search() {
  clearTimeout(timer);
  query = fold($("search").value.trim());
  $("rows").scrollTop = 0;
  update();
  markFound();
}
$("search").addEventListener("input", () => {
  clearTimeout(timer);
  timer = setTimeout(search, 80);
});
$("table").tHead.addEventListener("click", event => {
  const key = event.target.closest("button")?.dataset.sort;
  if (!key) return;
  sort = { key, down: sort.key === key ? !sort.down : key === "time" || key === "memory" };
  $("rows").scrollTop = 0;
  update();
});
$("table").tBodies[0].addEventListener("click", event => {
  const row = event.target.closest("tr.pass");
  if (!row || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  select(passes[row.dataset.order], { jump: true });
});
$("rows").addEventListener("scroll", () => requestAnimationFrame(drawMissingRows));
addEventListener("click", event => {
  const pass = byId.get(event.target.closest("a[href^='#']")?.hash.slice(1));
  if (!pass || event.defaultPrevented || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  select(pass, { jump: true });
});
addEventListener("hashchange", followLink);
addEventListener("resize", () => { drawRows(); drawTimeline(); });
/// Whether the up and down keys scroll when they are pressed in an element.
const isScrolling = e => e === document.body ? !isGrid() : e !== $("canvas") && !$("list").contains(e);
addEventListener("keydown", event => {
  const isTyping = event.target.matches("input");
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "Escape" && isTyping) {
    event.target.value = "";
    event.target.blur();
    search();
  } else if (isTyping) {
    if (event.key !== "Enter") return;
    search();
    if (shown.length) { event.target.blur(); select(shown[0]); }
  } else if (event.key === "/") $("search").focus();
  else if (event.key === "j" || event.key === "ArrowDown" && !isScrolling(event.target)) move(1);
  else if (event.key === "k" || event.key === "ArrowUp" && !isScrolling(event.target)) move(-1);
  else if (event.target === $("canvas") && event.key === "ArrowLeft") pan(-.2);
  else if (event.target === $("canvas") && event.key === "ArrowRight") pan(.2);
  else if (event.key === "+" || event.key === "=") zoom(.5);
  else if (event.key === "-") zoom(2);
  else if (event.key === "0") setView(...whole);
  else return;
  event.preventDefault();
});
document.querySelector(".zoom").addEventListener("click", event => {
  const kind = event.target.dataset.zoom;
  if (kind === "fit") setView(...whole);
  else if (kind) zoom(kind === "in" ? .5 : 2);
});
const canvas = $("canvas");
let drag = null, wasDragged = false;
canvas.addEventListener("pointerdown", event => { drag = { x: event.clientX, view, moved: false }; });
addEventListener("pointerup", () => { wasDragged = drag?.moved; drag = null; });
canvas.addEventListener("pointermove", event => {
  if (drag && Math.abs(event.clientX - drag.x) > 3) drag.moved = true;
  if (drag?.moved) {
    const shift = (drag.x - event.clientX) * (view[1] - view[0]) / (canvas.clientWidth - gutter);
    setView(drag.view[0] + shift, drag.view[1] + shift);
  }
  const item = drag?.moved ? null : findItem(event);
  $("tip").hidden = !item;
  canvas.style.cursor = item ? "pointer" : "";
  if (!item) return;
  $("tip").textContent = `${item.pass.name}${item.name ? ` on @${item.name}` : ""}: ${formatTime(item.end - item.begin)}`;
  const box = $("tip").getBoundingClientRect();
  $("tip").style.left = `${Math.max(4, Math.min(event.clientX + 12, innerWidth - box.width - 8))}px`;
  $("tip").style.top = `${event.clientY + 16}px`;
});
canvas.addEventListener("pointerleave", () => { $("tip").hidden = true; });
canvas.addEventListener("click", event => {
  const item = findItem(event);
  if (item && !wasDragged) select(item.pass, { jump: true, isInTimeline: true });
});
canvas.addEventListener("dblclick", event => {
  const item = findItem(event), extra = item && (item.end - item.begin) / 10;
  if (item) setView(item.begin - extra, item.end + extra);
});
canvas.addEventListener("wheel", event => {
  if (!event.ctrlKey && !event.metaKey) return;
  event.preventDefault();
  const box = canvas.getBoundingClientRect();
  zoom(event.deltaY > 0 ? 1.25 : .8, (event.clientX - box.left - gutter) / (box.width - gutter));
}, { passive: false });
let screenTheme = "";
addEventListener("beforeprint", () => {
  screenTheme = document.documentElement.dataset.theme;
  isPrinting = true;
  setTheme("light");
  drawRows();
});
addEventListener("afterprint", () => {
  isPrinting = false;
  setTheme(screenTheme);
  drawRows();
});

document.documentElement.dataset.theme = dark.matches ? "dark" : "light";
showHeader();
makeLanes();
const times = passes.filter(pass => !pass.isOff);
if (times.length) whole = [Math.min(...times.map(pass => pass.begin)), Math.max(...times.map(pass => pass.end), 1)];
view = whole;
$("timeline").hidden = !times.length;
setFilter("all");
update();
if (!followLink() && passes.length) select(culprits[0] || leaves.find(pass => pass.changed) || passes[0], { isLink: false });
drawTimeline();
