# SPDX-License-Identifier: Apache-2.0
"""Orders about jobs from the page: what would be, done, undone; only what the caller may."""
import json
import os
import pathlib
import re

import pytest

from driven_clock import DrivenClock
from web_page import Browser, Page, need_page

ROOT = pathlib.Path(__file__).parents[2]
HOSTILE = '<img src=x onerror="document.title=1">&'
ENTER, ESCAPE, DOWN = "\ue007", "\ue00c", "\ue015"


@pytest.fixture
def site(daemon, build):
    """Of eight processors six are in use; `wide` has a promise, `small` a forecast behind it.
    The clock stands, so what is foretold comes to the second."""
    need_page(build)
    clock = DrivenClock(daemon.home)
    daemon.env.update(clock.env)
    daemon.at = 1800000000
    clock.stand(daemon.at)
    daemon.configure("RMPOLLINTERVAL 10:00:00\nQOSCFG[high] PRIORITY=10\n"
                     "USERCFG[DEFAULT] QLIST=DEFAULT,high\n")
    daemon.start()
    daemon.jobs = {}
    for name, procs, limit in (("first", 4, 3600), ("second", 2, 7200), ("wide", 8, 7000),
                               ("small", 2, 90000)):
        daemon.jobs[name] = daemon.submit(
            "sleep 600", wclimit_s=limit, name=HOSTILE if name == "small" else name,
            output="/dev/null", error="/dev/null",
            requests=[{"tasks": procs, "per_task": {"procs": 1}}])
        if name in ("first", "second"):
            daemon.wait(lambda: daemon.state(daemon.jobs[name]) == "Running", "its start")
    daemon.wait(lambda: daemon.job(daemon.jobs["wide"]).get("reservation_at"), "the promise")
    return daemon


def button(browser, words, within=""):
    return browser.wait(lambda: next((b for b in browser.all(f"{within} button")
                                      if b.text.strip() == words), None), f"the button {words!r}")


def names(browser, css=".actions button"):
    return [b.text.strip() for b in browser.all(css)]


def open_queue(browser, url, query=""):
    browser.chrome.get(url)
    browser.wait(lambda: browser.all(".rail-link"), "the page")
    browser.chrome.get(browser.chrome.current_url.split("/ui/")[0] + "/ui/jobs" + query)
    browser.wait(lambda: browser.all('.q-rows [role="row"]'), "jobs")


def held(daemon, name):
    return daemon.job(daemon.jobs[name]).get("holds", [])


def test_a_job_is_held_as_foretold_and_that_is_undone(site, browser):
    wide, small = site.jobs["wide"], site.jobs["small"]
    open_queue(browser, Page(site).login(), f"?sel={wide}")
    browser.shows("Why it waits")
    browser.wait(lambda: names(browser), "what can be done")
    browser.chrome.execute_script("""
        const real = window.fetch;
        window.sent = [];
        window.fetch = (path, how) => (how?.body && window.sent.push(how.body), real(path, how));""")
    for word in ("Hold", "Priority", "QOS", "Limit", "Run now", "Cancel"):
        assert word in names(browser)
    assert not {"Release", "Suspend", "Resume", "Requeue"} & set(names(browser))
    browser.keys(".", ENTER)  # the first one
    form = browser.one("form.order")
    browser.shows("1 promise broken")
    assert wide in form.text and small in form.text and "earlier" in form.text
    assert f"maui sethold -s {wide}" in form.text
    assert [b.text for b in browser.all("form.order button") if b.get_attribute("type") == "submit"] == ["Hold: do it"]
    assert held(site, "wide") == []  # it was tried only
    for scheme in ("light", "dark"):
        browser.scheme(scheme)
        browser.picture(f"action-hold-{scheme}")
    browser.keys(ENTER)
    browser.shows("Undo")
    assert held(site, "wide") == ["system"]
    browser.wait(lambda: "Release" in names(browser), "what can be done now")
    button(browser, "Undo", ".notice").click()
    browser.shows("Undone for 1 job")
    # jobs are meant by their ids, in the question, the order and what undoes it
    sent = [json.loads(text) for text in browser.chrome.execute_script("return window.sent")]
    orders = [c["order"]["request"] for b in sent for c in b.get("changes", [])] + [b for b in sent if "jobs" in b]
    assert len(orders) > 2 and all(o["jobs"] == [wide] and o["exact"] for o in orders), sent
    assert held(site, "wide") == []
    # Escape leaves it, and nothing is done
    browser.keys(".", ENTER)
    browser.one("form.order")
    browser.keys(ESCAPE)
    browser.wait(lambda: not browser.all("form.order"), "the form's end")
    assert browser.all(".panel") and held(site, "wide") == []
    # a value: the wrong one is told at the field, by the page or in the daemon's words
    button(browser, "QOS", ".actions").click()
    field = browser.one("form.order input")
    field.clear()
    field.send_keys("hihg")
    browser.shows("did you mean 'high'")
    field.send_keys("\ue009a")
    field.send_keys("high")
    browser.shows("No job would start earlier or later")
    browser.picture("action-qos")
    field.send_keys(ENTER)
    browser.shows(f"Job {wide} given that QOS")
    assert site.job(wide)["qos"] == "high"
    button(browser, "Priority", ".actions").click()
    field = browser.one("form.order input")
    field.send_keys("\ue009a")
    field.send_keys("x")
    browser.shows("a whole number is needed")
    assert not button(browser, "Priority: do it", "form.order").is_enabled()
    browser.check()


def test_several_are_chosen_and_cancelled_with_what_that_frees(site, browser):
    open_queue(browser, Page(site).login())
    rows = browser.all('.q-rows [role="row"]')
    assert HOSTILE in browser.text()
    browser.chrome.execute_script("document.getElementById('rows').focus()")
    browser.keys("x", DOWN, "x")
    browser.shows("2 jobs chosen")
    chosen = [r.text.split("\n")[0] for r in rows[:2]]
    browser.all('.q-rows [role="row"] input')[2].click()
    browser.shows("3 jobs chosen")
    button(browser, "Choose all 4").click()
    browser.shows("4 jobs chosen")
    browser.one(f'[aria-label="Leave out job {site.jobs["small"]}"]').click()
    browser.shows("3 jobs chosen")
    assert "Hold (1)" in names(browser)  # of the other two there is nothing to hold
    browser.one(f'[aria-label="Leave out job {site.jobs["wide"]}"]').click()
    browser.shows("2 jobs chosen")
    assert "Suspend" in names(browser)
    button(browser, "Cancel", ".actions").click()
    browser.shows("2 jobs cut off")
    assert browser.chrome.switch_to.active_element.text == "Leave it"
    assert "Nothing brings it back" in browser.text() and "2 Running" in browser.text()
    browser.picture("action-cancel")
    button(browser, "Cancel 2 jobs", "form.order").click()
    browser.shows("2 jobs cancelled.")
    assert "Undo" not in names(browser, ".notice button")
    assert sorted(chosen) == sorted([site.jobs["first"], site.jobs["second"]])
    site.wait(lambda: site.state(site.jobs["wide"]) == "Running", "the start of the wide one")
    assert "onerror" in browser.text() and browser.chrome.title == "Maui"
    browser.check()


def test_more_than_twenty_are_cancelled_by_who_types_their_number(live, browser):
    jobs = [live.submit("true", hold=True) for _ in range(21)]
    open_queue(browser, Page(live).login())
    browser.wait(lambda: len(browser.all('.q-rows [role="row"]')) == 21, "the jobs")
    browser.all('.q-rows [role="row"] input')[0].click()
    button(browser, "Choose all 21").click()
    browser.shows("21 jobs chosen")
    button(browser, "Cancel", ".actions").click()
    do = button(browser, "Cancel 21 jobs", "form.order")
    browser.shows("Nothing brings it back")
    browser.shows("21 gone")
    field = browser.one("form.order input")
    assert not do.is_enabled()
    for typed, enabled in (("20", False), ("21", True)):
        field.send_keys("\ue009a")
        field.send_keys(typed)
        browser.wait(lambda: do.is_enabled() is enabled, f"the button after {typed!r}")
        if not enabled:
            field.send_keys(ENTER)
    assert all(live.state(j) is not None for j in jobs)
    do.click()
    browser.shows("21 jobs cancelled.")
    live.wait(lambda: not any(live.state(j) for j in jobs), "their ends")
    browser.check()


def concerned(browser):
    """Jobs of the preview's list; text of it may have their numbers for other reasons."""
    return [row.text.split()[0] for row in browser.all(".w-list tbody tr") if row.text]


def test_a_preview_of_an_older_state_is_marked_and_made_again(site, browser):
    wide = site.jobs["wide"]
    open_queue(browser, Page(site).login(), f"?sel={wide}")
    button(browser, "Hold", ".actions").click()
    browser.shows("1 promise broken")
    assert site.jobs["small"] in concerned(browser)
    browser.chrome.execute_script("""
        new MutationObserver(() => { if (document.querySelector(".w-stale")) window.marked = true; })
          .observe(document.body, { subtree: true, attributes: true, childList: true });""")
    site.ok("sethold", site.jobs["small"])
    browser.wait(lambda: site.jobs["small"] not in concerned(browser) and concerned(browser)
                 and not browser.all(".w-stale"), "a newer answer")
    assert browser.chrome.execute_script("return window.marked === true")
    # somebody reserves, and the button is pressed before that is known: nothing is done
    browser.expected = {409}
    browser.chrome.execute_script("""
        const real = window.fetch;
        window.fetch = (path, how) => window.deaf && String(path).includes("/v1/whatif")
          ? Promise.resolve(new Response('{"error": {"code": "invalid", "message": "nobody listens"}}', { status: 400 }))
          : real(path, how);""")
    # in one turn of the page's loop: it hears of no change between the two
    status = browser.chrome.execute_script("""
        const secret = JSON.parse(sessionStorage.getItem("maui.session")).secret, r = new XMLHttpRequest();
        r.open("POST", "/v1/reservations", false);
        r.setRequestHeader("Authorization", `Session ${secret}`);
        r.setRequestHeader("Content-Type", "application/json");
        r.send('{"hosts": "node01", "start_at": 1900000000, "duration_s": 60}');
        window.deaf = true;
        document.querySelector("form.order [type=submit]").click();
        return r.status;""")
    assert status == 200
    browser.shows("Nothing was done: settings, nodes or reservations have changed")
    assert held(site, "wide") == []
    # and nothing is sent as long as nobody can tell what it would come to now
    browser.shows("nobody listens")
    assert not button(browser, "Hold: do it", "form.order").is_enabled()
    browser.chrome.execute_script("window.deaf = false")
    button(browser, "Ask again", "form.order").click()
    browser.wait(lambda: button(browser, "Hold: do it", "form.order").is_enabled(), "a newer answer")
    assert held(site, "wide") == []
    button(browser, "Hold: do it", "form.order").click()
    browser.shows("Undo")
    assert held(site, "wide") == ["system"]
    browser.check()


def test_a_question_that_one_of_another_tab_displaced_is_asked_again(site, browser):
    """One of a user is tried at a time: two windows of one administrator ask in turn."""
    wide = site.jobs["wide"]
    open_queue(browser, Page(site).login(), f"?sel={wide}")
    browser.chrome.execute_script("""
        const real = window.fetch;
        window.displaced = 0;
        window.fetch = (path, how) => String(path).includes("/v1/whatif") && window.displaced++ < 2
          ? Promise.resolve(new Response('{"error": {"code": "conflict", "message": "a newer question took its place"}}', { status: 409 }))
          : real(path, how);""")
    button(browser, "Hold", ".actions").click()
    browser.shows("1 promise broken")
    assert browser.chrome.execute_script("return window.displaced") >= 3
    assert "took its place" not in browser.text()
    it_is_checked_thoroughly(site, browser)
    browser.check()


def it_is_checked_thoroughly(site, browser):
    """The preview lives on where that is asked: how far it got, given up, told in its place."""
    browser.chrome.execute_script("""
        const real = window.fetch;
        window.slow = true;
        window.fetch = (path, how) => {
          if (!window.slow || !String(how?.body).includes('"method":"run"')) return real(path, how);
          window.asked = JSON.parse(how.body);
          how.signal.addEventListener("abort", () => { window.given_up = true; });
          return Promise.resolve(new Response(new ReadableStream({ start: (c) => c.enqueue(
            new TextEncoder().encode('{"progress":{"at":1800007200,"percent":40}}\\n')) })));
        };""")
    check = button(browser, "Check thoroughly", ".w-box")
    browser.chrome.execute_script("arguments[0].focus()", check)
    browser.keys(ENTER)
    bar = browser.one(".w-life progress")
    browser.wait(lambda: bar.get_attribute("value") == "40", "how far it got")
    assert "40 %, at " in bar.get_attribute("aria-valuetext")
    browser.picture("thorough-going")
    site.ok("sethold", "-u", site.jobs["small"])  # who waits for it is not disturbed
    browser.shows("something has changed since")
    assert browser.chrome.switch_to.active_element.text == "Cancel"
    browser.keys(ENTER)
    button(browser, "Check thoroughly", ".w-box")
    assert browser.chrome.execute_script("return window.given_up")
    assert browser.chrome.execute_script("return window.asked.horizon_s") == 86400
    site.ok("releasehold", "-u", site.jobs["small"])
    browser.chrome.execute_script("window.slow = false")
    for select, word in zip(browser.all(".w-life select"), ("a week", "as is usual")):
        select.send_keys(word)
    browser.keys("\ue004", ENTER)
    browser.shows("nobody new comes")
    told = browser.one(".w-box").text
    assert "lived on to" in told and "as is usual for their owners" in told and "Average wait" in told
    assert site.jobs["small"] in concerned(browser) and "1 promise broken" in told
    assert browser.chrome.switch_to.active_element.text == "Check thoroughly"
    browser.picture("thorough")
    button(browser, "Back to the plan", ".w-box").click()
    browser.shows("all jobs are taken to run to their limits")
    assert "Average wait" not in browser.one(".w-box").text
    # what is done is done on the basis of what was seen
    button(browser, "Check thoroughly", ".w-box").click()
    browser.shows("nobody new comes")
    button(browser, "Hold: do it", "form.order").click()
    browser.shows("Undo")
    assert held(site, "wide") == ["system"]


def test_whoever_may_not_sees_no_button_and_is_refused(site, browser):
    page = Page(site)
    open_queue(browser, page.login("--read-only"), f"?sel={site.jobs['wide']}")
    browser.shows("Processors")
    assert not names(browser) and not browser.all('.q-rows input')
    session = page.open("--read-only")
    status, _, answer = page.by(session, "POST", "/v1/orders/hold", {"jobs": [site.jobs["wide"]]})
    assert status == 403 and "look only" in answer["error"]["message"]
    assert held(site, "wide") == []
    browser.check()


@pytest.mark.skipif(os.geteuid() != 0, reason="other users can only be played by root")
def test_a_user_acts_on_their_own_jobs_alone(site, browser):
    from live_users import Users
    users = Users(site)
    mine = users.submit("nobody", wclimit_s=600, requests=[{"tasks": 8}])
    open_queue(browser, users.ok("nobody", "dashboard", "--no-open").splitlines()[0], f"?sel={mine}")
    browser.wait(lambda: names(browser), "what can be done")
    assert names(browser) == ["Hold", "My priority", "QOS", "Limit", "Cancel"]
    # what would help is tried, each by itself, when it is asked for
    next(d for d in browser.all(".panel summary") if d.text == "What would help?").click()
    for name, text in (("procs", "2"), ("qos", "hihg")):
        for keys in ("\ue009a", text):
            browser.one(f'[name="helps-{name}"]').send_keys(keys)
    button(browser, "Try each by itself").click()
    browser.wait(lambda: browser.one(".helps").get_attribute("aria-busy") == "false", "all answers")
    browser.picture("action-helps")
    told = browser.one(".helps ul").text.split("\n")
    assert len(told) == 3 and "no sooner" in told[0] and "sooner" in told[1], told
    assert told[1].startswith("Processors 2: now, ") and told[2].endswith("did you mean 'high'?"), told
    assert site.job(mine)["procs"] == 8
    button(browser, "Hold", ".actions").click()
    browser.shows("kept back")
    assert f"maui sethold -u {mine}" in browser.one("form.order").text
    browser.picture("action-user")
    browser.keys(ENTER)
    browser.shows("Undo")
    assert site.job(mine)["holds"] == ["user"]
    # another's: nothing to press; sent all the same it is refused, and nothing is done
    browser.expected = {403}
    wide = site.jobs["wide"]
    browser.chrome.get(browser.chrome.current_url.split("?")[0] + f"?sel={wide}")
    browser.shows("what lists show is all that you may see")
    assert not names(browser)
    told = browser.chrome.execute_async_script("""
        const then = arguments[1], secret = JSON.parse(sessionStorage.getItem("maui.session")).secret;
        fetch("/v1/orders/cancel", { method: "POST", body: JSON.stringify({ jobs: [arguments[0]] }),
          headers: { Authorization: `Session ${secret}`, "Content-Type": "application/json" } })
          .then((r) => r.json()).then(then);""", wide)
    assert [r["ok"] for r in told["results"]] == [False], told
    assert "not authorized" in told["results"][0]["message"]
    assert site.state(wide) == "Idle"
    browser.check()


def test_the_pages_table_of_orders_is_the_descriptions(build):
    """Whom an order is open to is said once more in the page, to leave out what would be refused."""
    with open(ROOT / "src" / "server" / "api" / "openapi.json", encoding="utf-8") as f:
        paths = json.load(f)["paths"]
    text = (ROOT / "web" / "model" / "orders.ts").read_text()
    table = {m[1]: ("owner|" if m[2] == "true" else "") + f"admin{m[3]}" for m in re.finditer(
        r'order: "([\w-]+)", name: "[^"]+", past: "[^"]+", own: (true|false), level: (\d)', text)}
    assert len(table) == text.count("past: \"")
    for verb, level in table.items():
        assert paths[f"/v1/orders/{verb}"]["post"]["x-level"] == level, verb
