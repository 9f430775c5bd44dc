# SPDX-License-Identifier: Apache-2.0
"""The page without a mouse, without colours, and as a screen reader has it: names, roles,
landmarks, contrast, size of what is pressed, and the order of keys, on each screen and in both
themes. (axe-core is not in Debian: these are its rules that concern this page.)"""
import pytest

from page_screens_test import CONFIG
from page_timeline_test import open_timeline
from web_page import Page, need_page

SCREENS = ["", "?at={at}", "jobs", "jobs?sel={job}", "jobs/{job}", "timeline?table=1", "timeline?sel={job}&by=state&fold=*",
           "fairshare", "parameters", "parameters?all=1&sel=FSDEPTH",
           "credentials/user", "credentials/user/ann", "credentials/class/fast", "credentials/access", "credentials/access?of=classes",
           "priorities", "statistics", "events", "promises", "reservations", "reservations?view=week", "reservations?jobs=1&sel={job}", "nodes", "nodes?view=table&sel=node01",
           "credentials/access?of=partitions"]

# What is wrong with what is shown now: a sentence each.
CHECK = r"""
const wrong = [];
const say = (what, e) => wrong.push(what + ": " + (e.outerHTML ?? String(e)).slice(0, 130));
const visible = (e) => e.getClientRects().length && getComputedStyle(e).visibility !== "hidden" && !e.closest(".sr, .skip, details:not([open]) > :not(summary)");
const all = (css) => [...document.querySelectorAll(css)].filter(visible);
// landmarks and headings
for (const [css, n] of [["h1", 1], ["main", 1], ["nav", 1], ["header", 1]])
  if (document.querySelectorAll(css).length !== n) wrong.push(`${document.querySelectorAll(css).length} of ${css}`);
for (const e of all("nav, aside, section, [role=region], [role=application], [role=group]"))
  if (!e.getAttribute("aria-label") && !e.getAttribute("aria-labelledby")) say("no name", e);
const ids = [...document.querySelectorAll("[id]")].map((e) => e.id);
ids.filter((id, i) => ids.indexOf(id) !== i).forEach((id) => wrong.push("twice: #" + id));
// keys: nothing comes out of turn, and what is pressed is large enough
for (const e of document.querySelectorAll("[tabindex]")) if (Number(e.getAttribute("tabindex")) > 0) say("tabindex", e);
for (const e of all("button, select, input, summary")) {
  const box = (e.closest("label") ?? e).getBoundingClientRect();
  if (box.width >= 24 && box.height >= 23.5) continue;
  // a small one has room around it: 24 px across that nothing else takes
  const [x, y] = [(box.left + box.right) / 2, (box.top + box.bottom) / 2];
  const near = all("button, select, input, summary, a").filter((o) => o !== e && !o.contains(e)).some((o) => {
    const b = o.getBoundingClientRect();
    return Math.hypot(Math.max(b.left - x, 0, x - b.right), Math.max(b.top - y, 0, y - b.bottom)) < 12;
  });
  if (near) say(`${box.width} x ${box.height} px`, e);
}
for (const e of all("a")) {
  if (!e.textContent.trim() && !e.getAttribute("aria-label")) say("a link without words", e);
  if (!e.getAttribute("href")) say("a link to nowhere", e);
}
for (const e of all("table")) if (!e.querySelector("th")) say("a table without headings", e);
// roles that hang together
for (const e of all("[role=row]")) if (!e.closest("[role=table], [role=grid]")) say("a row of no table", e);
for (const e of all("[role=cell], [role=gridcell], [role=columnheader]")) if (!e.closest("[role=row]")) say("a cell of no row", e);
for (const e of all("ul > *, ol > *")) if (e.tagName !== "LI" && e.getAttribute("role") !== "none") say("in a list", e);
for (const e of all("dl > *")) if (!["DT", "DD", "DIV"].includes(e.tagName)) say("in a list of terms", e);
for (const e of all("[aria-hidden=true] a, [aria-hidden=true] button, [aria-hidden=true] input")) say("hidden, but keys go there", e);
// text on its ground
const rgb = (text) => { const m = text.match(/[\d.]+/g).map(Number); return text.startsWith("color(") ? [m[0] * 255, m[1] * 255, m[2] * 255, m[3] ?? 1] : [m[0], m[1], m[2], m[3] ?? 1]; };
const over = (a, b) => [0, 1, 2].map((i) => a[i] * a[3] + b[i] * (1 - a[3])).concat(1);
const light = (c) => { const [r, g, b] = c.slice(0, 3).map((x) => ((x /= 255) <= 0.03928 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4)); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
const ground = (e) => {
  let layers = [];
  for (let p = e; p; p = p.parentElement) {
    const s = getComputedStyle(p);
    if (s.backgroundImage !== "none") return null;
    const c = rgb(s.backgroundColor);
    layers.push(c);
    if (c[3] === 1) break;
  }
  return layers.reverse().reduce((under, c) => over(c, under), [255, 255, 255, 1]);
};
const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
const seen = new Set();
while (walk.nextNode()) {
  const e = walk.currentNode.parentElement;
  if (!walk.currentNode.data.trim() || seen.has(e) || !visible(e) || ["SCRIPT", "STYLE", "NOSCRIPT", "OPTION"].includes(e.tagName)) continue;
  seen.add(e);
  const s = getComputedStyle(e), under = ground(e);
  if (!under || e.closest("[disabled]")) continue;
  const [a, b] = [light(over(rgb(s.color), under)), light(under)].sort((x, y) => y - x);
  const large = parseFloat(s.fontSize) >= 24 || (parseFloat(s.fontSize) >= 18.6 && Number(s.fontWeight) >= 700);
  if ((a + 0.05) / (b + 0.05) < (large ? 3 : 4.5)) say(`contrast ${((a + 0.05) / (b + 0.05)).toFixed(2)}`, e);
}
// nothing is cut off: the view is as wide as the window
if (document.documentElement.scrollWidth > document.documentElement.clientWidth + 1)
  wrong.push(`wider than the window: ${document.documentElement.scrollWidth}`);
return wrong;
"""
NAMED = {"button", "link", "textbox", "searchbox", "combobox", "checkbox", "img", "slider", "dialog", "spinbutton"}


@pytest.fixture
def site(daemon, build):
    need_page(build)
    daemon.configure(CONFIG + "FSPOLICY DEDICATEDPS\nFSDEPTH 4\nFSINTERVAL 1:00:00\nUSERCFG[ann] FSTARGET=20 MAXPROC=4,8\n")
    daemon.start()
    for procs, kind in ((4, "slow"), (2, "fast"), (2, "fast"), (6, "slow")):
        daemon.job_there = daemon.submit("sleep 900", wclimit_s=3600, requests=[
            {"tasks": procs, "per_task": {"procs": 1}}], **{"class": kind})
    daemon.wait(lambda: len(daemon.lines("showq", "-r")) >= 3, "jobs that run")
    return daemon


def without_names(browser):
    """As a screen reader is told."""
    tree = browser.chrome.execute_cdp_cmd("Accessibility.getFullAXTree", {})["nodes"]
    return [n["role"]["value"] for n in tree
            if not n.get("ignored") and n.get("role", {}).get("value") in NAMED
            and not n.get("name", {}).get("value", "").strip()]


def test_every_screen_can_be_read_and_used(site, browser):
    open_timeline(browser, site)
    base = browser.chrome.current_url.split("/ui/")[0] + "/ui/"
    browser.expected = {404}
    wrong = {}
    for screen in SCREENS:
        browser.chrome.get(base + screen.format(job=site.job_there, at=site.api("/v1/identity")[1]["at"]))
        browser.wait(lambda: browser.all("h1") and browser.one("h1").text
                     and "Loading" not in browser.one("main").text, screen)
        browser.picture(f"access-{screen.partition(chr(63))[0].partition(chr(47))[0]}")
        for scheme in ("light", "dark"):
            browser.scheme(scheme)
            found = browser.chrome.execute_script(CHECK) + [f"no name: {role}" for role in without_names(browser)]
            if found:
                wrong[screen or "now", scheme] = found
    assert not wrong, "\n".join(f"{k}: {line}" for k, lines in wrong.items() for line in lines)


def test_keys_reach_all_that_can_be_pressed(site, browser):
    """By Tab from the first to the last, in the order in which they are read, each one seen."""
    open_timeline(browser, site)
    expected = browser.chrome.execute_script("""
        return [...document.querySelectorAll("a[href], button, select, input, summary, [tabindex='0']")]
            .filter((e) => e.getClientRects().length && !e.disabled && !e.closest("details:not([open]) > :not(summary)"))
            .map((e) => { e.dataset.n = document.querySelectorAll("[data-n]").length; return e.dataset.n; });""")
    browser.chrome.execute_script("document.querySelector('.skip').focus()")
    reached = expected[:1]
    for _ in expected[1:]:
        browser.keys("\ue004")
        at = browser.chrome.execute_script("""
            const e = document.activeElement, s = getComputedStyle(e);
            return [e.dataset.n ?? null, s.outlineStyle !== "none" && parseFloat(s.outlineWidth) > 0];""")
        reached.append(at[0])
        assert at[1], f"the focus is not seen: {browser.chrome.execute_script('return document.activeElement.outerHTML')[:200]}"
    assert reached == expected
    browser.check()
