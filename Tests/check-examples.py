#!/usr/bin/env python3
"""Checks that the code in README.md, docs/sinks.md and docs/testing.md is identical to the files that are compiled.

With the build folder of `swift build` as an argument, it also runs the programs of docs/feeds.md and docs/avfoundation.md with the fixtures, and checks the
contact sheets that they write. FeedDemoTests checks what the programs decide, on a clock that the tests move."""
import concurrent.futures
import pathlib
import re
import struct
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

recipes = (EXAMPLES / "Sources/CookbookDemo/Recipes.swift").read_text()
shown = blocks("docs/cookbook.md") + blocks("docs/frames.md") + blocks("docs/network.md") + [b for b in blocks("docs/sinks.md") if b.startswith("func ")]
faults += [f"docs/cookbook.md, frames.md, network.md or sinks.md: not as in docs/examples: {block.splitlines()[0]}" for block in shown if block not in recipes]
if recipes.count("\nfunc ") != len(shown):
    faults.append(f"docs/cookbook.md, frames.md, network.md and sinks.md show {len(shown)} of {recipes.count(chr(10) + 'func ')} recipes")

codes = re.findall(r"static let (\w+) = Code\(", (ROOT / "Sources/MediaCore/MediaError.swift").read_text())
listed = re.findall(r"^\| `(\w+)` \|", (ROOT / "docs/errors.md").read_text().split("Where errors arrive")[0], re.MULTILINE)
if sorted(codes) != sorted(listed):
    faults.append(f"docs/errors.md: its codes differ from MediaError.Code: {sorted(set(codes) ^ set(listed))}")

if (EXAMPLES / "Sources/SinkDemo/CutFinder.swift").read_text() not in blocks("docs/sinks.md"):
    faults.append("docs/sinks.md: its sink is not docs/examples/Sources/SinkDemo/CutFinder.swift, word for word")

if (ROOT / "docs/debian/Containerfile").read_text() not in (ROOT / "docs/deployment.md").read_text():
    faults.append("docs/deployment.md: its container is not docs/debian/Containerfile, word for word")

FIXTURES = ROOT / "media-fixtures/generated"


def size(png):
    """Returns the width and height of a PNG file."""
    head = png.read_bytes()[:24]
    return struct.unpack(">II", head[16:]) if head[:8] == b"\x89PNG\r\n\x1a\n" else None


def run(built, folder, name, expected, *arguments):
    """Runs a program that shows its clips, and checks the size of its contact sheet and that it is not all of one color."""
    sheet = folder / f"{name}.png"
    result = subprocess.run([built / name, "--sheet", sheet, *arguments], capture_output=True, text=True, timeout=120)
    if result.returncode != 0:
        faults.append(f"{name}: exit status {result.returncode}: {result.stderr.strip()}")
    elif size(sheet) != expected or sheet.stat().st_size < 10_000:
        faults.append(f"{name}: the sheet has {size(sheet)}, {sheet.stat().st_size} bytes, expected {expected}")
    if "cannot be played" in result.stdout:
        faults.append(f"{name}: {result.stdout}")


if len(sys.argv) > 1:
    built = pathlib.Path(sys.argv[1])
    h264, vfr, av1 = (FIXTURES / name for name in ("clip-h264-aac.mp4", "vfr.mp4", "clip-av1-aac.mp4"))
    watch = subprocess.run([built / "WatchDemo", h264], capture_output=True, text=True, timeout=120).stdout
    listing = re.search(r"WatchDemo .*\n(.*?)\.\.\.\n", (ROOT / "docs/watching.md").read_text(), re.DOTALL)
    if not listing or not watch.startswith(listing[1]):
        faults.append(f"docs/watching.md: its listing is not the first lines of WatchDemo:\n{watch}")
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        films = folder / "films"
        films.mkdir()
        store = folder / "store"
        store.mkdir()
        picture = folder / "picture.png"
        subprocess.run([built / "vplay", "snapshot", vfr, "--at", "1", "-o", picture], check=True)
        programs = [
            ("StoryCoverDemo", (7 * 408, 338), h264, vfr),
            ("CellPlayerDemo", (6 * 338, 438), h264, vfr),
            ("ScrollingFeedDemo", (4 * 348, 2 * 428), h264, vfr),
            ("BannerDemo", (4 * 328, 3 * 208), av1, picture, h264),
            ("DownloadFeedDemo", (4 * 348, 408), folder, h264, vfr),
            ("PickerDemo", (4 * 228, 228), folder),
            ("WindowFeedDemo", (7 * 488, 608), h264, vfr),
            ("UIKitStoryCoverDemo", (7 * 398, 348), h264, vfr),
            ("UIKitCellPlayerDemo", (4 * 348, 2 * 428), h264, vfr),
            ("UIKitFeedDemo", (4 * 348, 3 * 428), store, h264, vfr),
            ("UIKitBannerDemo", (3 * 328, 3 * 208), av1, vfr, h264),
            ("UIKitPickerDemo", (7 * 228, 228), films),
        ]
        cook = subprocess.run([built / "CookbookDemo", h264, folder], capture_output=True, text=True, timeout=120)
        expected = "every frame: 90\nsampled frames: 32\naverages: 6\n"
        if cook.returncode != 0 or not cook.stdout.startswith(expected) or not cook.stdout.endswith("played\n"):
            faults.append(f"CookbookDemo: exit status {cook.returncode}: {cook.stdout}{cook.stderr}")
        for name in ("thumbnail.png", "sound.wav", "small.mp4"):
            if not (folder / name).exists() or (folder / name).stat().st_size < 1000:
                faults.append(f"CookbookDemo: {name} is missing or empty")
        # They play in real time, and wait most of the time.
        with concurrent.futures.ThreadPoolExecutor(len(programs)) as pool:
            list(pool.map(lambda program: run(built, folder, *program), programs))

for fault in faults:
    print(fault, file=sys.stderr)
sys.exit(1 if faults else 0)
