# SPDX-License-Identifier: Apache-2.0
"""What is written about the program is what the program says of itself."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

import pytest

pytestmark = pytest.mark.anybody

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
    front = maui("--manual").stdout  # has what every command has, once
    assert "\nThose of every command are in\n.Xr maui 1 .\n" in page
    named = [{"-" + name for name in re.findall(r"\bFl (-[a-z][a-z-]*)", text)}
             for text in (page, front)]
    assert named[0] | named[1] >= options_of(help_text.split("\nexamples:")[0])
    assert not {"--home", "--keyfile"} & named[0]
    letters = set(re.findall(r"^  -(\w)[ ,]", help_text, re.M))
    own = set(re.findall(r"^\.It Fl \\&(\w)", page, re.M))
    assert own <= letters <= own | set(re.findall(r"^\.It Fl \\&(\w)", front, re.M))
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


def test_pages_are_of_this_release_and_say_what_is_the_same_everywhere_once(maui):
    release = re.search(r"version: '([^']*)'", (ROOT / "meson.build").read_text())[1]
    front = maui("--manual").stdout
    pages = [front] + [p.read_text() for p in (ROOT / "packaging" / "man").iterdir()]
    for page in pages:
        assert f"\n.Os Maui {release}\n" in page
        assert page is front or "EXIT STATUS" not in page \
            or "\n.Sh EXIT STATUS\nAs of every command,\n.Xr maui 1" in page
    assert ".Sh EXIT STATUS\nOf every command:\n" in front
    assert ".It Ev MAUIHOMEDIR" in front and "Fl -keyfile" in front


def test_the_page_of_maui_cfg_has_every_parameter(build):
    page = (build / "packaging" / "maui.cfg.5").read_text()
    reference = (ROOT / "docs" / "reference-parameters.md").read_text()
    names = {name for row in re.findall(r"^\| (`[^|]*`) \|", reference, re.M)
             for name in re.findall(r"`([^`]+)`", row)}
    there = {word.replace("\\&", "") for line in re.findall(r"^\.It (Ic .*)", page, re.M)
             for word in re.findall(r"Ic (\S+)", line)}
    assert len(names) > 600 and there == names
    for heading in ("PRIORITY", "FAIRSHARE", "LIMITS", "BACKFILL AND RESERVATIONS", "VALUES"):
        assert f"\n.Sh {heading}\n" in page
    assert not [told for told in sound(page) if "longer than 80" not in told]


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


@pytest.mark.parametrize("word", ["-/", "-x)", r"-\(", "-[", "-x/p;1e touch it;s/y"])
def test_a_word_that_is_no_option_becomes_no_script(build, tmp_path, monkeypatch, word):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MAUIHOMEDIR", str(tmp_path))
    assert completed(build, "maui", "checkjob", word, "") == set()
    assert not (tmp_path / "it").exists()


# ---- names that the scheduler knows ----

@pytest.fixture(scope="module")
def site(build):
    """A daemon with a job, a reservation and names, for shells that complete."""
    sys.path.insert(0, str(ROOT / "tests" / "live"))
    from live_daemon import Daemon
    d = Daemon(build / "src" / "client" / "maui")
    d.configure("RMCFG[local] TYPE=LOCAL NODES=2x2\nCLASSCFG[short] PRIORITY=1\nQOSCFG[high] PRIORITY=1\n"
                "ACCOUNTCFG[chem] PRIORITY=1\nADMIN1 root\n")
    d.ok("serve")
    d.ok("msub", "-h", "-l", "procs=1", "--", "true")
    d.ok("setres", "-n", "patch", "node02")
    yield d
    d.clean()


WORDS = [
    (("maui", "checkjob", ""), {"1"}),
    (("maui", "checknode", "node0"), {"node01", "node02"}),
    (("maui", "releaseres", "p"), {"patch.0"}),
    (("maui", "showres", ""), {"patch.0"}),  # whose --help has examples that look like verbs
    (("maui", "pbs", "c"), {"check"}),
    (("maui", "msub", "-q", ""), {"short"}),
    (("maui", "msub", "-A", "c"), {"chem"}),
    (("maui", "showbf", "--qos", "h"), {"high"}),
    (("maui", "setres", "-a", ""), {"chem"}),
    (("maui", "changeparam", "QUEUETIMEW"), {"QUEUETIMEWEIGHT"}),
    (("maui", "showq", "-i", ""), set()),
]


@pytest.mark.parametrize("words, expected", WORDS, ids=lambda w: " ".join(w) if isinstance(w, tuple) else "")
def test_names_are_completed_from_the_scheduler(build, site, monkeypatch, words, expected):
    monkeypatch.setenv("MAUIHOMEDIR", site.home)
    assert completed(build, *words) == expected


def test_a_completion_is_quiet_without_a_scheduler(build, tmp_path, monkeypatch):
    monkeypatch.setenv("MAUIHOMEDIR", str(tmp_path))
    begin = time.monotonic()
    assert completed(build, "maui", "checkjob", "") == set()
    assert time.monotonic() - begin < 30


HOSTILE = ["$(touch it)", "`touch it`", "a;touch it", "two words", "x'y", 'x"y', "*", "~root", "a\\b", "a{1,2}"]


@pytest.fixture(scope="module")
def hostile(build):
    """A daemon in which whatever may have a name has one that a shell would read as more: a
    job by its class, account and QOS, and reservations, as far as such names are taken."""
    sys.path.insert(0, str(ROOT / "tests" / "live"))
    from live_daemon import ME, Daemon
    d = Daemon(build / "src" / "client" / "maui")
    d.configure(f"RMCFG[local] TYPE=LOCAL NODES=2x2\nADMIN1 {ME}\nQOSCFG[high] PRIORITY=1\n" +
                "".join(f"{kind}CFG[{name}] PRIORITY=1\n" for name in [*HOSTILE, "plain"]
                        for kind in ("CLASS", "ACCOUNT", "QOS")))
    d.ok("serve", "--paused")
    d.ok("setres", "-n", "plain", "node01")
    d.plain_job = d.ok("msub", "-A", "plain", "-h", "-l", "procs=1", "--", "true").strip()
    for name in HOSTILE:
        d.run("setres", "-n", name, "node02")
        d.api("/v1/reservations", {"name": name, "nodes": ["node02"]})
        d.run("msub", "-N", name, "-A", name, "-h", "-l", "procs=1", "--", "true")
    yield d
    d.clean()


# What is asked for, and a harmless name that is offered among the others.
ASKED = {"releaseres ''": "plain.0", "showres ''": "plain.0", "msub -q ''": "plain", "msub -A ''": "plain",
         "msub -l qos=''": None, "showbf --qos ''": "plain", "checkjob ''": "JOB", "showq -u ''": "ME",
         "checknode ''": "node01"}


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_no_name_becomes_a_command_of_the_shell(build, hostile, tmp_path, shell):
    if not shutil.which(shell):
        pytest.skip(f"no {shell}")
    made = tmp_path / "maui.fish"
    made.write_text(re.sub(r"/\S*/bash-completion/completions/maui", str(ROOT / "packaging/maui.bash-completion"),
                           (build / "packaging" / "maui.fish-completion").read_text()))
    source = f"source {ROOT}/packaging/maui.bash-completion"
    sys.path.insert(0, str(ROOT / "tests" / "live"))
    from live_daemon import ME
    for words, harmless in ASKED.items():
        n = len(words.split())
        script = {
            "bash": f"{source}; COMP_WORDS=(maui {words}); COMP_CWORD={n}; _maui maui; "
                    "printf '%s\\n' \"${COMPREPLY[@]}\"",
            "zsh": "autoload -Uz +X bashcompinit; bashcompinit 2>/dev/null; function compdef { }; "
                   f"function complete {{ }}; {source}; emulate ksh; COMP_WORDS=(maui {words}); COMP_CWORD={n}; "
                   "_maui maui; print -l -- \"${COMPREPLY[@]}\"",
            "fish": f"source {made}; complete -C 'maui {words[:-2]}'"}[shell]
        flags = {"bash": ["-c"], "zsh": ["-fc"], "fish": ["--no-config", "-c"]}[shell]
        done = subprocess.run([shell, *flags, script], capture_output=True, text=True, check=False, cwd=tmp_path,
                              env=dict(os.environ, MAUIHOMEDIR=hostile.home, HOME=str(tmp_path),
                                       PATH=f"{build}/src/client:{os.environ['PATH']}"))
        assert not re.search(r"[$`;'\"*~{}\\]", done.stdout.replace("maui.fish", "")), (words, done.stdout)
        assert not (tmp_path / "it").exists() and "touch" not in done.stdout, words
        harmless = {"JOB": hostile.plain_job, "ME": ME}.get(harmless, harmless)
        assert harmless is None or harmless in done.stdout.split(), (words, done.stdout, done.stderr)


@pytest.mark.skipif(not shutil.which("zsh"), reason="no zsh")
def test_zsh_completes_as_bash_does(build, site):
    text = (build / "packaging" / "maui.zsh-completion").read_text()
    assert text.startswith("#compdef maui ") and " checkjob " in text.splitlines()[0] + " "
    script = f"""PATH={build}/src/client:$PATH; autoload -Uz +X bashcompinit; bashcompinit 2>/dev/null
        function compdef {{ }}; function complete {{ }}
        source {ROOT}/packaging/maui.bash-completion
        emulate ksh; COMP_WORDS=(maui checknode node0); COMP_CWORD=2; _maui maui
        print -l -- "${{COMPREPLY[@]}}" """
    done = subprocess.run(["zsh", "-fc", script], capture_output=True, text=True, check=False,
                          env=dict(os.environ, MAUIHOMEDIR=site.home))
    assert set(done.stdout.split()) == {"node01", "node02"}, done.stderr


@pytest.mark.skipif(not shutil.which("fish"), reason="no fish")
def test_fish_completes_as_bash_does(build, site, tmp_path):
    text = (build / "packaging" / "maui.fish-completion").read_text()
    made = tmp_path / "maui.fish"
    made.write_text(re.sub(r"/\S*/bash-completion/completions/maui", str(ROOT / "packaging/maui.bash-completion"), text))
    done = subprocess.run(["fish", "--no-config", "-c", f"source {made}; complete -C 'maui checknode node0'"],
                          capture_output=True, text=True, check=False,
                          env=dict(os.environ, MAUIHOMEDIR=site.home, HOME=str(tmp_path),
                                   PATH=f"{build}/src/client:{os.environ['PATH']}"))
    assert {"node01", "node02"} == set(done.stdout.split()), done.stderr + done.stdout


def test_options_in_the_readme_exist(maui):
    known = set().union(*(options_of(maui(c, "--help").stdout) for c in ("sim", "check", "showq")))
    lines = (ROOT / "README.md").read_text().splitlines()
    readme = "\n".join(line for line in lines if "curl " not in line)
    assert options_of(readme) <= known | {"--help"}


def test_links_between_documents_lead_somewhere():
    for page in [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("docs/guide/*.md"), *ROOT.glob("tests/*/*.md")]:
        for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text()):
            assert (page.parent / target).exists(), f"{page.name}: {target}"
