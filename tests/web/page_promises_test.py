# SPDX-License-Identifier: Apache-2.0
"""Promises, reservations and nodes in a browser: what the commands tell is what is shown."""
import time

import pytest

from live_daemon import ME
from web_page import Page, need_page


def open_page(browser, site):
    browser.chrome.get(Page(site).login())
    browser.wait(lambda: browser.all(".rail-link"), "the page")
    site.base = browser.chrome.current_url.split("/ui/")[0] + "/ui/"

CONFIG = """SRCFG[night] STARTTIME=20:00:00 ENDTIME=24:00:00 PERIOD=DAY DEPTH=6 TASKCOUNT=4 RESOURCES=PROCS:1 USERLIST=ann
SRCFG[wide] STARTTIME=8:00:00 ENDTIME=10:00:00 PERIOD=DAY DEPTH=6 TASKCOUNT=200 RESOURCES=PROCS:1 GROUPLIST=staff
"""


def whole(seconds):
    return {"requests": [{"tasks": 8, "per_task": {"procs": 1}}], "wclimit_s": seconds}


@pytest.fixture
def empty(daemon, build, browser):
    need_page(build)
    daemon.start()
    open_page(browser, daemon)
    return daemon


@pytest.fixture
def site(empty):
    """One job has all nodes, another was promised their end."""
    empty.first = empty.submit("sleep 900", **whole(600))
    empty.wait(lambda: empty.state(empty.first) == "Running", "the job that runs")
    empty.job_there = empty.submit("true", **whole(600))
    empty.wait(lambda: empty.job(empty.job_there).get("reservation_at"), "the promise")
    return empty


def records(site, path):
    told = site.api(path)[1]
    return told if isinstance(told, list) else [told] if told else []


def promise(site, job):
    return next((p for p in records(site, "/v1/promises") if p["id"] == job), None)


def texts(browser, name):
    return [r.text for r in browser.all(f'[aria-label="{name}"] tbody tr')]


def test_a_broken_promise_tells_what_broke_it_and_who(site, browser):
    assert promise(site, site.job_there)["outcome"] == "waiting"
    site.ok("setres", "-n", "patch", "-s", "+620", "-d", "1:00:00", "node01")
    told = site.wait(lambda: (p := promise(site, site.job_there)).get("cause") and p, "what broke it")
    assert (told["cause"], told["broken_by"], told["moves"]) == ("reservation", ME, 1)
    assert told["late_s"] == told["last_at"] - told["first_at"] > 3000
    browser.chrome.get(site.base + "promises?of=broken")
    browser.wait(lambda: texts(browser, "Each of them"), "the promise")
    row = texts(browser, "Each of them")[0]
    assert "a reservation was made" in row and f"by {ME}" in row and "+01:0" in row
    for scheme in ("light", "dark"):
        browser.scheme(scheme)
        browser.picture(f"promises-{scheme}")
    # it outlives the daemon, and is over as it would have been
    site.kill()
    site.start()
    site.wait(lambda: promise(site, site.job_there), "the promise")
    assert promise(site, site.job_there) == told
    site.ok("canceljob", site.first)
    over = site.wait(lambda: (p := promise(site, site.job_there))["outcome"] != "waiting" and p, "its start")
    assert over["outcome"] == "earlier" and over["late_s"] == over["start_at"] - told["first_at"] < 0


def test_promises_are_counted_and_ones_own_to_users(site, browser):
    site.ok("canceljob", site.first)
    site.wait(lambda: site.job(site.job_there) is None, "the end of the second")
    site.wait(lambda: promise(site, site.job_there)["outcome"] == "earlier", "how it came out")
    browser.chrome.get(site.base + "promises")
    browser.wait(lambda: "100 %" in browser.one('[aria-label="In all"]').text, "the sum")
    assert texts(browser, "By size")[0].startswith("2 to 16")
    answer = site.api("/v1/logins", {"level_max": 0})[1]
    browser.chrome.get(f"{answer['url'].split('#')[0]}#login={answer['login']}")
    # not before the login was taken: a page that is left loses the answer
    browser.wait(lambda: browser.all("nav") and "Promises" in browser.one("nav").text
                 and "Nodes" not in browser.one("nav").text, "a user's page")
    browser.chrome.get(site.base + "promises")
    browser.wait(lambda: texts(browser, "Each of them"), "the user's own")
    assert "Nodes" not in browser.one("nav").text
    browser.chrome.get(site.base + "credentials")
    browser.wait(lambda: "Your limits" in browser.text() and ME in browser.one(".panel h2").text, "one's own limits")
    assert not browser.all(".panel [data-do], .panel-close")
    browser.check()


def test_nothing_was_promised_yet(empty, browser):
    for screen, words in (("promises", "No job was promised a start"), ("reservations", "There is none"),
                          ("reservations?view=week", "There is no reservation"), ("nodes", "4 Idle")):
        browser.chrome.get(empty.base + screen)
        browser.shows(words)
    browser.check()


def test_reservations_are_a_list_and_a_week(daemon, build, browser):
    need_page(build)
    daemon.configure(CONFIG)
    daemon.start()
    daemon.ok("setres", "-n", "course", "-u", "ann", "-s", "+60", "-d", "1:00:00", "node04")
    open_page(browser, daemon)
    base = daemon.base
    browser.chrome.get(base + "reservations")
    rows = browser.wait(lambda: [r.text for r in browser.all(".r-list tbody tr")], "the list")
    names = {r["name"] for kind in ("User", "Standing") for r in records(daemon, f"/v1/reservations?type={kind}&places=0")}
    assert {r.split()[0] for r in rows} == names and "course.0" in names
    assert any("of 200" in r for r in rows if r.startswith("wide"))
    assert next(r for r in rows if r.startswith("course")).count("USER==ann") == 1
    box = browser.one('input[aria-label="Filter by words"]')
    box.send_keys("course")
    browser.wait(lambda: len(browser.all(".r-list tbody tr")) == 1, "the filtered list")
    browser.one(".r-list tbody a").click()
    browser.wait(lambda: "node04" in browser.one(".panel").text, "where it is")
    assert browser.all(".panel .actions button")  # it is released here too, and changed on the timeline
    assert browser.one(".panel .actions a").get_attribute("href").endswith("timeline?sel=course.0&kind=reservation")
    # may that job use it, and why not
    job = daemon.submit("true", hold=True)
    verdict = daemon.job(f"{job}?reservation=course.0")["reservation_verdicts"][0]
    browser.one("#may-job").send_keys(job + "\ue007")
    browser.shows(f"Job {job}: {verdict['text']}")
    assert not verdict["granted"] and browser.all(".may .verdict-blocked")
    assert browser.one(".panel .places li").get_attribute("title") == "drawn to it"
    browser.chrome.get(base + "reservations?view=week&week=1")
    browser.wait(lambda: len(browser.all(".wk-day")) == 7, "the week")
    wide = next(r for r in records(daemon, "/v1/reservations?type=Standing&places=0") if r["name"].startswith("wide"))
    week = int((wide["start_at"] // 86400 + 3) // 7 > (time.time() // 86400 + 3) // 7)  # 0: this one
    browser.chrome.get(f"{base}reservations?view=week&week={week}")
    piece = browser.wait(lambda: next(iter(browser.all(".wk-short")), None), "one that is short of nodes")
    assert "of 200 tasks found" in piece.get_attribute("aria-label")
    told = browser.wait(lambda: [r.text for r in browser.all('[aria-label="Standing reservations"] tbody tr')], "the standing ones")
    assert [t.split()[0] for t in told] == ["night", "wide"]
    piece.click()
    browser.wait(lambda: "wide" in browser.one(".panel h2").text, "that reservation")
    for scheme in ("light", "dark"):
        browser.scheme(scheme)
        browser.picture(f"reservations-week-{scheme}")
    browser.check()


def test_reservations_come_in_windows(live):
    for i in range(4):
        live.ok("setres", "-n", f"r{i}", "-s", "+60", "-d", "1:00:00", "node01")

    def told(query):
        return [r["name"] for r in records(live, f"/v1/reservations?{query}")]
    every = told("type=User")
    assert told("type=User&limit=2") == every[:2] and told("type=User&offset=3") == every[3:]
    assert told("offset=9") == [] and live.api("/v1/reservations?limit=-1")[0] == 400
    assert told("jobs=0") == every
    assert "places" not in records(live, "/v1/reservations?places=0")[0]


def test_nodes_are_a_map_and_a_table(site, browser):
    browser.chrome.get(site.base + "nodes")
    browser.shows("4 Busy")
    canvas = browser.one(".nm-box canvas")
    browser.wait(lambda: canvas.size["height"] > 40, "the map")
    colour = browser.chrome.execute_script("""
        const c = arguments[0], s = window.devicePixelRatio, p = c.getContext("2d").getImageData(10 * s, 60 * s, 1, 1).data;
        return [p[0], p[1], p[2]];""", canvas)
    assert colour[2] > colour[0] + 60, f"a full node is drawn in {colour}"
    browser.chrome.execute_script("document.getElementById('map').focus()")
    browser.keys("\ue014", "\ue014", "\ue007")
    browser.wait(lambda: "sel=node0" in browser.chrome.current_url, "a node that was opened by keys")
    browser.wait(lambda: site.first in browser.one(".panel .places").text, "its job")
    browser.chrome.get(site.base + "nodes?view=table&sort=used")
    rows = browser.wait(lambda: [r.text for r in browser.all(".c-box tbody tr")], "the table")
    assert len(rows) == 4 and all("2 of 2" in r for r in rows)
    browser.chrome.get(site.base + "nodes?view=table&q=node03")
    browser.wait(lambda: len(browser.all(".c-box tbody tr")) == 1, "one node")
    for scheme in ("light", "dark"):
        browser.scheme(scheme)
        browser.picture(f"nodes-{scheme}")
    browser.check()


def test_of_long_tables_the_rows_in_sight_are_on_the_page(daemon, build, browser):
    need_page(build)
    daemon.nodes = "1500x1"
    daemon.start()
    for i in range(120):
        status, told = daemon.api("/v1/reservations", {"name": f"r{i:03}", "hosts": "node0001", "start_at": int(time.time()) + 7200 + 60 * i,
                                                       "duration_s": 30, "users": ["ann"]})
        assert status == 200, told
    open_page(browser, daemon)
    for screen, first, last, rows in (("nodes?view=table", "node0001", "node1500", 1500), ("reservations", "r000", "r119", 120)):
        browser.chrome.get(daemon.base + screen)
        browser.wait(lambda first=first: first in browser.text(), f"{first} of {screen}")
        assert last not in browser.text()
        assert len(browser.all(".c-box tbody tr")) < 100 and len(browser.all("*")) < 3000
        table = browser.one(".c-box table")
        assert table.get_attribute("aria-rowcount") == str(rows + 1)
        tall = table.size["height"]
        browser.chrome.execute_script("const b = document.querySelector('.c-box'); b.scrollTop = b.scrollHeight;")
        browser.wait(lambda last=last: last in browser.text(), f"{last} of {screen}")
        assert first not in browser.text()
        assert browser.all(".c-box tbody tr[aria-rowindex]")[-1].get_attribute("aria-rowindex") == str(rows + 1)
        assert abs(browser.one(".c-box table").size["height"] - tall) < 40  # each row is as high as is reckoned
        browser.picture(f"long-{screen.split('?')[0]}")
    browser.check()


def test_events_tell_by_whose_order(live, page):
    job = live.submit("sleep 60", wclimit_s=60)
    live.ok("sethold", "-u", job)
    session = page.open()
    page.by(session, "POST", "/v1/orders/release", {"jobs": [job]})

    def events():
        return {e["event"]: e for e in records(live, "/v1/events?follow=0&from=1") if e.get("object") == job}
    all_ = live.wait(lambda: "JOBRELEASE" in events() and events(), "the release")
    assert (all_["JOBHOLD"]["by"], all_["JOBHOLD"]["via"]) == (ME, "command")
    assert (all_["JOBRELEASE"]["by"], all_["JOBRELEASE"]["via"], all_["JOBRELEASE"]["session"]) == (ME, "page", session["id"])
    live.ok("canceljob", job)


def test_sessions_are_ended_on_the_page(empty, browser):
    page = Page(empty)
    other = page.open("--read-only")
    browser.chrome.get(empty.base + "events")
    browser.one(f'[aria-label="End session {other["id"]}"]').click()
    browser.shows(f"Session {other['id']} is ended.")
    assert page.by(other, "GET", "/v1/identity")[0] == 401
    browser.check()


def test_users_are_told_of_their_own_limits_alone(live, page):
    login = live.api("/v1/logins", {"level_max": 0})[1]
    page.at = int(login["url"].split(":")[2].split("/")[0])
    session = page.ask("POST", "/v1/session", {"login": login["login"]})[2]
    job = live.submit("sleep 60", wclimit_s=60)
    status, _, text = page.by(session, "GET", "/v1/credentials/user")
    assert status == 200 and (text if isinstance(text, dict) else {})["name"] == ME
    assert page.by(session, "GET", "/v1/credentials/user?name=nobody")[0] == 403
    assert page.by(session, "GET", "/v1/credentials/group")[0] == 403
    live.ok("canceljob", job)
