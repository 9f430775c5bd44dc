# SPDX-License-Identifier: Apache-2.0
"""The timeline in a browser: the picture is what the API tells, the table tells the same, and
all of it can be done by keys."""
import os
import pathlib
import re
import subprocess

import pytest

from timeline_reader import names
from web_page import Page, need_page

ROOT = pathlib.Path(__file__).parents[2]
CONFIG = """RESERVATIONDEPTH 1
SRCFG[express] PERIOD=INFINITY TASKCOUNT=1 RESOURCES=PROCS:2 HOSTLIST=node04 CLASSLIST=express
"""
# a picture's pixel is looked up where the view says that it is
PIXEL = """
const [canvas, row, share] = [document.getElementById("gantt"), arguments[0], arguments[1]];
const ratio = canvas.width / canvas.clientWidth, q = new URLSearchParams(location.search);
const [gutter, head] = [128, 40], rows = q.get("rows").split("-").map(Number);
const x = gutter + (canvas.clientWidth - gutter) * (arguments[2] - q.get("from")) / (q.get("to") - q.get("from"));
const y = head + (row + share) * 32;
const px = canvas.getContext("2d").getImageData(Math.round(x * ratio), Math.round(y * ratio), 1, 1).data;
return [px[0], px[1], px[2]];
"""


@pytest.fixture
def site(daemon, build):
    """A job of four processors runs, another has a promise, a third a forecast."""
    need_page(build)
    daemon.configure(CONFIG)
    daemon.start()
    daemon.jobs = {}
    for name, procs in (("runs", 4), ("promised", 6), ("later", 6)):
        daemon.jobs[name] = daemon.submit("sleep 900", wclimit_s=14400, name=name, requests=[
            {"tasks": procs, "per_task": {"procs": 1}}])
        if name == "runs":
            daemon.wait(lambda: daemon.state(daemon.jobs["runs"]) == "Running", "its start")
    daemon.wait(lambda: any(r["name"] == daemon.jobs["promised"]
                            for r in daemon.api("/v1/reservations")[1]), "the promise")
    return daemon


def lines(browser):
    return [[c.text for c in r.find_elements("css selector", "td")]
            for r in browser.all(".g-pieces tbody tr")]


def open_timeline(browser, site, query=""):
    browser.chrome.get(Page(site).login())
    browser.shows("Next ends")
    browser.keys("g", "t")
    browser.wait(lambda: "/ui/timeline" in browser.chrome.current_url, "the screen")
    if query:
        browser.chrome.get(browser.chrome.current_url.split("?")[0] + query)
    browser.wait(lambda: "pieces are loaded" in browser.one("#gantt").get_attribute("aria-label")
                 and "0 pieces" not in browser.one("#gantt").get_attribute("aria-label"), "its data")


def test_the_table_has_what_the_scheduler_tells(site, browser):
    open_timeline(browser, site, "?table=1")
    browser.wait(lambda: len(lines(browser)) >= 4, "the table")
    row = names(site.api("/v1/rows")[1])
    told = {r["name"]: r for r in site.api("/v1/reservations")[1]}
    runs, promised, later = (site.jobs[k] for k in ("runs", "promised", "later"))
    shown = {(l[1], l[2]): l for l in lines(browser)}
    assert shown[f"job {runs}", "running"][0] == f"{row[0]} – {row[1]}"
    assert {p["node"] for p in told[runs]["places"]} == set(row[:2])
    assert shown[f"job {promised}", "promised"][3] == site.job(promised)["user"]
    assert (f"job {later}", "forecast") in shown
    assert shown["express.0.0", "standing reservation"][0] == row[3]
    # the strip in numbers: 4 of 8 processors run, 6 are promised, then foreseen, 2 reserved
    parts = lambda: [[c.text for c in r.find_elements("css selector", "td")][1:]  # noqa: E731
                     for r in browser.all(".g-use tbody tr")]
    browser.wait(lambda: len(parts()) == 12, "the shares of all nodes")
    for column, share in ((0, "50 %"), (1, "75 %"), (3, "25 %")):
        assert share in [p[column] for p in parts()], parts()
    # of the minutes around now, in part of which nothing ran yet
    browser.wait(lambda: re.search("now [1-9][0-9]? % in use", browser.one(".g-strip").get_attribute("aria-label")),
                 "its words")
    browser.picture("timeline-table")
    for scheme in ("light", "dark"):
        browser.scheme(scheme)
        browser.picture(f"timeline-{scheme}")
    browser.check()


def test_the_picture_is_what_the_scheduler_tells(site, browser):
    """A pixel in the middle of what runs has the hue of its owner; free rows have none."""
    open_timeline(browser, site)
    at = site.job(site.jobs["runs"])["start_at"]
    browser.wait(lambda: "from=" in browser.chrome.current_url, "the view in the address")
    probe = lambda row, when: browser.chrome.execute_script(PIXEL, row, 0.5, when)  # noqa: E731
    # of all hues: whose name it is depends on who runs the tests
    browser.wait(lambda: max(probe(0, at + 3600)) - min(probe(0, at + 3600)) > 40, "its colour")
    assert probe(0, at + 3600) == probe(1, at + 3600)
    free = probe(2, at + 3600)
    assert max(free) - min(free) < 12, free
    browser.picture("timeline-small")
    browser.one('.g-tool option[value="state"]').click()
    browser.wait(lambda: probe(0, at + 3600) == [47, 125, 209], "the colour of what runs")
    browser.shows("beyond its limit")
    # Chromium says that many looks at pixels are slow: they are the test's own
    assert all("willReadFrequently" in m["message"] for m in browser.chrome.get_log("browser"))


TILES = """
const tile = (name) => ({ name, close() { this.closed = true; } });
const t = new M.Tiles(), log = [], [a, b, c] = ["a", "b", "c"].map(tile);
const see = () => ["left", "right"].map((k) => t.get(k)?.name ?? "-").join("");
const put = (key, window, name, covered = true) => { t.put(key, window, name, covered); log.push(see()); };
t.begin("plan 1", 1);
put("left", 1, a);                       // the first picture is seen as it grows
put("right", 1, tile("A"), false);
t.begin("plan 2", 2);
log.push(t.lacks("left"), t.changing);
put("left", 2, b);                       // half of it is newer: nothing else is seen
log.push(t.turn(["left", "right"]));
put("right", 2, tile("B"), false);
log.push(t.turn(["left", "right"]), see(), a.closed === true, b.closed === undefined);
t.begin("plan 2", 3);                    // more rows of the same: what is whole serves again
log.push(t.lacks("left"), t.lacks("right"), t.changing);
put("right", 3, tile("C"));
log.push(t.lacks("right"));
t.begin("plan 3", 4);
put("left", 4, null, false);             // it could not be painted: nothing is seen of it,
put("right", 4, tile("D"));
log.push(t.turn(["left", "right"]), see(), t.get("left") === null, t.lacks("left"));
t.begin("plan 3", 5);                    // and it is tried again with what is told next
log.push(t.lacks("left"));
const many = Array.from({ length: 400 }, (_, i) => `tile ${i}`); // a large screen: a few a frame
t.begin("plan 4", 6);
for (const key of many) {
  t.put(key, 6, tile("E"), true);
  t.beginFrame();
  t.turn(many);
}
log.push(t.changing, many.every((k) => t.get(k)));
return log;
"""


def test_what_is_in_sight_is_of_one_plan(build, browser):
    """Tiles of a newer plan are seen when all of them are there."""
    need_page(build)
    made = subprocess.run(["esbuild", ROOT / "web" / "gantt" / "tiles.ts", "--bundle", "--format=iife",
                           "--global-name=M"], capture_output=True, text=True, check=True).stdout
    assert browser.chrome.execute_script(made + TILES) == [
        "a-", "aA", True, True, "aA", False, "aA", True, "bB", True, True,
        False, True, False, "bC", False, "bC", "bC", True, "-D", True, False, True, False, True]


CELLS = """
const SIZE = 40, [r, g, b] = [[130, 140, 153], [84, 140, 110], [14, 138, 128]];
const layers = ["use", "promised", "forecast", "reserved", "down", "ended"];
let reads = 0;
const column = {};
layers.concat("colour").forEach((name, k) => {
  const bytes = Uint8Array.from({ length: SIZE * SIZE }, (_, i) => ((i * 7919 + k * 104729) % 3 ? 0 : (i * 31 + k * 17) % 256));
  column["cell." + name] = new Proxy(bytes, { get: (of, at) => { if (typeof at === "string" && /^[0-9]+$/.test(at)) reads += 1; return of[at]; } });
});
const heading = { as: "cells", first: 0, rows: 4 * SIZE, lines: SIZE, columns: SIZE, rows_a_line: 4, seconds_a_column: 60, from: 1000, names: {} };
const window_ = { heading, column, covers: () => true };
const scale = { epoch: 1000 - 600, second: 12.5, row: 2 };  // a cell is 4.8 by 8 pixels; some lie beyond
const hues = { of: new Uint8Array(0), palette: [], names: [[200, 30, 40], [20, 60, 220]] };
const px = M.paintTile(window_, hues, scale, 0, 0), cost = reads;
// The plainest way: each pixel by itself.
const plain = new Uint32Array(256 * 256);
const pack = ([r, g, b], a) => ((a << 24) | (b << 16) | (g << 8) | r) >>> 0;
const put = (at, c, alpha) => {
  const old = plain[at], a = old >>> 24, k = alpha / 255;
  const mix = (x, y) => Math.round(x * (1 - k) + y * k);
  plain[at] = a ? pack([mix(old & 255, c[0]), mix((old >>> 8) & 255, c[1]), mix((old >>> 16) & 255, c[2])], Math.max(a, alpha)) : pack(c, alpha);
};
for (let y = 0; y < 256; y++) for (let x = 0; x < 256; x++) {
  const row = Math.floor(y / 2), at = y * 256 + x, place = Math.floor((400 + x * 12.5 - 1000) / 60);
  if (row >= 160 || place < 0 || place >= SIZE) continue;
  const cell = Math.floor(row / 4) * SIZE + place;
  const [use, promised, forecast, reserved, down, ended] = layers.map((l) => column["cell." + l][cell]);
  if (down) put(at, r, (x + y) % 4 ? 40 : Math.max(90, down));
  if (ended) put(at, g, 30 + ended * 0.45);
  if (reserved) put(at, b, 20 + reserved / 6);
  if (forecast) put(at, [143, 111, 200], 20 + forecast / 4);
  if (promised) put(at, [138, 92, 194], (x + y) % 8 < 2 ? 60 + promised * 0.75 : 30 + promised / 4);
  if (use) put(at, hues.names[column["cell.colour"][cell]] ?? [128, 138, 152], 50 + use * 0.8);
}
return [px.every((p, i) => p === plain[i]), cost, px.filter((p) => p).length];
"""


def test_a_tile_of_cells_looks_at_each_cell_once(build, browser):
    """Counted, not measured: the picture is what the plainest way of painting would give."""
    need_page(build)
    made = subprocess.run(["esbuild", ROOT / "web" / "gantt" / "paint.ts", "--bundle", "--format=iife",
                           "--global-name=M"], capture_output=True, text=True, check=True).stdout
    same, cost, painted = browser.chrome.execute_script(made + CELLS)
    cells = 32 * 44  # in the tile, and one half at its edges; 65,536 pixels
    assert same and painted > 20000 and cost <= cells * (6 + 8), (cost, painted)


PAN = """
const done = arguments[0], canvas = document.getElementById("gantt");
const ops = { fillRect: 0, fillText: 0, strokeRect: 0, drawImage: 0 };
const kept = Object.keys(ops).map((k) => [k, CanvasRenderingContext2D.prototype[k]]);
for (const [k, real] of kept) CanvasRenderingContext2D.prototype[k] = function (...a) { ops[k] += 1; return real.apply(this, a); };
const changes = [];
const watch = new MutationObserver((all) => changes.push(...all.map((m) => m.target.className)));
watch.observe(document.querySelector(".split-main"), { subtree: true, childList: true, attributes: true, characterData: true });
let n = 0;
requestAnimationFrame(function step() {
  if (n++ === 20) {
    watch.disconnect();
    for (const [k, real] of kept) CanvasRenderingContext2D.prototype[k] = real;
    return done([ops, changes.length]);
  }
  canvas.dispatchEvent(new WheelEvent("wheel", { deltaX: n % 2 ? 9 : -9, clientX: 500, clientY: 300, bubbles: true, cancelable: true }));
  requestAnimationFrame(step);
});
"""


def test_a_frame_moves_what_is_ready(site, browser):
    """Counted, not measured: neither bars nor names are drawn anew while time is moved, and
    nothing of the page around is."""
    open_timeline(browser, site)
    browser.wait(lambda: "% in use" in browser.one(".g-strip").get_attribute("aria-label"), "the strip")
    browser.chrome.set_script_timeout(60)

    told = []
    for _ in range(20):  # not while something newer came, which is drawn
        ops, changes = browser.chrome.execute_async_script(PAN)
        told.append((ops, changes))
        if ops["fillRect"] <= 20 * 60 and ops["fillText"] <= 20 * 30 and ops["drawImage"] <= 20 * 30 and changes <= 3:
            return
    raise AssertionError(told)


ZOOM = """
const done = arguments[0], canvas = document.getElementById("gantt"), post = Worker.prototype.postMessage;
let tiles = 0, n = 0;
Worker.prototype.postMessage = function (m, ...more) { tiles += m.type === "tile"; return post.call(this, m, ...more); };
const step = () => {  // the scale is another in each frame
  if (++n > 16) {
    const meanwhile = tiles;
    return setTimeout(() => { Worker.prototype.postMessage = post; done([meanwhile, tiles]); }, 1500);
  }
  canvas.dispatchEvent(new WheelEvent("wheel", { deltaY: n <= 8 ? -40 : 40, clientX: 500, clientY: 200, bubbles: true, cancelable: true }));
  requestAnimationFrame(step);
};
step();"""


def test_while_the_scale_changes_no_tile_is_painted(site, browser):
    """Counted: of a zoom over sixteen scales the tiles of the last one are asked for, when it rests."""
    open_timeline(browser, site)
    browser.chrome.set_script_timeout(60)
    told = []
    for _ in range(10):  # a frame that comes late is a rest
        meanwhile, after = browser.chrome.execute_async_script(ZOOM)
        told.append((meanwhile, after))
        if meanwhile == 0 and after <= 60:
            return
    raise AssertionError(told)


STRIP = """
const done = arguments[0], asked = [], canvas = document.createElement("canvas");
canvas.style.width = "1800px";
document.body.append(canvas);
Object.defineProperty(window, "sessionStorage", { value: { getItem: () => null } });
window.fetch = (path) => {
  asked.push([performance.now(), new URL(path, "http://maui").searchParams]);
  if (asked.length === 2) {
    strip.end();
    clearInterval(frames);
    const span = Number(asked[1][1].get("to")) - Number(asked[1][1].get("from"));
    done([asked[1][0] - asked[0][0], span / 86400]);
  }
  return Promise.resolve(new Response("", { status: 503 }));
};
const strip = new M.Strip(canvas, () => undefined);
strip.layers = "use";
let now = 1790000000;
const frames = setInterval(() => strip.show({ t0: 1790000000, second: 19484, y0: 0, row: 16 }, now++), 200);
"""


def test_the_strip_asks_again_in_peace_when_it_was_refused(build, browser):
    """Whatever the rows do meanwhile; and never for more than a year."""
    need_page(build)
    made = subprocess.run(["esbuild", ROOT / "web" / "gantt" / "strip.ts", "--bundle", "--format=iife",
                           "--global-name=M"], capture_output=True, text=True, check=True).stdout
    browser.chrome.set_script_timeout(90)
    apart_ms, days = browser.chrome.execute_async_script(made + STRIP)
    assert apart_ms >= 2900 and 300 < days <= 366, (apart_ms, days)


def test_keys_go_from_one_to_the_next_and_open_it(site, browser):
    open_timeline(browser, site)
    browser.chrome.execute_script("document.getElementById('gantt').focus()")
    said = lambda: browser.one('.split-main > [role="status"]').get_attribute("textContent")  # noqa: E731
    browser.keys("\ue015")
    browser.wait(lambda: said().startswith(f"Job {site.jobs['runs']}, running"), "the first")
    browser.keys("\ue014")
    browser.wait(lambda: said().startswith(f"Job {site.jobs['promised']}, promised"), "the next in time")
    before = browser.chrome.current_url
    browser.keys("]", "+", "}")
    browser.wait(lambda: browser.chrome.current_url != before, "another view")
    browser.keys("0")
    browser.keys("\ue007")
    browser.shows(f"Job {site.jobs['promised']}")
    assert f"sel={site.jobs['promised']}" in browser.chrome.current_url
    browser.keys("\ue00c")
    browser.wait(lambda: not browser.all(".panel"), "the panel's end")
    browser.keys("t")
    browser.wait(lambda: browser.all(".g-lines"), "the table")
    browser.check()


def test_a_marked_window_fills_the_picture(site, browser):
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.keys import Keys
    span = lambda: tuple(int(re.search(rf"{k}=(\d+)", browser.chrome.current_url)[1])  # noqa: E731
                         for k in ("from", "to"))
    open_timeline(browser, site)
    browser.wait(lambda: "from=" in browser.chrome.current_url, "the view in the address")
    start, end = span()
    canvas = browser.one("#gantt")
    width = canvas.size["width"]
    spots = [128 + (width - 128) * share for share in (0.4, 0.6)]
    marked = [start + (end - start) * share for share in (0.4, 0.6)]
    a, b = (round(x - width / 2) for x in spots)
    (ActionChains(browser.chrome, duration=50).key_down(Keys.ALT)
     .move_to_element_with_offset(canvas, a, 0).click_and_hold()
     .move_to_element_with_offset(canvas, b, 0).release().key_up(Keys.ALT).perform())
    browser.wait(lambda: span() != (start, end), "another view")
    first, last = span()
    # the next step of the scale that has room for it, and the same middle
    pixel = (end - start) / (width - 128)
    assert first <= marked[0] + 2 * pixel and last >= marked[1] - 2 * pixel, (first, last, marked)
    assert last - first < (end - start) / 2
    assert abs((first + last) / 2 - sum(marked) / 2) < 3 * pixel


def test_what_changes_is_in_the_picture(site, browser):
    open_timeline(browser, site, "?table=1")
    browser.wait(lambda: len(lines(browser)) >= 4, "the table")
    site.ok("canceljob", site.jobs["runs"])
    # of what is over no more is said than that it was, if it ran for a second
    browser.wait(lambda: not any(l[1] == f"job {site.jobs['runs']}" and l[2] != "failed or removed"
                                 for l in lines(browser))
                 and any(l[1:3] == [f"job {site.jobs['promised']}", "running"] for l in lines(browser)),
                 "the next one")
    browser.check()


def test_an_empty_machine_is_a_picture_too(live, browser):
    need = Page(live)
    browser.chrome.get(need.login())
    browser.shows("Next ends")
    browser.chrome.get(browser.chrome.current_url + "timeline?table=1")
    browser.shows("Nothing is in sight")
    browser.picture("timeline-empty")
    browser.check()


@pytest.mark.skipif(os.geteuid() != 0, reason="other users can only be played by root")
def test_a_user_sees_others_as_lists_show_them(site, browser):
    from live_users import Users
    users = Users(site)
    browser.chrome.get(users.ok("nobody", "dashboard", "--no-open").splitlines()[0])
    browser.shows("My jobs")
    browser.expected = {403}
    browser.chrome.get(browser.chrome.current_url + f"timeline?table=1&sel={site.jobs['runs']}")
    browser.wait(lambda: len(lines(browser)) >= 3, "the table")
    assert not any("express" in l[1] for l in lines(browser))
    browser.shows("what lists show is all that you may see")
    assert [o.text for o in browser.all('.g-tool option')][-2:] == ["partition", "state"]
    browser.picture("timeline-user")
    browser.check()


def test_groups_fold_into_a_row_with_their_sums(daemon, build, browser):
    """By keys, by the menu and by the address; deadlines are told above them."""
    need_page(build)
    daemon.configure(CONFIG + "".join(f"NODECFG[node0{n}] FRAME={(n + 1) // 2} SLOT={n}\n" for n in range(1, 5)))
    daemon.start()
    daemon.jobs = {"runs": daemon.submit("sleep 900", wclimit_s=14400, requests=[{"tasks": 4, "per_task": {"procs": 1}}])}
    daemon.wait(lambda: daemon.state(daemon.jobs["runs"]) == "Running", "its start")
    late = daemon.submit("sleep 900", wclimit_s=7200, requests=[{"tasks": 6, "per_task": {"procs": 1}}])
    daemon.ok("setdeadline", late, "+1:00:00")
    open_timeline(browser, daemon, "?by=frame&table=1")
    told = lambda: {(l[1], l[2]): l for l in lines(browser)}  # noqa: E731
    browser.wait(lambda: (f"job {daemon.jobs['runs']}", "running") in told(), "the table")
    browser.wait(lambda: browser.all(".g-lanes"), "the lane of deadlines")
    browser.shows(f"Job {late}")
    browser.shows("has to be complete")
    browser.chrome.execute_script("document.getElementById('gantt').focus()")
    browser.keys("Z")
    browser.wait(lambda: "fold=*" in browser.chrome.current_url and len(lines(browser)) > 0
                 and told().get((f"job {daemon.jobs['runs']}", "running"), [""])[0] == "frame 1", "a row of each frame")
    assert told()[f"job {daemon.jobs['runs']}", "running"][4] == "4"
    browser.picture("timeline-folded")
    browser.keys("Z")
    browser.wait(lambda: "fold" not in browser.chrome.current_url, "all unfolded")
    browser.one(".g-bar .menu summary").click()
    browser.wait(lambda: len(browser.all(".g-groups input")) == 2, "the groups")
    browser.all(".g-groups input")[1].click()
    browser.wait(lambda: "fold=frame+2" in browser.chrome.current_url, "one folded")
    browser.wait(lambda: told().get((f"job {daemon.jobs['runs']}", "running"), [""])[0].count("node0") == 2, "the other's nodes")
    for colour, words in (("priority", "the highest fifth"), ("efficiency", "95 % and more")):
        browser.one(f'.g-tool option[value="{colour}"]').click()
        browser.shows(words)
    for scheme in ("light", "dark"):
        browser.scheme(scheme)
        browser.picture(f"timeline-groups-{scheme}")
    browser.check()
