#!/usr/bin/env python3
"""Fails if a module that the command links imports more of Foundation than FoundationEssentials: one such import adds 37 MB of
Unicode tables to the command. It fails also if such a module imports a target of this package that its target does not declare:
SwiftPM would not report it, and would not compile the module again after a change of the other one.

The modules are those of Package.swift. Tests/check-size.sh checks the command that was built.
"""
import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SWIFT = os.environ.get("SWIFT", "swift")
IMPORT = re.compile(
    r"^\s*(?:@\w+(?:\([^)]*\))?\s+)*(?:(?:public|package|internal|fileprivate|private)\s+)?import\s+"
    r"(?:(?:struct|class|enum|protocol|func|var|let|typealias)\s+)?(\w+)",
    re.MULTILINE,
)

package = json.loads(
    subprocess.run([SWIFT, "package", "dump-package"], cwd=ROOT, check=True, capture_output=True).stdout
)
targets = {
    target["name"]: [dependency.get("byName", dependency.get("target", [None]))[0] for dependency in target["dependencies"]]
    for target in package["targets"]
}


def closure(name):
    found, pending = set(), [name]
    while pending:
        target = pending.pop()
        if target in targets and target not in found:
            found.add(target)
            pending += targets[target]
    return found


linked = closure("vplay")
faults = []
for target in sorted(linked):
    for path in sorted((ROOT / "Sources" / target).rglob("*.swift")):
        for module in IMPORT.findall(path.read_text()):
            where = f"{path.relative_to(ROOT)}: import of {module}"
            if module.startswith("Foundation") and module != "FoundationEssentials":
                faults.append(f"{where}, but the command links {target}: use FoundationEssentials")
            elif module in targets and module not in targets[target]:
                faults.append(f"{where}, which is not a dependency of {target}")

print("\n".join(faults) if faults else f"check-imports: the {len(linked)} modules of the command import FoundationEssentials at most")
sys.exit(bool(faults))
