#!/usr/bin/env python3
"""Holds the code in docs/testing.md to the file that is compiled: each of its test functions is there word for word."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
page = (ROOT / "docs/testing.md").read_text()
code = (ROOT / "docs/examples/Tests/TestingDemoTests/IntroSkipperTests.swift").read_text()

functions = re.findall(r"^@Test func .*?^}$", page, re.MULTILINE | re.DOTALL)
missing = [function.splitlines()[0] for function in functions if function not in code]
for line in missing:
    print(f"docs/testing.md: not as in docs/examples: {line}", file=sys.stderr)
if not functions:
    print("docs/testing.md: there is no example", file=sys.stderr)
sys.exit(1 if missing or not functions else 0)
