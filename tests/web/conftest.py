# SPDX-License-Identifier: Apache-2.0
"""The web page of a real daemon: asked as a browser would, and by Debian's Chromium."""
import os
import pathlib
import shutil
import sys
import tempfile

import pytest

sys.path[:0] = [str(pathlib.Path(__file__).parent), str(pathlib.Path(__file__).parents[1] / "live")]
from live_daemon import Daemon  # noqa: E402
from web_page import Browser, Page, need_page  # noqa: E402


@pytest.fixture
def daemon(build):
    d = Daemon(build / "src" / "client" / "maui")
    yield d
    d.clean()


@pytest.fixture
def live(daemon, build):
    need_page(build)
    return daemon.start()


@pytest.fixture
def page(live):
    return Page(live)


@pytest.fixture(scope="session")
def chromium():
    """One browser for all tests; each has tabs of its own."""
    try:
        from selenium import webdriver
        from selenium.webdriver.chrome.service import Service
    except ImportError:
        pytest.skip("NOT TESTED: python3-selenium is not there (scripts/deps test)")
    # the shell has nothing around the page, and takes a sixth of the processor time
    shell, driver = shutil.which("chromium-headless-shell"), shutil.which("chromedriver")
    program = shell or shutil.which("chromium")
    if not program or not driver:
        pytest.skip("NOT TESTED: chromium or its driver is not there (scripts/deps test)")
    profile = tempfile.mkdtemp(prefix="maui-chromium-")
    if shell:  # opens no page unless it is told one, which its driver does not
        program = f"{profile}/shell"
        pathlib.Path(program).write_text(f'#!/bin/sh\nexec {shell} "$@" about:blank\n')
        os.chmod(program, 0o755)
    options = webdriver.ChromeOptions()
    options.binary_location = program
    for word in ("--headless=new", "--no-first-run", "--disable-gpu", "--window-size=1400,900",
                 "--disable-background-networking", "--disable-component-update",
                 "--disable-dev-shm-usage", "--force-device-scale-factor=1",
                 "--no-sandbox",  # it is root in a container, and sees our page alone
                 f"--user-data-dir={profile}"):
        options.add_argument(word)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    # what it keeps beside its profile goes with that
    service = Service(driver, env=dict(os.environ, HOME=profile, TMPDIR=profile,
                                       XDG_CONFIG_HOME=profile, XDG_CACHE_HOME=profile))
    chrome = webdriver.Chrome(options=options, service=service)
    chrome.set_page_load_timeout(60)
    yield chrome
    chrome.quit()
    shutil.rmtree(profile, ignore_errors=True)


@pytest.fixture
def browser(chromium):
    first = chromium.current_window_handle
    chromium.switch_to.new_window("tab")
    chromium.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
    for kind in ("browser", "performance"):
        chromium.get_log(kind)
    b = Browser(chromium)
    yield b
    for handle in chromium.window_handles:
        if handle != first:
            chromium.switch_to.window(handle)
            chromium.close()
    chromium.switch_to.window(first)
