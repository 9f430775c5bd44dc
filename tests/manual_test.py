# SPDX-License-Identifier: Apache-2.0
"""What is written about the program is what the program says of itself."""
import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent


def options_of(text):
    return set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", text))


@pytest.mark.parametrize("command", ["sim", "check"])
def test_every_option_has_its_place_in_the_manual_page(maui, command):
    page = (ROOT / "packaging" / "man" / f"maui-{command}.1").read_text()
    documented = {"-" + name for name in re.findall(r"\bFl (-[a-z][a-z-]*)", page)}
    assert documented == options_of(maui(command, "--help").stdout)


def test_every_command_is_in_the_manual_page(maui):
    page = (ROOT / "packaging" / "man" / "maui.1").read_text()
    commands = re.findall(r"^  ([a-z]+)  ", maui("--help").stdout, re.M)
    assert commands
    assert set(re.findall(r"^\.It Cm (\w+)", page, re.M)) == set(commands)


def test_options_in_the_readme_exist(maui):
    known = set().union(*(options_of(maui(c, "--help").stdout) for c in ("sim", "check")))
    readme = (ROOT / "README.md").read_text()
    assert options_of(readme) <= known | {"--help"}


def test_links_between_documents_lead_somewhere():
    for page in [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("tests/*/*.md")]:
        for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text()):
            assert (page.parent / target).exists(), f"{page.name}: {target}"
