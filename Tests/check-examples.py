#!/usr/bin/env python3
"""Holds the code in README.md, docs/sinks.md and docs/testing.md to the files that are compiled: word for word the same."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
EXAMPLES = ROOT / "docs/examples"


def blocks(page):
    return re.findall(r"^```swift\n(.*?)^```$", (ROOT / page).read_text(), re.MULTILINE | re.DOTALL)


faults = []

page = (ROOT / "docs/testing.md").read_text()
code = (EXAMPLES / "Tests/TestingDemoTests/IntroSkipperTests.swift").read_text()
functions = re.findall(r"^@Test func .*?^}$", page, re.MULTILINE | re.DOTALL)
faults += [f"docs/testing.md: not as in docs/examples: {f.splitlines()[0]}" for f in functions if f not in code]
if not functions:
    faults.append("docs/testing.md: there is no example")

if (EXAMPLES / "Sources/PlayDemo/main.swift").read_text() not in blocks("README.md"):
    faults.append("README.md: its program is not docs/examples/Sources/PlayDemo/main.swift, word for word")

if (EXAMPLES / "Sources/SinkDemo/CutFinder.swift").read_text() not in blocks("docs/sinks.md"):
    faults.append("docs/sinks.md: its sink is not docs/examples/Sources/SinkDemo/CutFinder.swift, word for word")

for fault in faults:
    print(fault, file=sys.stderr)
sys.exit(1 if faults else 0)
