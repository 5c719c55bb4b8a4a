#!/usr/bin/env python3
"""Checks that the code in README.md, docs/sinks.md and docs/testing.md is identical to the files that are compiled.

With the build folder of `swift build` as an argument, it also runs the programs of docs/feeds.md with the fixtures, and compares their
output with docs/examples/expected; `--write` as a second argument updates these files."""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

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

snippets = (EXAMPLES / "Sources/SnippetDemo/main.swift").read_text()
*shown, _, _ = blocks("README.md")
faults += [f"README.md: not as in docs/examples: {block.splitlines()[0]}" for block in shown if block not in snippets]
faults += [f"README.md: a snippet of more than five lines: {block.splitlines()[0]}" for block in shown if block.count("\n") > 5]
if len(shown) != 5:
    faults.append(f"README.md: expected five snippets, not {len(shown)}")

if (EXAMPLES / "Sources/SinkDemo/CutFinder.swift").read_text() not in blocks("docs/sinks.md"):
    faults.append("docs/sinks.md: its sink is not docs/examples/Sources/SinkDemo/CutFinder.swift, word for word")

FIXTURES = ROOT / "media-fixtures/generated"


def run(built, name, *arguments):
    result = subprocess.run([built / name, *arguments], capture_output=True, text=True, timeout=120)
    if result.returncode != 0:
        faults.append(f"{name}: exit status {result.returncode}: {result.stderr.strip()}")
        return
    expected = EXAMPLES / f"expected/{name}.txt"
    if "--write" in sys.argv:
        expected.write_text(result.stdout)
    elif not expected.exists() or expected.read_text() != result.stdout:
        faults.append(f"{name}: its output differs from {expected.relative_to(ROOT)}:\n{result.stdout}")


if len(sys.argv) > 1:
    built = pathlib.Path(sys.argv[1])
    h264, vfr = FIXTURES / "clip-h264-aac.mp4", FIXTURES / "vfr.mp4"
    av1, tone = FIXTURES / "clip-av1-aac.mp4", FIXTURES / "tone-44100.mp3"
    with tempfile.TemporaryDirectory() as folder:
        picture = pathlib.Path(folder) / "picture.png"
        subprocess.run([built / "vplay", "snapshot", vfr, "--at", "1", "-o", picture], check=True)
        watch = subprocess.run([built / "WatchDemo", h264], capture_output=True, text=True, timeout=120).stdout
        listing = re.search(r"WatchDemo .*\n(.*?)\.\.\.\n", (ROOT / "docs/watching.md").read_text(), re.DOTALL)
        if not listing or not watch.startswith(listing[1]):
            faults.append(f"docs/watching.md: its listing is not the first lines of WatchDemo:\n{watch}")
        run(built, "StoryCoverDemo", h264, vfr)
        run(built, "CellPlayerDemo", h264, vfr)
        run(built, "BannerDemo", av1, picture, h264)
        run(built, "ScrollingFeedDemo", folder, h264, vfr)
        steps = sorted(pathlib.Path(folder).glob("step-*.png"))
        if len(steps) != 8 or any(step.read_bytes()[:4] != b"\x89PNG" for step in steps):
            faults.append(f"ScrollingFeedDemo: expected 8 pictures, there are {len(steps)}")
        run(built, "DownloadFeedDemo", folder, h264, vfr)
        media = pathlib.Path(folder) / "media"
        media.mkdir()
        # Their names lie where they can: the bytes tell.
        files = {"clip2.mp4": h264, "clip10.mp4": vfr, "clip1.dat": av1, "tone": tone, "cover.png": picture}
        for name, source in files.items():
            shutil.copy(source, media / name)
        for name in ("notes.mp4", ".hidden.mp4"):
            (media / name).write_text("no media\n")
        run(built, "PickerDemo", folder, media)
        for name in ("fit.png", "fill.png"):
            if (pathlib.Path(folder) / name).read_bytes()[:4] != b"\x89PNG":
                faults.append(f"PickerDemo: {name} is no picture")

for fault in faults:
    print(fault, file=sys.stderr)
sys.exit(1 if faults else 0)
