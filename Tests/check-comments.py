#!/usr/bin/env python3
"""Fails if a public declaration has no doc comment, or if docs/api.txt does not list exactly the public names, so that a review sees
each change of the interface. The implementation of a protocol requirement inherits its comment.

check-comments.py MODULES [--write]: the folder with the modules of a build (swift build --show-bin-path, and there Modules);
--write updates docs/api.txt.
Reads what the compiler wrote beside the modules, so it builds nothing and takes a second or two.
"""
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
SWIFT = os.environ.get("SWIFT", "swift")
# The products, and the modules that they re-export or use in their public signatures.
MODULES = [
    "ALSA", "MediaCore", "PulseAudio", "Sinks", "Network", "Playhead", "PlayheadBackend", "PlayheadFeed", "PlayheadPicker",
    "PlayheadCapture", "PlayheadCore", "PlayheadTesting", "TerminalSink", "WindowSink", "CoreMedia", "AVFoundation", "MediaPlayer",
]

# Programs import the module that re-exports them.
REEXPORTED = {"PlayheadCore": "Playhead"}


def target():
    info = json.loads(subprocess.run([SWIFT, "-print-target-info"], check=True, capture_output=True).stdout)
    return info["target"]["triple"]


def extract(module, modules, triple, output):
    subprocess.run(
        [SWIFT, "symbolgraph-extract", "-module-name", module, "-target", triple, "-I", modules]
        + [word for headers in sorted(ROOT.glob("Sources/C[A-Z]*")) for word in ("-I", headers)]
        + ["-minimum-access-level", "public", "-skip-synthesized-members", "-output-dir", output],
        check=True,
    )


def place(symbol):
    """Returns file:line if the compiler reports a location."""
    location = symbol.get("location")
    if location is None:
        return symbol["identifier"]["precise"]
    path = pathlib.Path(location["uri"].removeprefix("file://"))
    path = path.relative_to(ROOT) if path.is_relative_to(ROOT) else path
    return f"{path}:{location['position']['line'] + 1}"


modules = pathlib.Path(sys.argv[1])
missing = []
names = set()
total = 0
with tempfile.TemporaryDirectory() as output:
    triple = target()
    with concurrent.futures.ThreadPoolExecutor() as pool:
        list(pool.map(lambda module: extract(module, modules, triple, output), MODULES))
    for module in MODULES:
        # An extension of another module's type lies in a file of its own: Playhead@MediaCore.symbols.json.
        graphs = sorted(pathlib.Path(output).glob(f"{module}[.@]*json"))
        symbols = [symbol for graph in graphs for symbol in json.loads(graph.read_text())["symbols"]]
        if not symbols:
            sys.exit(f"check-comments: there is nothing public in {module}")
        total += len(symbols)
        listed = REEXPORTED.get(module, module)
        names |= {f"{listed} {'.'.join(s['pathComponents'])}" for s in symbols if s["kind"]["identifier"] != "swift.extension"}
        missing += [(place(s), ".".join(s["pathComponents"])) for s in symbols if "docComment" not in s]

for where, name in sorted(missing):
    print(f"{where}: no doc comment: {name}", file=sys.stderr)
if missing:
    sys.exit(f"check-comments: {len(missing)} of {total} public declarations have no doc comment")
print(f"check-comments: all {total} public declarations have a doc comment")

api = ROOT / "docs/api.txt"
if "--write" in sys.argv:
    api.write_text("".join(f"{name}\n" for name in sorted(names)))
written = set(api.read_text().splitlines())
for name in sorted(names ^ written):
    print(f"docs/api.txt: {'missing' if name in names else 'no longer public'}: {name}", file=sys.stderr)
if names != written:
    sys.exit("docs/api.txt differs from the public names; python3 Tests/check-comments.py MODULES --write updates it")
