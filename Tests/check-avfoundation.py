#!/usr/bin/env python3
"""check-avfoundation.py MODULES: holds docs/avfoundation.md to the public symbols of CoreMedia, AVFoundation, AVKit and MediaPlayer.

MODULES is the folder with the modules of a build. Each symbol must be in exactly one row of the tables of the page, and each name
in a row must be a symbol; the counts on the page must be those of the rows, and of the symbols in
Tests/avfoundation/common.txt that programs use most. Each clause of docs/contract.md that is "different",
"not yet" or "better" must have a decision, and the tests of a decision must exist. `--list` prints the symbols that have no row."""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/avfoundation.md"
SWIFT = os.environ.get("SWIFT", "swift")
MODULES = ["CoreMedia", "AVFoundation", "AVKit", "MediaPlayer"]
UNAVAILABLE = re.compile(r'@available\(\s*\*,\s*unavailable,\s*message:\s*"[^"]*"\s*\)\n\s*public (?:final class|struct) (\w+)')
STATES = ["as Apple's", "different", "kept without effect", "unavailable"]
# Members that the language or Foundation requires of a type.
IMPLIED = {"==(_:_:)", "<(_:_:)", "hash(into:)", "hash", "isEqual(_:)", "rawValue", "init(rawValue:)", "description"}


def symbols(modules):
    """Returns the public symbols as `Type.member`, or the name of a global symbol."""
    info = json.loads(subprocess.run([SWIFT, "-print-target-info"], check=True, capture_output=True).stdout)
    found = set()
    with tempfile.TemporaryDirectory() as output:
        for module in MODULES:
            headers = [word for folder in sorted(ROOT.glob("Sources/C[A-Z]*")) for word in ("-I", folder)]
            subprocess.run(
                [SWIFT, "symbolgraph-extract", "-module-name", module, "-target", info["target"]["triple"], "-I", modules]
                + headers
                + ["-minimum-access-level", "public", "-skip-synthesized-members", "-output-dir", output],
                check=True,
            )
            for graph in pathlib.Path(output).glob(f"{module}[.@]*json"):
                for symbol in json.loads(graph.read_text())["symbols"]:
                    path = symbol["pathComponents"]
                    if path[-1] not in IMPLIED and symbol["kind"]["identifier"] != "swift.extension":
                        found.add(".".join(path))
            # The compiler leaves out symbols that are not available.
            for path in (ROOT / "Sources" / module).rglob("*.swift"):
                found |= set(UNAVAILABLE.findall(path.read_text()))
    return found


def rows():
    """Yields the line number, the state and the names of each row: | `Type` | state | `member`, `member` | note |."""
    for number, line in enumerate(PAGE.read_text().splitlines(), 1):
        cells = [cell.strip() for cell in line.strip("|").split("|")] if line.startswith("| `") else []
        if len(cells) != 4:
            continue
        kind = cells[0].strip("`")
        names = re.findall(r"`([^`]+)`", cells[2])
        prefix = "" if kind == "globals" else kind + "."
        yield number, cells[1], [kind if name == "type" else prefix + name for name in names]


def commonest():
    """Returns the symbols that programs use most."""
    lines = (ROOT / "Tests/avfoundation/common.txt").read_text().splitlines()
    return [line.split(" ", 1)[1] for line in lines if not line.startswith("#")]


def better():
    """Checks the decisions on the clauses in which Playhead is better: | clauses | decision | tests |."""
    contract = (ROOT / "docs/contract.md").read_text()
    clauses = re.findall(r"^\| ([\w-]+) \|.*\| better \|", contract, re.MULTILINE)
    decided = []
    suites = {}
    for path in (ROOT / "Tests/AVFoundationTests").glob("*.swift"):
        text = path.read_text()
        for suite in re.findall(r"^(?:final )?(?:struct|class) (\w+)", text, re.MULTILINE):
            suites.setdefault(suite, set()).update(re.findall(r"func (\w+)\(", text))
    table = PAGE.read_text().split("| clauses | here | tests |")[1].split("\n\n")[0]
    for row in re.findall(r"^\| (\w-[^|]*) \| (.*) \| (.*?) ?\|$", table, re.MULTILINE):
        decided += row[0].split(", ")
        if not row[2] and not row[1].startswith("not "):
            yield f"docs/avfoundation.md: the decision on {row[0]} has no test"
        for suite, function in re.findall(r"`(\w+)/(\w+)`", row[2]):
            if function not in suites.get(suite, set()):
                yield f"docs/avfoundation.md: there is no test {suite}/{function}"
    for clause in sorted(set(clauses) ^ set(decided)) + [c for c in set(decided) if decided.count(c) > 1]:
        yield f"docs/avfoundation.md: no decision on the clause {clause} of docs/contract.md, or more than one"


def check(modules):
    known, seen = symbols(modules), {}
    counts = dict.fromkeys(STATES, 0)
    for number, state, names in rows():
        where = f"docs/avfoundation.md:{number}"
        if state not in counts:
            yield f"{where}: unknown state {state!r}"
            continue
        for name in names:
            if name in seen:
                yield f"{where}: {name} is in line {seen[name]} already"
            elif name not in known:
                yield f"{where}: there is no symbol {name}"
            seen[name] = number
            counts[state] += 1
    for name in sorted(known - set(seen)):
        yield f"docs/avfoundation.md: {name} has no row"
    clauses = re.findall(r"^\| ([\w-]+) \|.*\| (?:different|not yet) \|", (ROOT / "docs/contract.md").read_text(), re.MULTILINE)
    for clause in clauses:
        if not re.search(rf"^\| {clause} \| \S.* \|$", PAGE.read_text(), re.MULTILINE):
            yield f"docs/avfoundation.md: no decision on the clause {clause} of docs/contract.md"
    yield from better()
    common = commonest()
    states = {name: state for _, state, names in rows() for name in names}
    for symbol in common:
        if symbol != "Combine" and symbol not in states:
            yield f"Tests/avfoundation/common.txt: there is no symbol {symbol}"
    for state in STATES:
        used = sum(states.get(symbol) == state for symbol in common)
        if f"| {state} | {counts[state]} | {used} |" not in PAGE.read_text():
            yield f"docs/avfoundation.md: {counts[state]} symbols, {used} of the commonest, are {state}; the page says otherwise"


if "--list" in sys.argv:
    listed = {name for _, _, names in rows() for name in names} if PAGE.exists() else set()
    print("\n".join(sorted(symbols(sys.argv[1]) - listed)))
    sys.exit(0)
faults = list(check(sys.argv[1]))
print("\n".join(faults) if faults else "docs/avfoundation.md: every public symbol has a state")
sys.exit(bool(faults))
