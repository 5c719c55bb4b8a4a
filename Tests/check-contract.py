#!/usr/bin/env python3
"""Checks docs/contract.md: each test that it names exists, each clause has a test or a reason, ids are unique, and every id
of Tests/contract-ids.txt has a row. Otherwise prints a line for each error and exits with status 1."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
STATES = {"same", "better", "different", "not yet"}


def tests():
    """Returns every `Suite/function` under Tests: the types of each file with their @Test functions."""
    found = set()
    for path in (ROOT / "Tests").glob("*/*.swift"):
        suite, pending = None, False
        for line in path.read_text().splitlines():
            kind = re.match(r"(?:@Suite.*?\s)?(?:final )?(?:private )?(?:struct|class|enum|extension) (\w+)", line)
            if kind:
                suite = kind.group(1)
            if re.search(r"@Test\b", line):
                pending = True
            name = re.search(r"\bfunc (\w+)", line)
            if pending and name:
                found.add(f"{suite}/{name.group(1)}")
                pending = False
    return found


def rows():
    """Yields the line number and the cells of each table row."""
    text = (ROOT / "docs/contract.md").read_text()
    for number, line in enumerate(text.splitlines(), 1):
        if not line.startswith("|") or re.match(r"\|\s*(id|-+)\s*\|", line):
            continue
        yield number, [cell.strip() for cell in line.strip("|\n").split("|")]


def check():
    known, seen = tests(), {}
    for number, cells in rows():
        where = f"docs/contract.md:{number}"
        if len(cells) != 6:
            yield f"{where}: {len(cells)} cells instead of 6"
            continue
        name, _, _, state, reason, proof = cells
        if name in seen:
            yield f"{where}: {name} is in line {seen[name]} already"
        seen[name] = number
        if state not in STATES:
            yield f"{where}: {name} is neither same, better, different nor not yet: {state!r}"
        named = re.findall(r"`(\w+/\w+)`", proof)
        if proof and not named:
            yield f"{where}: {name}: {proof!r} is no `Suite/function`"
        for test in named:
            if test not in known:
                yield f"{where}: {name}: there is no test {test}"
        if state == "not yet" and named:
            yield f"{where}: {name} is not built but names a test"
        if state in STATES - {"not yet"} and not named and not reason:
            yield f"{where}: {name} is {state} but names no test and no reason"
    for line in (ROOT / "Tests/contract-ids.txt").read_text().split():
        if line not in seen:
            yield f"Tests/contract-ids.txt: {line} has no row in docs/contract.md"


faults = list(check())
print("\n".join(faults), file=sys.stderr) if faults else None
sys.exit(1 if faults else 0)
