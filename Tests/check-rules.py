#!/usr/bin/env python3
"""Checks docs/rules.md: each file that it names exists, and its last column lists the suites marked `// Rule: ID`.

`--write` writes that column from the marks. Also checks that files and folders named in docs/architecture.md and docs/internals exist."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/rules.md"
faults = []

sources = [path for path in (ROOT / "Sources").rglob("*.swift")]
files = {path.name for path in sources} | {path.name for path in (ROOT / "Tests").rglob("*.swift")}

suites = {}
for path in sorted((ROOT / "Tests").rglob("*.swift")):
    for mark in re.finditer(r"^ *// Rule: (.*)\n(?:.*\n)*? *(?:@.* )?(?:\w+ )*(?:struct|class|enum|actor) (\w+)", path.read_text(), re.MULTILINE):
        for rule in mark[1].split(","):
            suites.setdefault(rule.strip(), set()).add(f"{path.parent.name}.{mark[2]}")

lines, known = [], set()
for line in PAGE.read_text().splitlines():
    row = re.match(r"\| `([\w-]+)` \| (.*) \| (.*?) \|(?: (.*))? \|$", line)
    if row:
        known.add(row[1])
        tests = ", ".join(f"`{suite}`" for suite in sorted(suites.get(row[1], [])))
        if not tests:
            faults.append(f"docs/rules.md: no suite is marked `// Rule: {row[1]}`")
        line = f"| `{row[1]}` | {row[2]} | {row[3]} | {tests} |"
    lines.append(line)
faults += [f"docs/rules.md: no row for the rule {rule} of {', '.join(suites[rule])}" for rule in sorted(set(suites) - known)]

text = "\n".join(lines) + "\n"
if text != PAGE.read_text():
    if "--write" in sys.argv:
        PAGE.write_text(text)
    else:
        faults.append("docs/rules.md: its last column is out of date; run Tests/check-rules.py --write")

for page in [PAGE, ROOT / "docs/architecture.md", *sorted((ROOT / "docs/internals").glob("*.md"))]:
    name = page.relative_to(ROOT)
    for word in sorted(set(re.findall(r"`([\w+/]+\.swift)`", page.read_text()))):
        if pathlib.Path(word).name not in files or ("/" in word and not (ROOT / "Sources" / word).exists()):
            faults.append(f"{name}: file not found: {word}")
    for word in sorted(set(re.findall(r"`((?:\w+)/\w+)`", page.read_text()))):
        if (ROOT / "Sources" / word.split("/")[0]).is_dir() and not (ROOT / "Sources" / word).is_dir():
            faults.append(f"{name}: folder not found: {word}")

print("\n".join(faults) if faults else f"docs/rules.md: {len(known)} rules, each with code and tests")
sys.exit(bool(faults))
