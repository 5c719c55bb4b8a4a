#!/usr/bin/env python3
"""Checks that every block of Swift in the pages and documentation comments is a part of a file in docs/examples, which `make lint` compiles.

With the build folder of `swift build` as an argument, it also runs the programs of docs/feeds.md and docs/avfoundation.md with the fixtures, and checks the
contact sheets that they write. FeedDemoTests checks what the programs decide, on a clock that the tests move."""
import concurrent.futures
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import textwrap

ROOT = pathlib.Path(__file__).resolve().parent.parent
EXAMPLES = ROOT / "docs/examples"
PAGES = sorted(
    page.relative_to(ROOT).as_posix()
    for pattern in ("*.md", "docs/*.md", "docs/internals/*.md", "docs/*.docc/*.md", "Tests/*/*.md", "media-fixtures/*.md")
    for page in ROOT.glob(pattern)
)
FENCED = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
# Code in a documentation comment: the lines with four more spaces after an empty one.
COMMENTED = re.compile(r"^ *///\n((?: *///     .*\n)(?: *///(?:     .*)?\n)*)", re.MULTILINE)
# Blocks that are not compiled, by file and beginning: a manifest and parts of manifests. `make readme` builds the one of README.md.
NOT_COMPILED = (
    ("README.md", "// swift-tools-version: "),
    ("docs/avfoundation.md", ".executableTarget("),
    ("docs/avfoundation.md", ".package("),
    ("docs/testing.md", ".testTarget("),
    # A diagram.
    ("Sources/PlaybackEngine/ItemPipeline/DecoderFactory.swift", "video:  "),
)


def blocks(page):
    return [code for language, code in FENCED.findall((ROOT / page).read_text()) if language == "swift"]


def is_compiled(block, examples):
    """Whether an example contains the lines of a block, at the top level or as the body of a function."""
    return any("\n" + textwrap.indent(block, margin) in code for margin in ("", "    ") for code in examples)


faults = []

examples = ["\n" + file.read_text() for folder in ("Sources", "Tests") for file in sorted(EXAMPLES.glob(f"{folder}/*/*.swift"))]
unused = set(NOT_COMPILED)


def check(file, line, block):
    """Reports a block of Swift that no example contains."""
    exceptions = {(name, start) for name, start in NOT_COMPILED if file == name and block.startswith(start)}
    unused.difference_update(exceptions)
    if not exceptions and not is_compiled(block, examples):
        faults.append(f"{file}:{line}: not as in docs/examples: {block.splitlines()[0]}")


def line_of(text, position):
    return text.count("\n", 0, position) + 1


for page in PAGES:
    text = (ROOT / page).read_text()
    for match in FENCED.finditer(text):
        if match[1] == "swift":
            check(page, line_of(text, match.start(2)), match[2])
    # Swift belongs into a block that is marked as such. Blocks keep their line breaks, for the numbers of the lines.
    prose = FENCED.sub(lambda match: "\n" * match[0].count("\n"), text)
    for match in re.finditer(r"^ {4}(?:import \w|(?:let|var|typealias) \w.* = |func \w|try |@\w+ |\.\w+\().*$", prose, re.MULTILINE):
        faults.append(f"{page}:{line_of(prose, match.start())}: Swift outside of ```swift: {match[0].strip()}")
for file in sorted((ROOT / "Sources").rglob("*.swift")):
    text = file.read_text()
    for match in re.finditer(r"^ */// ```swift$", text, re.MULTILINE):
        faults.append(f"{file.relative_to(ROOT)}:{line_of(text, match.start())}: code in a comment is indented, not fenced")
    for match in COMMENTED.finditer(text):
        block = textwrap.dedent(re.sub(r"^ */// ?", "", match[1], flags=re.MULTILINE)).rstrip() + "\n"
        check(file.relative_to(ROOT).as_posix(), line_of(text, match.start(1)), block)
faults += [f"{file}: no block begins with {start}: remove it from NOT_COMPILED" for file, start in sorted(unused)]

# Both manifests name each example: one for `make lint`, one for `swift run --package-path docs/examples`.
for manifest in (ROOT / "Package.swift", EXAMPLES / "Package.swift"):
    names = set(re.findall(r'"(\w+)"', manifest.read_text()))
    for folder in sorted(EXAMPLES.glob("Sources/*/")) + sorted(EXAMPLES.glob("Tests/*/")):
        if folder.name not in names:
            faults.append(f"{manifest.relative_to(ROOT)}: there is no target {folder.name}")

for page, example in (
    ("README.md", "PlayDemo/main.swift"),
    ("docs/avfoundation.md", "AVFoundationDemo/main.swift"),
    ("docs/sinks.md", "SinkDemo/CutFinder.swift"),
):
    if (EXAMPLES / "Sources" / example).read_text() not in blocks(page):
        faults.append(f"{page}: it does not contain docs/examples/Sources/{example}, word for word")

*shown, _, _ = blocks("README.md")
faults += [f"README.md: a snippet of more than five lines: {block.splitlines()[0]}" for block in shown if block.count("\n") > 5]
if len(shown) != 5:
    faults.append(f"README.md: expected five snippets, not {len(shown)}")

# Each recipe is shown once.
recipes = (EXAMPLES / "Sources/CookbookDemo/Recipes.swift").read_text()
shown = [block for page in ("cookbook", "frames", "network", "sinks") for block in blocks(f"docs/{page}.md") if block in recipes]
if recipes.count("\nfunc ") != len(shown):
    faults.append(f"docs/cookbook.md, frames.md, network.md and sinks.md show {len(shown)} of {recipes.count(chr(10) + 'func ')} recipes")

codes = re.findall(r"static let (\w+) = Code\(", (ROOT / "Sources/MediaCore/MediaError.swift").read_text())
listed = re.findall(r"^\| `(\w+)` \|", (ROOT / "docs/errors.md").read_text().split("Where errors arrive")[0], re.MULTILINE)
if sorted(codes) != sorted(listed):
    faults.append(f"docs/errors.md: its codes differ from MediaError.Code: {sorted(set(codes) ^ set(listed))}")

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
