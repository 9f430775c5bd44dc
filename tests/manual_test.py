# SPDX-License-Identifier: Apache-2.0
"""What is written about the program is what the program says of itself."""
import pathlib
import re
import shutil
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent


def options_of(text):
    return set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", text))


COMMANDS = re.findall(r"^COMMAND\(([\w-]+), \w+, CLIENT, \"(.*)\"\)",
                      (ROOT / "src" / "client" / "commands.def").read_text(), re.M)
NAMES = [name for name, _ in COMMANDS]


def page_of(command):
    section = 8 if command in ("serve", "pbs") else 1
    return (ROOT / "packaging" / "man" / f"maui-{command}.{section}").read_text()


@pytest.mark.parametrize("command", ["sim", "check", "replay", "serve", "am", "pbs"])
def test_every_option_has_its_place_in_the_manual_page(maui, command):
    documented = {"-" + name for name in re.findall(r"\bFl (-[a-z][a-z-]*)", page_of(command))}
    assert documented == options_of(maui(command, "--help").stdout)


def sound(page):
    """What a formatter complains about; mandoc is stricter, where there is one."""
    for words in (["mandoc", "-Tlint", "-Wstyle"], ["groff", "-mdoc", "-Tutf8", "-ww"]):
        if shutil.which(words[0]):
            done = subprocess.run(words, input=page, capture_output=True, text=True,
                                  check=False)
            told = done.stderr + (done.stdout if words[0] == "mandoc" else "")
            return [line for line in told.splitlines() if "referenced manual" not in line]
    return []


@pytest.mark.parametrize("command", NAMES)
def test_a_page_is_made_from_the_options_of_each_command(maui, command):
    page, help_text = maui(command, "--manual").stdout, maui(command, "--help").stdout
    for heading in ("NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXAMPLES", "EXIT STATUS",
                    "SEE ALSO"):
        assert f"\n.Sh {heading}\n" in page, heading
    assert {"-" + name for name in re.findall(r"\bFl (-[a-z][a-z-]*)", page)} >= \
        options_of(help_text.split("\nexamples:")[0])
    letters = set(re.findall(r"^  -(\w)[ ,]", help_text, re.M))
    assert set(re.findall(r"^\.It Fl \\&(\w)", page, re.M)) == letters
    assert sound(page) == []
    assert "--manual" not in help_text


@pytest.mark.parametrize("page", sorted((ROOT / "packaging" / "man").glob("*.[158]")),
                         ids=lambda p: p.name)
def test_pages_written_by_hand_are_sound(page):
    assert not [told for told in sound(page.read_text()) if "longer than 80" not in told]


def test_every_command_is_in_the_manual_page(maui):
    page = maui("--manual").stdout
    commands = re.findall(r"^  ([a-z-]+)  ", maui("--help").stdout, re.M)
    assert set(NAMES) < set(commands)
    assert re.findall(r"^\.It Cm ([\w-]+)", page, re.M) == commands
    assert sound(page) == []


# ---- completion ----

def completed(build, *words):
    """What bash offers for the last of the words."""
    folder = build / "src" / "client"
    script = f"""PATH={folder}:$PATH; source {ROOT}/packaging/maui.bash-completion
        COMP_WORDS=({' '.join(f"'{w}'" for w in words)}); COMP_CWORD={len(words) - 1}
        _maui '{words[0]}'; printf '%s\\n' "${{COMPREPLY[@]}}" """
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=False)
    assert done.stderr == "", done.stderr
    return set(done.stdout.split())


@pytest.mark.parametrize("command", NAMES)
def test_all_options_of_a_command_and_their_choices_are_completed(build, maui, command):
    rows = re.findall(r"^ {2,6}(-\S+?)(?:, (--[\w-]+))?(?: ([A-Za-z]+(?:\|[A-Za-z]+)+))?(?: |$)",
                      maui(command, "--help").stdout, re.M)
    options = {name for row in rows for name in row[:2] if name}
    assert {"--help", "--format"} < options
    assert completed(build, "maui", command, "-") == options
    for short, long, choices in rows:
        for name in filter(None, (short, long if choices else "")):
            if choices:
                assert completed(build, "maui", command, name, "") == \
                    set(choices.split("|")), name


def test_commands_are_completed_and_links_to_them(build):
    assert completed(build, "maui", "show") == {n for n in NAMES if n.startswith("show")}
    assert "--help" in completed(build, "maui", "--")
    assert completed(build, "maui", "checkjob", "-l", "S") == {"SOFT"}


def test_options_in_the_readme_exist(maui):
    known = set().union(*(options_of(maui(c, "--help").stdout) for c in ("sim", "check", "showq")))
    lines = (ROOT / "README.md").read_text().splitlines()
    readme = "\n".join(line for line in lines if "curl " not in line)
    assert options_of(readme) <= known | {"--help"}


def test_links_between_documents_lead_somewhere():
    for page in [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("docs/guide/*.md"), *ROOT.glob("tests/*/*.md")]:
        for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text()):
            assert (page.parent / target).exists(), f"{page.name}: {target}"
