# SPDX-License-Identifier: Apache-2.0
"""Now and Queue in a browser: what the API gives is what is shown, to each as they may see."""
import json
import os
import re
import subprocess

import pytest

from web_page import Browser, Page, need_page

CONFIG = """CLASSCFG[fast] MAXPROC=2
CLASSCFG[slow] PRIORITY=5
RESERVATIONDEPTH 3
RESERVATIONPOLICY CURRENTHIGHEST
SRCFG[express] PERIOD=INFINITY TASKCOUNT=2 RESOURCES=PROCS:1 CLASSLIST=express
"""


@pytest.fixture
def busy(daemon, build):
    """Some run, some wait for their turn, some for other reasons."""
    need_page(build)
    daemon.configure(CONFIG)
    daemon.start()
    for name, procs, kind, limit in (("model", 4, "slow", 3600), ("sweep1", 2, "fast", 1800),
                                     ("sweep2", 2, "fast", 1800), ("sweep3", 2, "fast", 1800),
                                     ("wide", 6, "slow", 7200), ("wide2", 5, "slow", 7200)):
        daemon.submit("sleep 600", name=name, wclimit_s=limit,
                      requests=[{"tasks": procs, "per_task": {"procs": 1}}], **{"class": kind})
    daemon.submit("true", name="<b>&amp;\"quoted\"", hold=True)
    daemon.wait(lambda: len(daemon.lines("showq", "-r")) >= 3, "jobs that run")
    return daemon


def numbers(browser, title):
    """{words: number} of the legend of a card."""
    card = browser.one(f'[aria-label="{title}"]')
    return {m[2]: int(m[1].replace(",", "")) for m in re.finditer(r"^([\d,]+) (.+)$", card.text, re.M)}


def test_now_shows_what_showq_tells(busy, browser):
    page = Page(busy)
    for scheme in ("light", "dark"):
        browser.scheme(scheme)
        browser.chrome.get(page.login() if scheme == "light" else browser.chrome.current_url)
        browser.shows("Next ends")
        browser.wait(lambda: browser.all('[aria-label="Next ends"] tbody tr'), "jobs that end")
        browser.picture(f"now-{scheme}")
    summary = busy.api("/v1/jobs")[1][0]["summary"]
    shown = numbers(browser, "Jobs")
    assert [shown[word] for word in ("running", "in the queue", "blocked")] == [
        summary[word] for word in ("active", "eligible", "blocked")]
    shown = numbers(browser, "Processors")
    assert shown["in use"] == summary["procs_active"]
    assert shown["free"] == summary["procs_up"] - summary["procs_active"]
    browser.shows("express")
    text = browser.text()
    for words in ("a limit on use", "the release of a hold", "fast"):
        assert words in text, words
    browser.check()


def test_an_empty_site_says_what_would_fill_it(live, browser):
    browser.chrome.get(Page(live).login())
    browser.shows("Nothing waits.")
    browser.shows("setres makes one")
    assert "0 running" in browser.text()
    browser.picture("now-empty")
    browser.keys("g", "j")
    browser.shows("There are no jobs.")
    browser.picture("queue-empty")
    browser.check()


def rows(browser):
    return [r.text.split("\n") for r in browser.all('.q-rows [role="row"]')]


def words_are_suggested(busy, browser, box):
    """By keys: fields, then what there is of one. The scheduler knows each field."""
    options = lambda: [o.text.split()[0] for o in browser.all("#filter-words [role=option]")]  # noqa: E731
    value = lambda: box.get_attribute("value")  # noqa: E731
    box.send_keys("\ue009a")  # Ctrl-A
    box.send_keys("\ue003", "\ue015")  # Backspace, down
    fields = browser.wait(options, "all fields")
    for word in fields:
        assert busy.api(f"/v1/jobs?limit=0&q={word.rstrip('1')}1")[0] == 200, word
    assert {"user:", "class:", "procs>", "held:1"} < set(fields)
    box.send_keys("held:1 cl")
    browser.wait(lambda: options() == ["class:"], "the field that begins so")
    box.send_keys("\ue015")
    chosen = browser.one("#filter-words [aria-selected=true]")
    assert box.get_attribute("aria-activedescendant") == chosen.get_attribute("id")
    browser.expected = {400}  # nothing follows it yet
    box.send_keys("\ue004")  # Tab
    browser.wait(lambda: value() == "held:1 class:" and {"fast", "slow"} <= set(options()), "the classes that there are")
    browser.picture("queue-words")
    box.send_keys("fa", "\ue015", "\ue007")
    browser.wait(lambda: value() == "held:1 class:fast " and not options(), "the word")
    # Escape leaves the words, and a word in the midst is taken in its place
    box.send_keys("us", "\ue00c")
    browser.wait(lambda: not options() and value() == "held:1 class:fast us", "the words alone")
    box.send_keys(*["\ue012"] * len(" class:fast us"))
    box.send_keys(*["\ue003"] * len("held:1"), "st")
    browser.wait(lambda: options() == ["state:"], "another field")
    box.send_keys("\ue015", "\ue007", "UserH", "\ue015", "\ue007")
    browser.wait(lambda: value() == "state:UserHold class:fast us", "a word in the midst")


def test_queue_is_filtered_sorted_and_walked_by_keys(busy, browser):
    page = Page(busy)
    browser.chrome.get(page.login())
    browser.shows("Next ends")
    browser.keys("g", "j")
    browser.wait(lambda: len(rows(browser)) == 7, "all jobs")
    jobs = [j for j in busy.api("/v1/jobs")[1] if "id" in j]
    assert [r[0] for r in rows(browser)] == [j["id"] for j in jobs]
    assert '<b>&amp;"quoted"' in browser.text()  # as text
    for scheme in ("light", "dark"):
        browser.scheme(scheme)
        browser.picture(f"queue-{scheme}")
    # by words
    box = browser.one(".filter input")
    box.send_keys("class:fast")
    browser.wait(lambda: len(rows(browser)) == 3, "the jobs of a class")
    assert "q=class:fast" in browser.chrome.current_url
    words_are_suggested(busy, browser, box)
    box.send_keys("\ue009a")
    box.send_keys("clas:fast")
    browser.expected = {400}
    browser.shows("did you mean 'class'")
    browser.picture("queue-wrong")
    box.send_keys("\ue009a")
    box.send_keys("xyz")
    browser.shows("No job matches.")
    browser.chrome.get(browser.chrome.current_url.split("?")[0] + "?sort=-procs")
    browser.wait(lambda: len(rows(browser)) == 7, "all jobs again")
    by_procs = [j["id"] for j in busy.api("/v1/jobs?sort=-procs")[1] if "id" in j]
    assert [r[0] for r in rows(browser)] == by_procs
    # by keys: to the third row, open, close
    browser.chrome.execute_script("document.getElementById('rows').focus()")
    browser.keys("\ue015", "\ue015", "\ue007")
    browser.shows(f"Job {by_procs[2]}")
    assert f"sel={by_procs[2]}" in browser.chrome.current_url
    browser.wait(lambda: "Processors" in browser.one(".panel").text, "its facts")
    browser.keys("\ue00c")
    browser.wait(lambda: not browser.all(".panel"), "the panel's end")
    browser.check()


def test_a_job_tells_first_why_it_waits(busy, browser):
    page = Page(busy)
    job = next(j for j in busy.api("/v1/jobs?q=reason:limit")[1] if "id" in j)
    url = page.login()
    browser.chrome.get(url)
    browser.shows("Next ends")
    base = browser.chrome.current_url
    browser.chrome.get(base + f"jobs?sel={job['id']}")
    browser.shows("limit 2")
    assert job["reason"]["text"] in browser.text()
    for scheme in ("light", "dark"):
        browser.scheme(scheme)
        browser.picture(f"job-{scheme}")
    running = next(j for j in busy.api("/v1/jobs?section=active")[1] if "id" in j)
    browser.chrome.get(base + f"jobs/{running['id']}")
    browser.shows("It runs")
    assert "node0" in browser.text()
    browser.picture("job-alone")
    browser.expected = {404}
    browser.chrome.get(base + "jobs/4711")
    browser.shows("It is gone")
    browser.check()


@pytest.mark.skipif(os.geteuid() != 0, reason="other users can only be played by root")
def test_a_user_sees_their_own_and_of_others_what_lists_show(busy, browser):
    from live_users import Users
    users = Users(busy)
    mine = users.submit("nobody", name="mine", hold=True)
    browser.chrome.get(users.ok("nobody", "dashboard", "--no-open").splitlines()[0])
    browser.shows("My jobs")
    browser.wait(lambda: mine in browser.one('[aria-label="My jobs"]').text, "my job")
    browser.picture("now-user")
    browser.expected = {403}
    browser.keys("g", "j")
    browser.wait(lambda: len(rows(browser)) == 8, "all jobs")
    text = browser.text()
    assert "mine" in text and "sweep1" not in text and "quoted" not in text
    other = next(j["id"] for j in busy.api("/v1/jobs?section=active")[1] if "id" in j)
    browser.chrome.get(browser.chrome.current_url.split("?")[0] + f"?sel={other}")
    browser.shows("what lists show is all that you may see")
    browser.picture("queue-user")
    browser.check()
    # what happened to it is told; by whose order, administrators alone are
    busy.ok("sethold", mine)
    told = json.loads(users.ok("nobody", "checkjob", "-v", "--format=json", mine))["history"]
    assert [e["event"] for e in told] == ["JOBSUBMIT", "JOBHOLD"] and not any("by" in e for e in told), told
    told = busy.api(f"/v1/jobs/{mine}?verbose=history")[1]  # each time something happens: without what 10,000 nodes say
    assert told["history"][-1]["by"] == "root" and "node_verdicts" not in told and "node_verdicts" in busy.api(f"/v1/jobs/{mine}?verbose=1")[1]


def test_a_job_that_starts_changes_the_page_in_place(live, browser):
    job = live.submit("sleep 600", hold=True)
    browser.chrome.get(Page(live).login())
    browser.shows("Next ends")
    browser.keys("g", "j")
    browser.wait(lambda: "Hold" in str(rows(browser)), "the held job")
    live.ok("releasehold", "-a", job)
    browser.wait(lambda: "Running" in str(rows(browser)), "the running job")
    browser.check()


def open_requests(live):
    text = subprocess.run(["curl", "-s", "--unix-socket", f"{live.home}/api.sock",
                           "http://maui/metrics"], capture_output=True, text=True, check=True).stdout
    return next(float(l.split()[1]) for l in text.splitlines()
                if l.startswith("maui_requests_open "))


def test_two_tabs_follow_one_stream(live, browser):
    """What changes is seen in both; besides the stream only the figures are asked for here."""
    browser.chrome.get(Page(live).login())
    browser.shows("Next ends")
    first = browser.chrome.current_window_handle
    base = browser.chrome.current_url
    browser.chrome.switch_to.new_window("tab")
    browser.chrome.get(base + "jobs")
    browser.shows("There are no jobs")
    browser.wait(lambda: open_requests(live) == 2, "one stream")
    job = live.submit("sleep 600", hold=True)
    browser.wait(lambda: "Hold" in str(rows(browser)), "the held job")
    live.ok("releasehold", "-a", job)
    browser.wait(lambda: "Running" in str(rows(browser)), "the running job")
    browser.wait(lambda: open_requests(live) == 2, "one stream still")
    browser.chrome.switch_to.window(first)
    browser.shows(job)
    browser.check()


def opened(browser, title):
    """What is folded there, when it has come."""
    found = browser.wait(lambda: next((d for d in browser.all(".panel details") if title in d.text), None), title)
    found.find_element("css selector", "summary").click()
    browser.wait(lambda: "Loading" not in found.text and found.text != title, f"{title!r}, opened")
    return found


def test_a_job_that_waits_shows_all_that_keeps_it(live, browser):
    wide = live.submit("sleep 600", wclimit_s=600, requests=[{"tasks": 8}])
    live.wait(lambda: live.state(wide) == "Running", "the wide job")
    first, held = (live.submit("true", requests=[{"tasks": 8}]) for _ in range(2))
    live.ok("sethold", held)
    browser.chrome.get(Page(live).login())
    browser.shows("Next ends")
    base = browser.chrome.current_url
    browser.chrome.get(base + f"jobs?sel={held}")
    browser.shows("Besides")
    browser.shows("8 processors and 0 are free")
    browser.shows("What comes free")
    assert "Ahead of it" not in browser.text()
    live.ok("releasehold", held)
    browser.shows("Place 2 of 2")
    # what each node says, and what happened to it, when they are opened
    opened(browser, "What happened to it")
    life = browser.wait(lambda: [e.text for e in browser.all(".life li")], "its life")
    for line, words in zip(life, ("was submitted", "was held by ", "was released by "), strict=True):
        assert words in line, life
    assert opened(browser, "What each node says").find_element("css selector", "tbody tr").text.split("\n")[0] == (
        "down, drained or in use 4 node01, node02, node03, node04")
    browser.picture("job-life")
    browser.one(f'.panel a[href*="sel={first}"]').click()
    browser.shows("Place 1 of 2")
    browser.check()


def test_a_simulation_says_what_it_is(daemon, build, browser):
    need_page(build)
    with open(f"{daemon.home}/trace.swf", "w") as f:
        f.write("; MaxProcs: 8\n")
        for n in range(1, 41):
            f.write(f"{n} {n * 60} 0 {1800 + n * 40} {1 + n % 4} -1 -1 {1 + n % 4} 3600 -1 1 "
                    f"{n % 5} 1 1 1 1 -1 -1\n")
    daemon.configure("SERVERMODE SIMULATION\nSIMWORKLOADTRACEFILE trace.swf\n")
    daemon.start("--paused")
    browser.chrome.get(Page(daemon).login())
    browser.shows("Simulation: the clock, the jobs")
    daemon.ok("schedctl", "-S", "3600")
    browser.check()
