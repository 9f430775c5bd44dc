# SPDX-License-Identifier: Apache-2.0
"""A session without a pointer: from screen to screen, what is there is found, opened, made,
moved, released, ordered, undone and changed by keys alone."""
from live_daemon import ME
from page_reserve_test import DOWN, ENTER, RIGHT, SHIFT, button, site, users_own, value  # noqa: F401
from web_page import Page

TAB = "\ue004"


def focused(browser):
    return browser.chrome.execute_script("return document.activeElement.innerText.trim()")


def tab_to(browser, words):
    """By Tab alone, as far as a person would press it."""
    for _ in range(60):
        if focused(browser) == words:
            return
        browser.keys(TAB)
    raise AssertionError(f"Tab does not come to {words!r}")


def back_to(browser, words):
    from selenium.webdriver.common.action_chains import ActionChains
    button(browser, words)
    browser.wait(lambda: button(browser, words).is_enabled(), f"{words!r}, when it is known what it comes to")
    ActionChains(browser.chrome).key_down(SHIFT).send_keys(TAB).key_up(SHIFT).perform()
    assert focused(browser) == words


def make_and_release(browser, site):
    browser.keys("n", DOWN, RIGHT, ENTER)
    browser.wait(lambda: value(browser, "hosts") == "node01", "the box")
    browser.wait(lambda: button(browser, "Reserve").is_enabled(), "the button")
    browser.keys(ENTER)
    made = site.wait(lambda: users_own(site), "the reservation")[0]
    button(browser, "Change or move")
    browser.keys("m")
    browser.shows("Give it up")
    browser.keys(RIGHT, ENTER)
    browser.wait(lambda: button(browser, "Apply").is_enabled(), "the button")
    browser.keys(ENTER)
    moved = site.wait(lambda: next((r for r in users_own(site) if r["start_at"] > made["start_at"]), None), "the move")
    assert moved["end_at"] - moved["start_at"] == made["end_at"] - made["start_at"]
    button(browser, "Change or move")
    browser.keys(".")
    tab_to(browser, "Release")
    browser.keys(ENTER)
    browser.wait(lambda: focused(browser) == "Leave it", "the button that destroys nothing")
    back_to(browser, "Release it")
    browser.expected = {404}  # its panel asks once more for what is gone
    browser.keys(ENTER)
    site.wait(lambda: not users_own(site), "its release")


def order_from_the_picture(browser, site):
    wide = site.jobs["wide"]
    browser.wait(lambda: browser.chrome.execute_script("return document.activeElement.id") == "gantt", "the picture in focus again")
    assert not browser.all(".notice-undo")  # of what is gone
    for _ in range(8):
        browser.keys(RIGHT)
        if browser.wait(lambda: browser.all(".g-card"), "the card of the one in focus")[0].text.startswith(f"Job {wide} "):
            break
    browser.picture("keys-card")
    browser.keys("F", ENTER)
    browser.wait(lambda: browser.one(".panel h2").text.startswith(f"Job {wide}"), "the job")
    browser.wait(lambda: browser.all(".panel .actions button"), "what can be done with it")
    browser.keys(".")
    assert focused(browser) == "Hold"
    browser.keys(ENTER)
    browser.wait(lambda: focused(browser) == "Hold: do it", "its form")
    browser.keys(ENTER)
    site.wait(lambda: site.job(wide).get("holds"), "the hold")
    browser.wait(lambda: browser.all(".notice-undo"), "the notice")
    browser.keys("u")
    site.wait(lambda: not site.job(wide).get("holds"), "the undo")


def change_a_limit(browser, site):
    browser.keys("g", "c")
    browser.wait(lambda: ME in browser.one("main").text, "the users")
    tab_to(browser, ME)
    browser.keys(ENTER)
    browser.wait(lambda: focused(browser) == f"User {ME}", "that user")
    browser.keys(".", ENTER)
    browser.wait(lambda: browser.all("#setting-name"), "the form")
    browser.keys("MAXJOB", TAB, "5")
    browser.wait(lambda: button(browser, "Apply it").is_enabled(), "the button")
    browser.keys(ENTER)
    site.wait(lambda: site.lines("showconfig", f"USERCFG[{ME}]") and site.api(f"/v1/credentials/user?name={ME}")[1]["limits_in_force"], "the limit")


def test_a_session_by_keys_alone(site, browser):  # noqa: F811
    browser.chrome.get(Page(site).login())
    browser.wait(lambda: browser.all(".rail-link"), "the page")
    browser.keys("g", "t")
    browser.wait(lambda: browser.all("#gantt") and "loaded" in browser.one("#gantt").get_attribute("aria-label"), "the picture")
    make_and_release(browser, site)
    order_from_the_picture(browser, site)
    change_a_limit(browser, site)
    browser.check()
