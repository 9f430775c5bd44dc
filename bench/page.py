#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The web page of a large site: a real daemon with NODES nodes of 16 processors, N jobs in
the queue, 50 wide ones that run and 1,050 reservations. What its answers cost (size, time,
and how long a second client waited meanwhile: the longest turn of the daemon), and in
Debian's Chromium: requests and bytes up to the first picture, frames while it scrolls and
pans, memory. page.py MAUI [N [NODES]]"""
import json
import os
import pathlib
import signal
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent))
ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "tests" / "web"), str(ROOT / "tests" / "live")]
from long_queue import ARRAY, Connection, Neighbour  # noqa: E402

ANSWERS = ["/v1/jobs?limit=100&sort=-procs", "/v1/jobs?limit=100&offset=5000&sort=-procs", "/v1/jobs?limit=100&sort=user",
           "/v1/jobs?limit=100&sort=id", "/v1/rows", "/v1/nodes?table=1",
           "/v1/reservations?type=User&places=0&limit=2000", "/v1/reservations?places=0&limit=200", "/v1/reservations",
           "/v1/promises", "/v1/events?follow=0&last=500", "/v1/series?points=240", "/v1/priorities?ids=100,101,102",
           "/v1/timeline?from=0&width=1200&height=600&rows=0-9999", "/v1/timeline?from=0&width=1200&height=600&rows=0-9999&packed=1"]
SCREENS = ["", "timeline", "jobs", "nodes", "nodes?view=table", "reservations", "reservations?view=week", "promises", "priorities", "events"]
FRAMES = """
const [move, done] = arguments, box = document.querySelector(".q-box, .nm-box") ?? document.scrollingElement, canvas = document.getElementById("gantt");
const wheel = (o) => canvas.dispatchEvent(new WheelEvent("wheel", { clientX: 500, clientY: 300, bubbles: true, cancelable: true, ...o }));
const moves = {
  scrolled: () => { box.scrollTop += 60; },
  panned: (n) => wheel({ deltaX: n % 60 < 30 ? 12 : -12 }),
  "rows scrolled": (n) => wheel({ deltaY: n % 60 < 30 ? 12 : -12, shiftKey: true }),
  zoomed: (n) => wheel({ deltaY: n % 40 < 20 ? 40 : -40 }),
};
const all = []; let last = performance.now(), n = 0, floor = null;
if (move === "empty canvas") {  // what this machine takes for the same pixels with nothing to draw on them
  floor = document.createElement("canvas");
  [floor.width, floor.height] = [canvas.width, canvas.height];
  floor.style.cssText = "position:fixed;left:0;top:0;z-index:99";
  document.body.append(floor);
}
const g = floor?.getContext("2d", { alpha: false });
requestAnimationFrame(function step(t) {
  all.push(t - last); last = t;
  if (++n > 150) { floor?.remove(); return done(all.slice(1)); }
  if (g) { g.fillStyle = n % 2 ? "#fff" : "#eee"; g.fillRect(0, 0, floor.width, floor.height); }
  else moves[move](n);
  requestAnimationFrame(step);
});"""
ROWS_LARGER = """for (let i = 0; i < 14; i++) document.getElementById("gantt").dispatchEvent(
  new WheelEvent("wheel", { deltaY: -40, ctrlKey: true, clientX: 500, clientY: 300, bubbles: true, cancelable: true }));"""


def fill(daemon, jobs):
    api = Connection(f"{daemon.home}/api.sock")
    wide = {"script": "#!/bin/sh\nsleep 3600\n", "wclimit_s": 7200, "directory": "/tmp", "output": "/dev/null", "error": "/dev/null"}
    for i in range(50):
        api.ask("POST", "/v1/jobs", dict(wide, requests=[{"tasks": 16 * 150}], wclimit_s=3600 + 60 * i))
    for i in range(0, jobs, ARRAY):
        api.ask("POST", "/v1/jobs", dict(wide, requests=[{"tasks": 16 * (100 + i // ARRAY)}], array=f"1-{ARRAY}"))
    for i in range(1050):
        api.ask("POST", "/v1/reservations", {"hosts": f"node{1 + i * 9:05d}", "start_at": int(time.time()) + 20000 + 60 * i, "duration_s": 3600,
                                             "users": ["ann"]})


def answers(daemon):
    print("answer\tms\tbytes\tlongest turn ms")
    for path in ANSWERS:
        api, neighbour = Connection(f"{daemon.home}/api.sock"), Neighbour(f"{daemon.home}/api.sock")
        path = path.replace("from=0", f"from={int(time.time()) - 3600}&to={int(time.time()) + 90000}")
        neighbour.start()
        time.sleep(0.2)
        begin = time.monotonic()
        api.request("GET", path, None, {})
        answer = api.getresponse()
        size = len(answer.read())
        ms = 1000 * (time.monotonic() - begin)
        told = neighbour.stop()
        print(f"{path}\t{ms:.0f}\t{size}\t{told.split('max=')[1].split()[0]}\t(median {told.split('median=')[1].split()[0]})", flush=True)


def frames(chrome, name, move):
    all_ = sorted(chrome.execute_async_script(FRAMES, move))
    heap = chrome.execute_script("return performance.memory.usedJSHeapSize") / 1e6
    count = chrome.execute_script("return document.querySelectorAll('*').length")
    good = sum(f <= 17.5 for f in all_) / len(all_)
    print(f"{name}\t{all_[len(all_) // 2]:.1f}\t{all_[int(len(all_) * .95)]:.1f}\t{all_[-1]:.1f}\t{100 * good:.0f} %\t{heap:.0f}\t{count}", flush=True)


def screens(daemon, chrome):
    from web_page import Browser, Page
    browser = Browser(chrome)
    url = Page(daemon).login()
    chrome.get_log("performance")
    begin = time.monotonic()
    chrome.get(url)
    browser.wait(lambda: "processors in use" in browser.text(), "the first picture")
    first = time.monotonic() - begin
    events = [json.loads(e["message"])["message"] for e in chrome.get_log("performance")]
    asked = [e for e in events if e["method"] == "Network.requestWillBeSent" and e["params"]["request"]["url"].startswith("http")]
    size = {e["params"]["requestId"]: e["params"]["encodedDataLength"] for e in events if e["method"] == "Network.loadingFinished"}
    assets = sum(size.get(e["params"]["requestId"], 0) for e in asked if "/v1/" not in e["params"]["request"]["url"])
    print(f"first picture {first:.2f} s, {len(asked)} requests, {assets} bytes of assets as sent")
    base = chrome.current_url.split("/ui/")[0] + "/ui/"
    print("screen\tframes: median ms\tp95\tlongest\tbelow 16.7\theap MB\telements")
    for name in SCREENS:
        chrome.get(base + name)
        browser.wait(lambda: browser.all("h1") and "Loading" not in browser.text(), name, 120)
        time.sleep(3)
        if name != "timeline":
            frames(chrome, name or "now", "scrolled")
            continue
        moves = ["panned", "rows scrolled", "zoomed"]
        for move in [*moves, "empty canvas"]:
            frames(chrome, f"timeline, all rows, {move}", move)
        chrome.execute_script(ROWS_LARGER)
        time.sleep(3)
        for move in moves:
            frames(chrome, f"timeline, single rows, {move}", move)


def main():
    jobs, nodes = (int(n) for n in (sys.argv[2:] + ["100000", "10000"][len(sys.argv[2:]):]))
    import conftest
    from live_daemon import Daemon
    daemon = Daemon(os.path.abspath(sys.argv[1]), nodes=f"{nodes}x16")
    daemon.configure("RESERVATIONDEPTH 8\n")
    chrome = getattr(conftest.chromium, "__wrapped__", None) or conftest.chromium.__pytest_wrapped__.obj
    browser = chrome()
    try:
        daemon.start()
        begin = time.monotonic()
        fill(daemon, jobs)
        print(f"{jobs} jobs, {nodes} nodes: filled in {time.monotonic() - begin:.0f} s; load {os.getloadavg()[0]:.1f}", flush=True)
        time.sleep(5)
        answers(daemon)
        chrome = next(browser)
        chrome.set_script_timeout(120)
        screens(daemon, chrome)
        with open(f"/proc/{daemon.pid()}/status") as f:
            print([line.split()[1] for line in f if line.startswith("VmRSS")][0], "KB of the daemon")
    finally:
        next(browser, None)
        os.kill(daemon.pid(), signal.SIGTERM)
        daemon.clean()


if __name__ == "__main__":
    main()
