# SPDX-License-Identifier: Apache-2.0
"""Times on the page are the site's, wherever the browser is; on days when clocks are set too."""
import json

import pytest

from driven_clock import DrivenClock
from web_page import Page, need_page

HOUR = 3600
SPRING = 1806188400  # Sunday 28 March 2027 in Vienna: 2:00 is 3:00 there
AUTUMN = SPRING + 31 * 7 * 24 * HOUR - HOUR  # 31 October: 3:00 is 2:00 once more
HOUR_PX = 18


@pytest.fixture
def site(daemon, build, browser):
    """It is two hours before midnight in Vienna; the browser is in Kabul."""
    need_page(build)
    clock = DrivenClock(daemon.home)
    daemon.env.update(clock.env, TZ="Europe/Vienna")
    clock.stand(SPRING - 2 * HOUR)
    daemon.configure("RMPOLLINTERVAL 10:00:00\nSRCFG[night] PERIOD=DAY STARTTIME=01:00:00 ENDTIME=04:00:00 "
                     "DEPTH=2 TASKCOUNT=2 RESOURCES=PROCS:1\n")
    daemon.start()
    browser.chrome.execute_cdp_cmd("Emulation.setTimezoneOverride", {"timezoneId": "Asia/Kabul"})
    browser.chrome.get(Page(daemon).login())
    browser.wait(lambda: browser.all(".rail-link"), "the page")
    browser.chrome.execute_script("localStorage.removeItem('maui.prefs')")  # as nobody has chosen any
    browser.chrome.refresh()
    daemon.base = browser.chrome.current_url.split("/ui/")[0] + "/ui/"
    yield daemon
    browser.chrome.execute_cdp_cmd("Emulation.setTimezoneOverride", {"timezoneId": ""})


def show_zone(browser, zone):
    from selenium.webdriver.support.ui import Select
    if not browser.all(".menu[open]"):
        browser.one(".menu summary").click()
    Select(browser.one(".menu-body label:nth-of-type(2) select")).select_by_value(zone)


def test_times_are_the_sites_and_others_on_demand(site, browser):
    told = site.api("/v1/identity")[1]
    assert (told["zone"], told["utc_offset_s"]) == ("Europe/Vienna", HOUR)
    site.ok("setres", "-n", "course", "-s", "23:30:00", "-d", "1:00:00", "node01")
    browser.chrome.get(site.base + "reservations?sel=course.0")
    browser.wait(lambda: "22:00:0" in browser.one(".clock").text, "the clock of the site")
    assert "Europe/Vienna" in browser.one(".clock").text
    browser.shows("23:30:00")
    show_zone(browser, "browser")
    browser.wait(lambda: "Asia/Kabul" in browser.one(".clock").text, "the zone of the browser")
    browser.wait(lambda: "03:00" in browser.one(".r-list").text, "the start as clocks in Kabul show it")
    show_zone(browser, "UTC")
    browser.wait(lambda: "22:30:00" in browser.one(".r-list").text, "the start in UTC")
    browser.check()


def test_what_is_written_is_as_clocks_of_the_site_show_it(site, browser):
    """Of a day whose clocks are set in the night: before and after that, and what they skip."""
    browser.expected = {404}  # each is released while it is open
    browser.chrome.get(site.base + "timeline")
    browser.wait(lambda: "loaded" in browser.one("#gantt").get_attribute("aria-label"), "the picture")
    browser.one("#gantt").send_keys("n")
    browser.one('.panel [name="hosts"]').send_keys("node01")
    for text, at in (("2027-03-28 01:30", SPRING + HOUR // 2 * 3), ("2027-03-28 12:00", SPRING + 11 * HOUR),
                     ("2027-03-28 02:30", SPRING + HOUR // 2 * 5), ("2027-10-31 02:30", AUTUMN + HOUR // 2 * 5),
                     ("2027-10-31 03:00", AUTUMN + 4 * HOUR)):
        field = browser.one('.panel [name="start_at"]')
        field.send_keys("\ue009a")
        field.send_keys(text)
        browser.wait(browser.one('.panel button[type="submit"]').is_enabled, "the button")
        field.send_keys("\ue007")  # what comes of the question moves the button
        made = site.wait(lambda: site.api("/v1/reservations?type=User")[1] or None, "the reservation")
        assert (made["start_at"], made["end_at"]) == (at, at + HOUR), text
        site.ok("releaseres", made["name"])
        browser.one("#gantt").send_keys("n")
        browser.wait(lambda: "New reservation" in browser.one(".panel").text, "the form")
        browser.one('.panel [name="hosts"]').send_keys("node01")
    browser.check()


def places(browser, name):
    """Of its blocks of the week: the hours at which they begin and end, by the lines beside."""
    found = [(b.get_attribute("style"), b.text) for b in browser.all(".wk-piece") if name in b.get_attribute("aria-label")]
    lines = []
    for style, _ in found:
        px = {k.strip(): float(v.strip()[:-2]) for k, v in (p.split(":") for p in style.split(";") if "px" in p and "%" not in p)}
        lines.append((px["top"] / HOUR_PX, (px["top"] + px["height"] + 1) / HOUR_PX))
    return lines


def test_a_week_has_its_hours_where_clocks_show_them(site, browser):
    """A block stands at the lines of the hours that its start and its end are told to be."""
    for name, start in (("noon", SPRING + 11 * HOUR), ("autumn", AUTUMN + 13 * HOUR)):
        done = site.api("/v1/reservations", {"name": name, "start_at": start, "duration_s": 2 * HOUR, "hosts": "node03"})
        assert done[0] == 200, done
    browser.chrome.get(site.base + "reservations?view=week")
    browser.wait(lambda: places(browser, "noon"), "the week in which clocks are set forward")
    assert places(browser, "noon") == [(12, 14)]
    assert (1, 4) in places(browser, "night")  # of the three hours that its line says two are there
    assert [d.text.split()[0] for d in browser.all(".wk-day h2")] == "Mon Tue Wed Thu Fri Sat Sun".split()
    browser.picture("week-spring")
    browser.chrome.get(site.base + "reservations?view=week&week=31")
    browser.wait(lambda: places(browser, "autumn"), "the week in which clocks are set back")
    assert places(browser, "autumn") == [(12, 14)]
    assert browser.one(".wk-bar strong").text == "Mon 25 Oct to Sun 31 Oct"
    browser.check()


def test_a_line_of_text_has_its_place_in_the_week(site, browser):
    """Short ones, one right after the other, lie beside each other, not on each other."""
    for i in range(3):
        site.api("/v1/reservations", {"name": f"short{i}", "start_at": SPRING + 20 * HOUR + i * 300,
                                      "duration_s": 300, "hosts": "node03"})
    browser.chrome.get(site.base + "reservations?view=week")
    browser.wait(lambda: places(browser, "short2"), "the week")
    boxes = json.loads(browser.chrome.execute_script("""
        return JSON.stringify([...document.querySelectorAll(".wk-piece")].filter((b) => /short/.test(b.textContent))
            .map((b) => b.getBoundingClientRect()))"""))
    for i, a in enumerate(boxes):
        for b in boxes[i + 1:]:
            assert a["right"] <= b["left"] + 1 or b["right"] <= a["left"] + 1 or a["bottom"] <= b["top"] + 1
    browser.check()


def test_what_keeps_a_job_is_told_in_that_zone_too(site, browser):
    """The scheduler writes the instant in UTC; beside times of the site that would be another hour."""
    job = site.submit("true", release_at=SPRING - HOUR)
    site.wait(lambda: "22:00:00 UTC" in str(site.job(job).get("reason")), "the reason")
    browser.chrome.get(site.base + f"jobs?sel={job}")
    browser.shows("This job may not start before 23:00:00")
    browser.wait(lambda: "before 23:00:00" in browser.one("#rows").text, "the same in the list")
    show_zone(browser, "UTC")
    browser.shows("This job may not start before 22:00:00")
    assert "UTC" not in browser.one(".verdict").text
    browser.check()


def test_an_address_names_one_instant_to_whoever_gets_it(site, browser):
    """Clocks in Vienna are an hour ahead of UTC, those of the browser 4:30."""
    at = SPRING - 2 * HOUR
    for text in ("2027-03-27T22:00", "2027-03-27T22:00:00%2B01:00", "2027-03-27T21:00Z", "2027-03-28T01:30+04:30"):
        browser.chrome.get("about:blank")
        browser.chrome.get(site.base + f"jobs?at={text}")
        browser.shows("As of Sat 27 Mar 22:00:0")
        browser.wait(lambda: f"at={at}" in browser.chrome.current_url, text)
    assert all(f"at={at}" in a.get_attribute("href") for a in browser.all(".rail-link"))
    show_zone(browser, "UTC")
    browser.chrome.get(site.base + "jobs?at=2027-03-27T21:00")
    browser.shows("As of Sat 27 Mar 21:00:0")
    browser.wait(lambda: f"at={at}" in browser.chrome.current_url, "what is written in the zone that is shown")
    browser.chrome.get(site.base + "jobs?at=yesterday")
    browser.shows("is no day and time")
    assert "at=" not in browser.chrome.current_url
    browser.check()


def test_an_address_of_a_week_or_of_a_question_is_no_other_later(site, browser):
    browser.chrome.get(site.base + "reservations?view=week")
    browser.one('[aria-label="The week after"]').click()
    browser.wait(lambda: "week=2027-03-29" in browser.chrome.current_url, "its Monday")
    browser.chrome.refresh()
    browser.shows("Mon 29 Mar to Sun 4 Apr")
    browser.one('[aria-label="The week before"]').click()
    browser.wait(lambda: "week=" not in browser.chrome.current_url, "the present")
    browser.chrome.get(site.base + "timeline?fit=1")
    browser.one(".panel details summary").click()
    browser.one('.panel [name="from"]').send_keys("2027-03-29 12:00")
    browser.wait(lambda: "from%3D2027-03-29+12:00+%2B02:00" in browser.chrome.current_url, "how far that is from UTC")
    assert browser.one('.panel [name="from"]').get_attribute("value") == "2027-03-29 12:00"
    show_zone(browser, "UTC")
    browser.chrome.refresh()
    browser.wait(lambda: "29 Mar 10:00" in browser.one(".panel").text, "the same instant in another zone")
    browser.check()
