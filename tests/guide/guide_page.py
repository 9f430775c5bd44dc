# SPDX-License-Identifier: Apache-2.0
"""A chapter of the guide as it is tried: its fenced blocks, in order, on one daemon.

    ```conf maui.cfg         the file of that name in the daemon's home, anew
    ```sh job.sh             a file in the folder where the commands are given
    ```console               "$ command", and below it what it prints
    ```console refused       the last of its commands ends with an exit status that is not 0
    ```console roughly       of each line only what stands before its first figure counts
    ```console by=FILE       not run here: FILE, a script that is run by others, has each of
                             the commands
    ```text                  a picture
    <!-- maui.cfg ... -->    what the daemon is configured and started with, unseen

What is printed is compared line by line: blanks in a row are one, empty lines do not count,
`...` is anything within a line, and a line `...` any number of lines. A date is any date, and
times may differ by SLACK_S. A command that only looks is asked again until it answers so, for
a minute. `ann` is whoever runs the test, /etc/maui and /var/lib/maui the daemon's home."""
import pathlib
import re
import shlex
import subprocess
import time

SECONDS = 60
SLACK_S = 120
DATE = r"(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) [A-Z][a-z]{2} \d{1,2} \d\d:\d\d:\d\d"
TIME = r"-?(?:\d+:)?\d{1,2}:\d\d:\d\d"
# What may be asked again and changes nothing.
LOOKS = {"showq", "checkjob", "showbf", "showstart", "showres", "showstats", "diagnose",
         "checknode", "showconfig", "showstate", "showhold", "mbal", "mdiag", "cat", "curl", "ls",
         "squeue", "qstat", "scontrol", "mam-balance", "mam-usage", "showgrid", "test", "grep", "sed"}


class Block:
    def __init__(self, line, info, text):
        self.line, self.text = line, text
        self.kind, *self.words = info.split() or [""]

    def commands(self):
        """(line, command, what it prints) of each."""
        found, more = [], False
        for n, line in enumerate(self.text.splitlines(), self.line + 1):
            if line.startswith("$ ") and not more:
                found.append([n, line[2:], []])
            elif more:
                found[-1][1] += line.strip() if found[-1][1].endswith(" ") else " " + line.strip()
            else:
                assert found, f"line {n}: output before a command"
                found[-1][2].append(line)
            more = found[-1][1].endswith("\\") and not found[-1][2]
            if more:
                found[-1][1] = found[-1][1][:-1]
        return found


def blocks_of(page):
    """All fenced blocks of a page, in order."""
    found, fence = [], None
    for n, line in enumerate(pathlib.Path(page).read_text().splitlines(), 1):
        opening = re.match(r"(```+)(.*)$", line)
        if line == "<!-- maui.cfg":
            fence = (n, "", [])
        elif line == "-->" and fence is not None:
            text = "".join(l + "\n" for l in fence[2])
            found += [Block(n, "conf maui.cfg", text), Block(n, "console", "$ maui serve\n...\n")]
            fence = None
        elif fence is None and opening:
            fence = (n, opening.group(2).strip(), [])
        elif fence is not None and line.rstrip() == "```":
            found.append(Block(fence[0], fence[1], "".join(l + "\n" for l in fence[2])))
            fence = None
        elif fence is not None:
            fence[2].append(line)
    assert fence is None, f"{page}: a block that does not end, line {fence[0]}"
    return found


def squeezed(text):
    return [" ".join(line.split()) for line in text.splitlines() if line.strip()]


def pattern_of(line):
    """A regular expression for what an expected line may look like; times are groups."""
    pattern = ""
    for word in re.split(rf"({DATE}|{TIME}|\.\.\.)", line):
        if word == "...":
            pattern = pattern.removesuffix("\\ ") + r"[^\n]*?"
        elif re.fullmatch(DATE, word):
            pattern += DATE
        elif re.fullmatch(TIME, word):
            pattern += f"({TIME})"
        else:
            pattern += re.escape(word.lstrip() if pattern.endswith("*?") else word)
    return pattern


def seconds_of(time):
    """[-][DD:]HH:MM:SS."""
    fields = [int(f) for f in time.lstrip("-").split(":")]
    total = sum(f * unit for f, unit in zip(reversed(fields), (1, 60, 3600, 86400)))
    return -total if time.startswith("-") else total


def as_expected(expected, printed, roughly=False):
    """Does `printed` look like the lines `expected`?"""
    pattern, times = "", []
    for line in squeezed("\n".join(expected)):
        if line == "...":
            pattern += r"(?:.*\n)*?"
        elif roughly:
            words = re.match(r"\D*", re.sub(DATE, "0", line)).group().rstrip("-")
            pattern += (re.escape(words) + r".*\n") if words else r".*\n"
        else:
            pattern += pattern_of(line) + r"\n"
            times += re.findall(TIME, re.sub(DATE, "", line))
    found = re.fullmatch(pattern, "".join(line + "\n" for line in squeezed(printed)))
    return found is not None and all(abs(seconds_of(a) - seconds_of(b)) <= SLACK_S
                                     for a, b in zip(times, found.groups()))


class Chapter:
    """Carries out blocks. `home` is the daemon's; `run(command)` a finished process of a
    shell; `known` what stands for what in the page (words)."""

    def __init__(self, page, home, folder, run, known):
        self.page, self.home, self.folder = pathlib.Path(page), pathlib.Path(home), folder
        self.run, self.known = run, known
        self.took = []

    def ours(self, text):
        for place in ("/etc/maui", "/var/lib/maui"):
            text = text.replace(place, str(self.home))
        for word, mine in self.known.items():
            if word.startswith("/"):
                text = text.replace(word, mine)
                continue
            text = re.sub(rf"(?<![\w/.-]){re.escape(word)}(?![\w/-])", lambda _: mine, text)
        return text

    def carry_out(self, root):
        done = 0
        for block in blocks_of(self.page):
            if block.kind == "console":
                for n, command, expected in block.commands():
                    self.step(root, block, n, command, expected,
                              last=command is block.commands()[-1][1]
                              or n == block.commands()[-1][0])
                    done += 1
            elif block.words:
                self.write(block.words[0], block.text)
            else:
                assert block.kind == "text", f"{self.page.name}:{block.line}: '{block.kind}' is tried by nobody"
                assert "\n$ " not in "\n" + block.text, f"{self.page.name}:{block.line}: commands in a picture"
        return done

    def write(self, name, text):
        folder = self.home if name.startswith("maui.cfg") else pathlib.Path(self.folder)
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(self.ours(text))
        if text.startswith("#!"):
            path.chmod(0o755)

    def step(self, root, block, n, command, expected, last):
        by = [w[3:] for w in block.words if w.startswith("by=")]
        if by:
            told = (root / by[0]).read_text()
            assert command in told, f"{self.page.name}:{n}: not in {by[0]}: {command}"
            return
        begin = time.monotonic()
        words = shlex.split(command, comments=True)
        looks = (words[1] if words[0] == "maui" and len(words) > 1 else words[0]) in LOOKS
        refused = "refused" in block.words and last
        expected = [self.ours(line) for line in expected]
        command = self.ours(command)
        pause = 0.05
        while True:
            done = self.run(command)
            good = (done.returncode != 0) == refused and as_expected(
                expected, done.stdout, "roughly" in block.words)
            if good or not looks or time.monotonic() - begin > SECONDS:
                break
            time.sleep(pause)
            pause = min(0.5, pause * 1.5)
        self.took.append((round(time.monotonic() - begin, 2), n, command))
        assert good, (f"{self.page.name}:{n}: $ {command}   [{done.returncode}]\n"
                      f"-- expected\n" + "\n".join(expected) + f"\n-- printed\n{done.stdout}")


def run_in(words, env, cwd):
    """run(command) of a Chapter: a shell with this environment."""
    def run(command):
        return subprocess.run([*words, "sh", "-c", command], env=env, cwd=cwd, text=True,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=120, check=False)
    return run
