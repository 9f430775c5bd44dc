# SPDX-License-Identifier: Apache-2.0
"""Reservations from the page: drawn by the pointer, by keys and by form alike; what they would
come to first; moved, resized, released, undone; only by whom they are open to."""
import math
import os

import pytest

from driven_clock import DrivenClock
from web_page import Page, need_page

ENTER, ESCAPE, DOWN, RIGHT, SHIFT = "\ue007", "\ue00c", "\ue015", "\ue014", "\ue008"
ROW = 32


@pytest.fixture
def site(daemon, build):
    """Four nodes of two processors; one job runs on two of them for two hours, one of all is
    promised the time after it. The clock stands."""
    need_page(build)
    clock = DrivenClock(daemon.home)
    daemon.env.update(clock.env)
    daemon.at = 1800000000  # 8:00
    clock.stand(daemon.at)
    daemon.configure("RMPOLLINTERVAL 10:00:00\nRESCTLPOLICY ADMINONLY\n")
    daemon.start()
    daemon.jobs = {}
    for name, procs, limit in (("runs", 4, 7200), ("wide", 8, 7200)):
        daemon.jobs[name] = daemon.submit("sleep 600", wclimit_s=limit, name=name, output="/dev/null",
                                          error="/dev/null", requests=[{"tasks": procs, "per_task": {"procs": 1}}])
        if name == "runs":
            daemon.wait(lambda: daemon.state(daemon.jobs["runs"]) == "Running", "its start")
    daemon.wait(lambda: daemon.job(daemon.jobs["wide"]).get("reservation_at"), "the promise")
    return daemon


def open_timeline(browser, url, query=""):
    """In UTC, of a day: so that a place on the picture is known."""
    browser.chrome.get(url)
    browser.wait(lambda: browser.all(".rail-link"), "the page")
    browser.chrome.execute_script("localStorage.setItem('maui.prefs', '{\"zone\":\"UTC\"}')")
    browser.chrome.get(browser.chrome.current_url.split("/ui/")[0] + "/ui/timeline"
                       f"?from=1799992800&to=1800043200{query}")
    browser.wait(lambda: "pieces are loaded" in browser.one("#gantt").get_attribute("aria-label"), "its data")
    browser.wait(lambda: "from=" in browser.chrome.current_url, "the view in the address")


def button(browser, words, within=""):
    return browser.wait(lambda: next((b for b in browser.all(f"{within} button")
                                      if b.text.strip() == words), None), f"the button {words!r}")


SECONDS = """
const c = document.getElementById("gantt"), q = new URLSearchParams(location.search);
return (q.get("to") - q.get("from")) / (c.clientWidth - 128);"""


def settle(browser):
    """Until the address is of the picture as wide as it is: then its scale is one of the steps
    that there are, four to each doubling."""
    def is_step():
        steps = 4 * math.log2(browser.chrome.execute_script(SECONDS))
        return abs(steps - round(steps)) < 0.02
    browser.wait(is_step, "the view")


def spot(browser, at, row):
    """Where on the picture that is, from its middle, as pointers of WebDriver have it."""
    return browser.chrome.execute_script("""
        const c = document.getElementById("gantt"), q = new URLSearchParams(location.search);
        const x = 128 + (c.clientWidth - 128) * (arguments[0] - q.get("from")) / (q.get("to") - q.get("from"));
        return [Math.round(x - c.clientWidth / 2), Math.round(40 + arguments[1] * arguments[2] - c.clientHeight / 2)];
        """, at, row, ROW)


def drag(browser, start, end, let_go=True):
    from selenium.webdriver.common.action_chains import ActionChains
    canvas = browser.one("#gantt")
    actions = ActionChains(browser.chrome, duration=50)
    actions.move_to_element_with_offset(canvas, *start).click_and_hold()
    middle = [(a + b) // 2 for a, b in zip(start, end)]
    actions.move_to_element_with_offset(canvas, *middle).move_to_element_with_offset(canvas, *end)
    if let_go:
        actions.release()
    actions.perform()


def value(browser, name):
    return browser.one(f'.panel [name="{name}"]').get_attribute("value")


def write(browser, name, text):
    field = browser.one(f'.panel [name="{name}"]')
    field.send_keys("\ue009a")
    field.send_keys(text)


def users_own(daemon):
    told = daemon.api("/v1/reservations?type=User")[1] or []
    return [told] if isinstance(told, dict) else told


def test_drawn_moved_resized_and_released(site, browser):
    open_timeline(browser, Page(site).login())
    button(browser, "New reservation").click()
    browser.shows("Draw it on the picture")
    settle(browser)
    at = site.at + 7200  # 10:00, when the wide job is to start
    drag(browser, spot(browser, at, 2.5), spot(browser, at + 3600, 3.5))
    browser.wait(lambda: value(browser, "hosts") == "node03,node04", "the nodes that were drawn")
    assert (value(browser, "start_at"), value(browser, "duration_s")) == ("2027-01-15 10:00", "01:00:00")
    browser.shows("Touches 1 job promised.")
    browser.shows("1 promise broken")  # the wide one would start an hour later
    assert "01:00:00 later" in browser.one(".w-list").text
    assert not users_own(site)
    for scheme in ("light", "dark"):
        browser.scheme(scheme)
        browser.picture(f"reserve-{scheme}")
    # Escape sends nothing
    browser.chrome.execute_script("document.getElementById('gantt').focus()")
    browser.keys(ESCAPE)
    browser.wait(lambda: not browser.all(".panel"), "the form's end")
    assert not users_own(site)
    # by keys alone the same comes to the same
    browser.keys("n", DOWN)
    browser.wait(lambda: value(browser, "hosts") == "node01", "a box")
    browser.keys(DOWN, DOWN)
    browser.wait(lambda: value(browser, "hosts") == "node03", "it, moved")
    for _ in range(40):
        if value(browser, "start_at") == "2027-01-15 10:00":
            break
        browser.keys(RIGHT)
    assert value(browser, "start_at") == "2027-01-15 10:00"
    from selenium.webdriver.common.action_chains import ActionChains
    ActionChains(browser.chrome).key_down(SHIFT).send_keys(DOWN).key_up(SHIFT).perform()
    browser.wait(lambda: value(browser, "hosts") == "node03,node04", "it, resized")
    browser.keys(ENTER)
    write(browser, "duration_s", "1:00:00" + ENTER)
    browser.shows("made: from 10:00:00")
    made, = users_own(site)
    assert (made["start_at"], made["end_at"]) == (at, at + 3600)
    assert [p["node"] for p in made["places"]] == ["node03", "node04"]
    browser.shows("01:00:00")
    assert site.job(site.jobs["wide"])["reservation_at"] == at + 3600  # as foretold
    # moved by the pointer: an hour earlier, and one row up
    name = made["name"]
    button(browser, "Change or move", ".panel").click()
    browser.wait(lambda: value(browser, "duration_s") == "01:00:00", "its form")
    settle(browser)
    browser.shows("Touches nothing.")  # what it is itself is not in its way
    drag(browser, spot(browser, at + 1800, 3.4), spot(browser, at - 1800, 2.4))
    browser.wait(lambda: value(browser, "hosts") == "node02,node03", "it, moved")
    assert value(browser, "start_at") == "2027-01-15 09:00"
    browser.shows("Touches 1 job running.")
    browser.one('.panel details:last-of-type > summary').click()
    browser.one('.panel [type="checkbox"]').click()  # refuse any overlap
    browser.shows("It would be refused")
    assert "node02" in browser.one(".w-box").text
    browser.picture("reserve-in-the-way")
    browser.one('.panel [type="checkbox"]').click()
    drag(browser, spot(browser, at - 1800, 2.4), spot(browser, at - 1800, 3.4))
    browser.wait(lambda: value(browser, "hosts") == "node03,node04", "it, moved back")
    # its end: half an hour less
    drag(browser, spot(browser, at - 1, 3.0), spot(browser, at - 1800, 3.0))
    browser.wait(lambda: value(browser, "duration_s") == "00:30:00", "it, resized")
    browser.shows("No promise is broken.")
    button(browser, "Apply", ".panel").click()
    browser.shows(f"Reservation {name} changed")
    assert [(r["start_at"], r["end_at"]) for r in users_own(site)] == [(at - 3600, at - 1800)]
    assert site.job(site.jobs["wide"])["reservation_at"] == at
    button(browser, "Undo", ".notice:last-child").click()
    browser.shows(f"Reservation {name} is as it was")
    assert [(r["start_at"], r["end_at"]) for r in users_own(site)] == [(at, at + 3600)]
    # released, with what that frees
    button(browser, "Release", ".panel").click()
    browser.shows("1 job earlier")
    assert browser.chrome.switch_to.active_element.text == "Leave it"
    browser.picture("reserve-release")
    browser.expected = {404}  # its panel asks once more for what is gone
    button(browser, "Release it", ".panel").click()
    browser.shows(f"Reservation {name} released.")
    assert not users_own(site)
    browser.check()


def test_errors_are_told_at_their_fields(site, browser):
    open_timeline(browser, Page(site).login())
    browser.chrome.execute_script("document.getElementById('gantt').focus()")
    browser.keys("n")
    browser.wait(lambda: browser.all('.panel [name="hosts"]'), "the form")
    write(browser, "start_at", "tomorow")
    browser.shows("a day and a time are needed")
    assert not button(browser, "Reserve", ".panel").is_enabled()
    write(browser, "start_at", "+1:00:00")
    write(browser, "hosts", "node09")
    browser.shows("node09")
    browser.wait(lambda: "no node matches" in browser.one("#hint-hosts").text, "what is wrong with it")
    browser.picture("reserve-wrong")
    button(browser, "Take node01", "#hint-hosts").click()
    browser.wait(lambda: value(browser, "hosts") == "node01", "the nearest")
    write(browser, "hosts", "node0[1-2]")
    browser.one(".panel summary").click()
    write(browser, "users", 'ann, <b onclick="x">')
    browser.wait(lambda: "<b" in browser.one("#hint-users, .w-box").text, "what is wrong with it")
    write(browser, "users", "nobody, !games")
    browser.shows("No promise is broken.")
    browser.picture("reserve-form")
    button(browser, "Reserve", ".panel").click()
    browser.shows("made: from 09:0")  # the page's clock goes on from what the scheduler told
    made, = users_own(site)
    assert sorted(made["acl"]) == ["USER!=games", "USER==nobody+"]
    # whom it excludes is in its form as well; what is undone is what was changed, and no more
    button(browser, "Change or move", ".panel").click()
    browser.wait(lambda: browser.all('.panel [name="users"]'), "its form")
    assert sorted(value(browser, "users").split(", ")) == ["!games", "nobody+"]
    write(browser, "duration_s", "0:30:00")
    browser.shows("No promise is broken.")
    button(browser, "Apply", ".panel").click()
    browser.shows("changed: from 09:0")
    browser.chrome.execute_script("""
        const real = window.fetch;
        window.fetch = (path, how) => (how?.method === "PATCH" && (window.undone = how.body), real(path, how));""")
    button(browser, "Undo", ".notice:last-child").click()
    browser.shows("is as it was")
    assert browser.chrome.execute_script("return window.undone") == '{"duration_s":3600}'
    again, = users_own(site)
    assert all(again[k] == made[k] for k in ("acl", "start_at", "end_at"))
    browser.expected = {404}
    button(browser, "Undo", ".notice").click()
    browser.wait(lambda: not users_own(site), "its release")
    browser.check()


@pytest.mark.skipif(os.geteuid() != 0, reason="other users can only be played by root")
def test_whoever_may_not_reserve_sees_no_button_and_is_refused(site, browser):
    from live_users import Users
    users = Users(site)
    site.ok("setres", "-u", "nobody", "-s", "+10:00:00", "-d", "1:00:00", "node01")
    name = users_own(site)[0]["name"]
    open_timeline(browser, users.ok("nobody", "dashboard", "--no-open").splitlines()[0],
                  f"&sel={name}&kind=reservation")
    browser.shows("Who may use it")
    assert not [b for b in browser.all("button") if b.text in ("New reservation", "Release", "Change or move")]
    browser.chrome.execute_script("document.getElementById('gantt').focus()")
    browser.keys("n", "m")
    browser.expected = {403}
    told = browser.chrome.execute_async_script("""
        const then = arguments[1], secret = JSON.parse(sessionStorage.getItem("maui.session")).secret;
        const headers = { Authorization: `Session ${secret}`, "Content-Type": "application/json" };
        Promise.all([
          fetch("/v1/reservations", { method: "POST", headers, body: '{"hosts": "node02", "duration_s": 60}' }),
          fetch("/v1/reservations/" + arguments[0], { method: "PATCH", headers, body: '{"duration_s": 60}' }),
          fetch("/v1/reservations/" + arguments[0], { method: "DELETE", headers }),
        ]).then((all) => then(all.map((r) => r.status)));""", name)
    assert told == [403, 403, 403]
    assert len(users_own(site)) == 1 and not browser.all(".panel form:not(.may)")
    browser.check()
