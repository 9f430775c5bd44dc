# SPDX-License-Identifier: Apache-2.0
"""A window of the list of jobs: in words, in an order, a part of it, and counted."""
import json
import urllib.parse

import pytest

from live_daemon import Connection, Daemon
from web_page import Page, need_page


@pytest.fixture(scope="module")
def queue(build):
    d = Daemon(build / "src" / "client" / "maui")
    d.configure("USERCFG[DEFAULT] PRIORITY=0\nCLASSCFG[fast] MAXPROC=2\nCLASSCFG[slow] PRIORITY=5\n")
    d.start()
    jobs = {}
    for name, words in (("a", {"class": "fast", "procs": 2}), ("b", {"class": "fast", "procs": 2}),
                        ("c", {"class": "slow", "procs": 8, "wclimit_s": 7200}),
                        ("d", {"class": "slow", "procs": 1, "hold": True, "wclimit_s": 60})):
        body = {"script": "#!/bin/sh\nsleep 600\n", "directory": d.home, "wclimit_s": 1200,
                "name": f"job{name}", "class": words.pop("class"), **words}
        body["requests"] = [{"tasks": body.pop("procs"), "per_task": {"procs": 1}}]
        status, answer = d.api("/v1/jobs", body)
        assert status == 200, answer
        jobs[name] = answer["ids"][0]
    d.wait(lambda: d.state(jobs["a"]) == "Running", "the first job")
    d.wait(lambda: (d.job(jobs["b"]).get("reason") or {}).get("code") == "limit", "the limit")
    d.jobs = jobs
    yield d
    d.clean()


def ask(d, **query):
    status, lines = d.api("/v1/jobs?" + urllib.parse.urlencode(query))
    if status != 200:
        return status, lines["error"]
    names = {job: name for name, job in d.jobs.items()}
    lines = lines if isinstance(lines, list) else [lines]  # a summary alone
    return lines[0]["summary"], "".join(names[j["id"]] for j in lines[1:])


@pytest.mark.parametrize("words, found", [
    ("", "abcd"), ("class:fast", "ab"), ("CLASS:Fast,slow state:running", "a"),
    ("procs>2", "c"), ("procs<2", "d"), ("procs:2", "ab"), ("limit>1h", "c"),
    ("limit<1:00:01", "abd"), ("limit:60", "d"), ("reason:limit", "b"), ("held:1", "d"),
    ("held:0 class:slow", "c"), ("deadline:1", ""), ("jobc", "c"), ("name:jobA", "a"),
    ("wait>1d", ""), ("wait<1d fast", "ab"), ("section:active", "a"), ("state:hold", "d"),
    ("userhold", ""), ("nothing", "")])
def test_words_say_which_jobs(queue, words, found):
    summary, jobs = ask(queue, q=words)
    assert (sorted(jobs), summary["total"]) == (sorted(found), len(found))


@pytest.mark.parametrize("words, told", [
    ("usr:ann", "did you mean 'user'"), ("procs>many", "not a whole number"),
    ("user:", "nothing follows"), ("user>ann", "is a name"), ("limit>1x", "limit"),
    ("a " * 33, "more than 32 words"), ("state:" + "a," * 500, "longer than 1000 bytes")])
def test_wrong_words_are_told_with_the_nearest(queue, words, told):
    status, error = ask(queue, q=words)
    assert status == 400 and told in error["message"], error


def looks(d):
    c = Connection(f"{d.home}/api.sock")
    c.request("GET", "/metrics")
    text = c.getresponse().read().decode()
    c.close()
    return int(next(l.split()[1] for l in text.splitlines() if l.startswith("maui_list_looks_total ")))


def test_another_window_of_an_order_looks_at_no_job_again(queue):
    """Counted, not measured: what is in order stays so, until something has changed."""
    def cost(**query):
        before, (summary, _) = looks(queue), ask(queue, **query)
        spent = looks(queue) - before
        return (spent,) if ask(queue, limit=1)[0]["revision"] == summary["revision"] else None

    def quiet(**query):
        return queue.wait(lambda: cost(**query), "a quiet moment")[0]

    def twice():
        first, second = quiet(sort="-procs", limit=2), quiet(sort="-procs", limit=2, offset=2)
        return first <= 4 and second == 0

    queue.wait(twice, "an order that is kept")  # it is made anew after some seconds
    assert quiet(sort="procs", limit=1) in (0, 4)  # 0: the same was asked in this second
    assert ask(queue, sort="-procs", q="held:1")[1] == "d"  # of other words it is another order


def test_an_order_and_a_part(queue):
    assert ask(queue, sort="procs")[1][0] == "d" and ask(queue, sort="-procs")[1][0] == "c"
    assert ask(queue, sort="id")[1] == "abcd" and ask(queue, sort="-id")[1] == "dcba"
    assert ask(queue, sort="class")[1][:2] == "ab"
    assert ask(queue, sort="wclimit_s")[1][0] == "d"
    # who has no end comes last, either way
    assert ask(queue, sort="end_at")[1][0] == "a" and ask(queue, sort="-end_at")[1][0] == "a"
    summary, jobs = ask(queue, sort="id", limit=2, offset=1)
    assert (jobs, summary["total"]) == ("bc", 4)
    assert ask(queue, sort="id", limit=2, offset=3)[1] == "d"
    assert ask(queue, offset=4)[1] == "" and ask(queue, limit=0)[1] == ""
    for query, told in (({"sort": "proc"}, "did you mean 'procs'"), ({"limit": -2}, "limit"),
                        ({"limit": 10001}, "limit"), ({"offset": -1}, "offset"),
                        ({"count": "clas"}, "did you mean 'class'"), ({"limit": "x"}, "whole number")):
        status, error = ask(queue, **query)
        assert status == 400 and told in error["message"], (query, error)


def test_jobs_are_counted_by_what_they_have(queue):
    summary = ask(queue, limit=0, count="class,reason")[0]
    by = {kind: {c["name"]: c for c in counts} for kind, counts in summary["counts"].items()}
    assert set(by) == {"class", "reason"}
    assert (by["class"]["fast"]["active"], by["class"]["fast"]["waiting"]) == (1, 1)
    assert by["class"]["fast"]["waiting_ps"] == 2 * 1200
    assert by["class"]["slow"]["waiting_ps"] == 8 * 7200 + 60
    assert by["reason"]["limit"]["waiting"] == 1 and by["reason"]["hold"]["waiting"] == 1
    assert sum(c["waiting"] for c in by["reason"].values()) == 3
    assert json.dumps(summary["counts"]).count('"name"') == len(by["class"]) + len(by["reason"])


def test_a_frame_of_a_scroll_moves_what_is_there(daemon, build, browser):
    """Counted: of 400 jobs those in sight are on the page, and they come and go by eight, so that most
    frames of a scroll make no row; what is scrolled to was asked for before it is in sight."""
    need_page(build)
    daemon.start()
    daemon.api("/v1/jobs", {"script": "#!/bin/sh\nsleep 600\n", "wclimit_s": 600, "directory": "/tmp", "output": "/dev/null",
                            "error": "/dev/null", "requests": [{"tasks": 8, "per_task": {"procs": 1}}], "array": "1-400"})
    browser.chrome.get(Page(daemon).login())
    browser.shows("processors in use")
    browser.keys("g", "j")
    browser.shows("400 jobs")
    browser.wait(lambda: browser.all('.q-rows [role="row"]'), "rows")
    made = browser.chrome.execute_async_script("""
        const done = arguments[0], box = document.getElementById("rows"), made = [];
        let count = 0;
        new MutationObserver((all) => { count += all.reduce((n, m) => n + m.addedNodes.length, 0); })
          .observe(box.querySelector(".q-rows"), { childList: true });
        const shown = () => {  // each row in sight is there
          const v = box.getBoundingClientRect(), first = Math.ceil(box.scrollTop / 28), all = new Set();
          for (const r of box.querySelectorAll(".q-rows [role=row]")) all.add(Number(r.getAttribute("aria-rowindex")) - 2);
          for (let i = first; i < first + Math.floor(v.height / 28) - 2; i++) if (!all.has(i)) return false;
          return true;
        };
        let n = 0, there = 0;
        const step = () => {
          made.push(count); count = 0; there += shown();
          if (++n > 100) return done([made.slice(1), there, box.querySelectorAll(".q-rows [role=row]").length, box.clientHeight]);
          box.scrollTop += 56;
          requestAnimationFrame(() => setTimeout(step, 30));
        };
        step();""")
    frames, there, rows, height = made
    assert 190 <= sum(frames) <= 230, frames  # 200 rows came into sight
    assert sum(1 for f in frames if f) <= 30 and max(frames) <= 24, frames
    assert there >= 90, there
    assert rows <= height / 28 + 26
    browser.check()
