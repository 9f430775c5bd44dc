# SPDX-License-Identifier: Apache-2.0
"""The shape of the house, kept by tests: docs/architecture.md says why."""
import json
import pathlib
import re
import subprocess
import sys

import pytest

pytestmark = pytest.mark.anybody

ROOT = pathlib.Path(__file__).resolve().parent.parent
SRC = ROOT / "src"

# Which rooms a room may include from, besides itself.
MAY_INCLUDE = {
    "base": set(),
    "funds": {"base"},
    "config": {"base", "funds"},
    "cluster": {"base", "funds", "config"},
    "policy": {"base", "funds", "config", "cluster"},
    "plan": {"base", "funds", "config", "cluster", "policy"},
    "engine": {"base", "funds", "config", "cluster", "policy", "plan"},
    # formats of traces, which the simulator reads and the daemon writes
    "trace": {"base", "config", "cluster"},
    "sim": {"base", "funds", "config", "cluster", "policy", "plan", "engine", "trace"},
    "store": {"base"},
    # the ledger: knows neither jobs nor the scheduler, only who uses what
    "am": {"base", "funds", "store"},
    # what is written down of jobs, nodes and reservations, and read back
    "records": {"base", "funds", "config", "cluster", "policy", "plan"},
    "rm": {"base", "config", "cluster", "records"},
    # all that the engine is told, written down and done again: no daemon
    "journal": {"base", "funds", "config", "cluster", "policy", "plan", "engine", "records", "store"},
    "server": {"base", "funds", "config", "cluster", "policy", "plan", "engine", "trace", "sim", "records",
               "rm", "journal", "store", "am"},
    # the commands speak to the daemon by its API; main.c alone knows its way in
    "client": {"base", "config", "cluster", "policy", "plan", "engine", "trace", "sim", "rm",
               "server"},
}

# What the core may take from libc and libm: memory, strings, arithmetic.
CORE_LIBC = set(
    """
    malloc calloc realloc free abort __assert_fail
    memcpy memmove memset memcmp memchr
    strlen strnlen strcmp strncmp strcasecmp strncasecmp strchr strrchr strstr
    strpbrk strspn strcspn strcpy strncpy strcat strncat strdup strndup stpcpy
    snprintf vsnprintf qsort bsearch
    strtol strtoll strtoul strtoull strtod
    __ctype_b_loc __ctype_tolower_loc __ctype_toupper_loc tolower toupper
    __memcpy_chk __memmove_chk __memset_chk __snprintf_chk __vsnprintf_chk
    __strcpy_chk __strcat_chk __stack_chk_fail
    ceil floor round lround llround trunc fmod fmin fmax fabs
    pow exp exp2 log log2 log10 sqrt cbrt
    _GLOBAL_OFFSET_TABLE_
    """.split()
)

# Which archives the core may call into, besides itself.
CORE_BELOW = ("libbase.a", "libfunds.a", "libconfig.a")

# And what even those may not do when called: see base/ and config/ for who reads
# files (config's loader does, the core never calls it).
CORE_NEVER = re.compile(r"^(cfg_load|cfg_read|config_load|settings_load)")


def sources(*patterns):
    return sorted(path for pattern in patterns for path in SRC.glob(pattern))


def nm(archive, *options):
    out = subprocess.run(
        ["nm", "--no-sort", "-P", *options, str(archive)],
        check=True, capture_output=True, text=True,
    ).stdout
    symbols = {}
    member = None
    for line in out.splitlines():
        if line.endswith(":"):
            member = line.rsplit("[", 1)[-1].rstrip("]:").rsplit("/", 1)[-1]
            continue
        fields = line.split()
        if len(fields) >= 2:
            symbols.setdefault(fields[0], []).append((fields[1], member))
    return symbols


def exported(archive):
    return {
        name for name, uses in nm(archive, "--extern-only", "--defined-only").items()
    }


def test_includes_point_one_way():
    wrong = []
    for path in sources("**/*.[ch]"):
        room = path.relative_to(SRC).parts[0]
        assert room in MAY_INCLUDE, f"src/{room} is not a room of the house"
        allowed = MAY_INCLUDE[room] | {room}
        for number, line in enumerate(path.read_text().splitlines(), 1):
            found = re.match(r'\s*#\s*include\s+"([a-z]+)/', line)
            if found and found[1] not in allowed:
                where = path.relative_to(ROOT)
                wrong.append(f"{where}:{number}: {room} may not include {found[1]}/")
    assert not wrong, "\n".join(wrong)


def test_own_headers_are_included_by_room_and_name():
    wrong = []
    for path in sources("**/*.[ch]"):
        for number, line in enumerate(path.read_text().splitlines(), 1):
            found = re.match(r'\s*#\s*include\s+"([^"]+)"', line)
            if found and not (SRC / found[1]).is_file():
                wrong.append(f"{path.relative_to(ROOT)}:{number}: {found[1]}")
    assert not wrong, "\n".join(wrong)


def test_the_core_needs_nothing_but_memory_strings_and_arithmetic(build):
    core = build / "src" / "libcore.a"
    if not any(sources("cluster/*.c", "policy/*.c", "plan/*.c", "engine/*.c")):
        pytest.fail("the core has no sources")
    below = set()
    for archive in CORE_BELOW:
        below |= exported(build / "src" / archive)
    allowed = CORE_LIBC | below | exported(core)
    wrong = []
    for name, uses in sorted(nm(core, "--undefined-only").items()):
        if name not in allowed or CORE_NEVER.match(name):
            wrong += [f"{member}: {name}" for _, member in uses]
    assert not wrong, "\n".join(wrong)


def test_the_core_has_no_variables(build):
    """Constant tables that hold pointers are in .data.rel.ro; .data is for writing."""
    listing = subprocess.run(
        ["objdump", "--syms", str(build / "src" / "libcore.a")],
        check=True, capture_output=True, text=True).stdout
    symbols = re.findall(r"^[0-9a-f]+ (.{7}) (\S+)\t[0-9a-f]+ +(.*)$", listing, re.M)
    writable = re.compile(r"\.(data|bss|tdata|tbss)(?!\.rel\.ro)|\*COM\*")
    wrong = [f"{section} {name}" for flags, section, name in symbols
             if writable.match(section) and "d" not in flags]
    assert not wrong, "\n".join(wrong)


def test_a_name_that_programs_are_linked_by_is_defined_once(build):
    """Which of two the linker takes depends on what else it was asked for. Programs that are
    linked without each other may have the same; no name of a library is anywhere else."""
    objects = sorted((build / "src").rglob("*.o"))
    listing = subprocess.run(["nm", "-A", "-g", "--defined-only", *map(str, objects)],
                             check=True, capture_output=True, text=True).stdout
    defined = {}
    for line in listing.splitlines():
        path, _, name = line.rsplit(" ", 2)
        path = pathlib.Path(path.partition(":")[0])
        defined.setdefault(name, {})[path.name.replace(".._", "")] = path.parent.name
    wrong = [f"{name}: {', '.join(where)}" for name, where in sorted(defined.items())
             if len(where) > 1 and any(folder.endswith(".a.p") for folder in where.values())]
    assert len(defined) > 1000 and not wrong, "\n".join(wrong)


def largest_circle(archive, room):
    """Files of the room (a pattern of their objects' names) that call each other in a
    circle: the most of them, by name."""
    defined = {}
    for name, uses in nm(archive, "--extern-only", "--defined-only").items():
        for _, member in uses:
            if re.match(f"{room}_", member):
                defined[name] = member
    calls = {member: set() for member in defined.values()}
    for name, uses in nm(archive, "--undefined-only").items():
        for _, member in uses:
            if name in defined and member in calls:
                calls[member].add(defined[name])
    assert len(calls) > 10, "the room's files are not found in the archive"

    def reached(begin):
        seen, rest = set(), [begin]
        while rest:
            for called in calls[rest.pop()] - seen:
                seen.add(called)
                rest.append(called)
        return seen

    below = {member: reached(member) for member in calls}
    return max(([other for other in sorted(below[member]) if member in below[other]]
                for member in calls), key=len)


def test_files_of_the_engine_call_downward(build):
    """What one asks of another, that one may not ask of it, by whatever way."""
    assert largest_circle(build / "src" / "libcore.a", "engine") == []


def test_files_of_the_plan_call_downward(build):
    assert largest_circle(build / "src" / "libcore.a", "plan") == []


def test_collaborators_of_the_plan_know_no_plan():
    """They take what they use: closures, pools, sets of pools, the table ..."""
    folders = ("bynode", "closures", "counted", "nodes", "pools", "reservations")
    assert not [str(path.relative_to(ROOT))
                for path in sources(*(f"plan/{folder}/*.[ch]" for folder in folders))
                if re.search(r'"plan/plan_private.h"|\bstruct plan\b', path.read_text())]


def test_nodes_of_the_cluster_are_asked_for():
    """A node told in a row has no record before node_at(): nobody else may look there."""
    direct = re.compile(r"(\bc|\bcluster|->c|\))->nodes\.v\[")
    assert not [f"{path.relative_to(ROOT)}:{number}"
                for path in sorted((ROOT / "src").rglob("*.[ch]"))
                if "cluster" not in path.relative_to(ROOT).parts
                for number, line in enumerate(path.read_text().splitlines(), 1)
                if direct.search(line)]


def test_settings_are_included_by_who_reads_them():
    """A new parameter compiles their readers again, not everybody."""
    assert [str(path.relative_to(ROOT)) for path in sources("**/*.h")
            if '"config/settings.h"' in path.read_text()] == ["src/plan/endings.h"]


def test_every_source_file_begins_with_licence_and_purpose():
    wrong = []
    for folder in ("src", "tests", "bench"):
        for path in sorted((ROOT / folder).rglob("*.[ch]")):
            text = path.read_text()
            head = re.match(r"/\* SPDX-License-Identifier: Apache-2\.0\s+(\*\s+)?[^\s*]", text)
            if not head:
                wrong.append(str(path.relative_to(ROOT)))
    assert not wrong, "\n".join(wrong)


def test_no_source_file_exceeds_1000_lines():
    wrong = []
    for path in sources("**/*.[ch]"):
        lines = len(path.read_text().splitlines())
        if lines > 1000:
            wrong.append(f"{path.relative_to(ROOT)}: {lines} lines")
    assert not wrong, "\n".join(wrong)


def functions(path):
    """(first line, number of lines, deepest block inside) of each function body."""
    begin = deepest = depth = 0
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if line == "{":
            begin, deepest, depth = number, 0, 0
        elif line == "}" and begin:
            yield begin, number - begin + 1, deepest
            begin = 0
        elif begin:
            code = re.sub(r'"(\\.|[^"\\])*"|\'(\\.|[^\'\\])*\'|//.*', "", line)
            depth += code.count("{") - code.count("}")
            deepest = max(deepest, depth)


def test_functions_fit_a_screen_and_nest_at_most_four_blocks():
    wrong = []
    for path in sources("**/*.c"):
        for begin, lines, deepest in functions(path):
            where = f"{path.relative_to(ROOT)}:{begin}"
            if lines > 100:
                wrong.append(f"{where}: {lines} lines")
            if deepest > 4:
                wrong.append(f"{where}: {deepest} blocks deep")
    assert not wrong, "\n".join(wrong)


def test_fuzz_targets_and_benchmarks_are_all_built():
    for folder, pattern in (("tests/fuzz", "fuzz_*.c"), ("bench", "*.c")):
        listed = (ROOT / folder / "meson.build").read_text()
        for path in (ROOT / folder).glob(pattern):
            assert f"'{path.stem}'" in listed, f"{path.stem} is not in {folder}/meson.build"


def test_every_unit_test_is_listed():
    for path in (ROOT / "tests" / "unit").glob("*/*_test.c"):
        listed = (path.parent / "meson.build").read_text()
        assert f"'{path.stem}'" in listed, f"{path.relative_to(ROOT)} is not in meson.build"


def test_what_is_long_has_its_like_in_make_check():
    """docs/testing.md: no behaviour is shown by what is long alone."""
    listed = subprocess.run(
        [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider",
         "-m", "not long", "tests"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    stay = set(re.findall(r"::(test_\w+)", listed))
    likes = [(path.name, like) for path in (ROOT / "tests").rglob("*_test.py")
             for like in re.findall(r"pytest\.mark\.long\b(?:\(\s*\"(\w*)\"\))?", path.read_text())]
    assert likes
    for file, like in likes:
        assert like in stay, f"{file}: mark.long wants a test that stays in make check, not '{like}'"


def test_what_is_the_same_for_anybody_does_not_look_who_runs_it():
    files = [path for path in (ROOT / "tests").rglob("*_test.py")
             if re.search(r"^pytestmark = pytest\.mark\.anybody$", path.read_text(), re.M)]
    assert len(files) > 10
    for path in set(files) - {pathlib.Path(__file__)}:
        assert not re.search(r"geteuid|getuid|\bpwd\b|runuser|setpriv|live_users|getpass",
                             path.read_text()), path
    # of the browser, one file is run by an ordinary user, too
    assert "browser" in (ROOT / "tests" / "web" / "page_way_in_test.py").read_text()


def test_every_worked_example_has_its_test():
    """The table of docs/testing.md names tests that are run."""
    run = set()
    for path in (ROOT / "tests" / "unit").glob("*/*_test.c"):
        run |= set(re.findall(r"\(\s*(\w+)[,)]", path.read_text().split("int main")[-1]))
    page = (ROOT / "docs" / "testing.md").read_text()
    table = page.split("## Worked examples")[1].split("\n## ")[0]
    rows = [line for line in table.splitlines() if line.startswith("| ") and "`" in line]
    assert len(rows) > 50
    wrong = [f"{row}: {name}" for row in rows for name in re.findall(r"`(\w+)`", row)
             if name not in run]
    assert not wrong, "\n".join(wrong)
    numbered = {letter: {int(n) for n in re.findall(rf"\| {letter}(\d+) \|", table)}
                for letter in "RNPB"}
    assert numbered == {"R": set(range(1, 45)), "N": set(range(1, 25)),
                        "P": set(range(1, 14)), "B": set(range(1, 19))}


def api_table():
    """(method, path) -> the level that src/server/api/api.c asks for."""
    text = (SRC / "server" / "api" / "api.c").read_text()
    rows = re.findall(r'\{"([A-Z]+)",\s*"([^"]+)",\s*"[^"]+",\s*WHO_(\w+),', text)
    return {(method, path): level.lower() for method, path, level in rows}


def test_the_api_serves_just_what_its_description_promises():
    description = json.loads((SRC / "server" / "api" / "openapi.json").read_text())
    promised = {
        (method.upper(), path): operation["x-level"]
        for path, operations in description["paths"].items()
        for method, operation in operations.items() if method != "parameters"
    }
    served = api_table()
    assert len(served) > 30
    assert set(promised) == set(served)
    for key, level in served.items():
        # Those who may for their own jobs are let in by the table and told apart later.
        open_to_some = level == "any" and "|" in promised[key]
        assert promised[key] == level or open_to_some, f"{key}: {promised[key]}, {level}"


def test_every_record_of_the_description_is_there_and_used():
    text = (SRC / "server" / "api" / "openapi.json").read_text()
    described = set(json.loads(text)["components"]["schemas"])
    assert set(re.findall(r"#/components/schemas/(\w+)", text)) == described


def test_parameters_in_force_are_read_by_somebody():
    """The field of a row in force is used outside src/config."""
    used = {word for p in sources("**/*.[ch]")
            if p.parent.name != "config" or p.name == "srcfg.c"
            for word in re.findall(r"\w+", p.read_text())}
    row = re.compile(r'N\("(\w+)".*?IN_(?:SETTINGS|PAR|CRED|NODE|SR|STACK)\(([^)]*)\)(.*)')
    wrong, rows = [], 0
    for path in sources("config/*.c"):
        for name, field, rest in row.findall(path.read_text()):
            rows += 1
            field = re.sub(r"\[.*?\]", "", field).split(".")[-1]
            if re.search(r"\b(LATER|INERT|OBSOLETE)\b", rest):
                continue
            if field not in used:
                wrong.append(name)
    assert rows > 100
    assert not wrong, wrong


COMPARES = re.compile(r"\b(strcmp|strncmp|strcasecmp|strncasecmp|strstr|strcasestr|fnmatch)\s*\(")
# Where a text with a blank is compared all the same, and why it is no sentence of ours.
COMPARED_WORDS = {
    "src/rm/slurm/text/answer.c": "what scontrol answers: it has no codes",
    "src/rm/slurm/inspect.c": "a line of slurmctld's log",
    "src/rm/slurm/text/pipe.c": "what scontrol answers: it has no codes",
    "src/rm/slurm/text/records.c": "the first line of a record of scontrol",
    "src/rm/pbs/hooks.c": "what qmgr prints: it has no codes",
    "src/rm/local/cgroup.c": "a line of the kernel's memory.events",
    "src/server/server.c": "the scheme of an HTTP Authorization header",
    "src/client/import/import.c": "a line of somebody's configuration",
    "src/client/import/import_live.c": "a line of qmgr's output",
    "src/server/web/tls.c": "how a text in PEM begins",
}


def arguments(text, at):
    """Those of the call whose bracket opens at `at`."""
    depth, begin, quoted = 0, at + 1, False
    for i in range(at, len(text)):
        char = text[i]
        if char == '"' and text[i - 1] != "\\":
            quoted = not quoted
        elif quoted:
            continue
        elif char in "([{":
            depth += 1
        elif char in ")]}":
            depth -= 1
            if depth == 0:
                yield text[begin:i].strip()
                return
        elif char == "," and depth == 1:
            yield text[begin:i].strip()
            begin = i + 1


def test_nothing_is_decided_by_comparing_sentences():
    """A reason is a code; the sentence is made from it for people. Compared texts are
    words: of configurations, commands, protocols."""
    texts = {path: re.sub(r"/\*.*?\*/", "", path.read_text(), flags=re.S)
             for path in sources("**/*.[ch]")}
    prose = {name for text in texts.values()
             for name in re.findall(r'#define\s+(\w+)\s+"[^"\n]*\w [^"\n]*"', text)}
    found = {}
    for path, text in texts.items():
        for call in COMPARES.finditer(text):
            for argument in arguments(text, call.end() - 1):
                literal = re.fullmatch(r'("(\\.|[^"\\])*"\s*)+', argument)
                if argument in prose or (literal and re.search(r"[^\W\d_]\S* | \S*=", argument)):
                    where = str(path.relative_to(ROOT))
                    found.setdefault(where, []).append(f"{where}: {call[1]}(.. {argument} ..)")
    wrong = [line for where, lines in found.items() if where not in COMPARED_WORDS
             for line in lines]
    assert not wrong, "\n".join(wrong)
    unneeded = set(COMPARED_WORDS) - set(found)
    assert not unneeded, f"no longer compared: {unneeded}"


def test_the_glossary_names_headers_that_exist():
    text = (ROOT / "docs" / "glossary.md").read_text()
    named = re.findall(r"`([a-z_/]+/(?:[a-z_]+\.h)?)`", text)
    assert len(named) > 20
    assert [name for name in named if not (ROOT / "src" / name).exists()] == []


def test_the_architecture_names_files_that_exist():
    text = (ROOT / "docs" / "architecture.md").read_text()
    ways = text[text.index("## The ways of four things"):text.index("## Simulated time")]
    named = re.findall(r"^    ((?:client|server|config|policy|engine|plan)/[a-z_/]+\.[ch])\b", ways,
                       re.M)
    assert len(named) > 25
    assert [name for name in named if not (ROOT / "src" / name).exists()] == []
