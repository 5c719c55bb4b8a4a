#!/usr/bin/env python3
"""Builds the documentation as a website: the public interface, and the pages of docs/. A warning is an error.

site.py MODULES OUTPUT: the folder with the modules of a build, and the folder that gets the site.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
SWIFT = os.environ.get("SWIFT", "swift")
# A site for each product, with what it re-exports.
PRODUCTS = {
    "Playhead": ["ALSA", "MediaCore", "Network", "PlayheadCore", "PulseAudio", "Sinks"], "PlayheadBackend": [], "PlayheadFeed": [],
    "PlayheadPicker": [], "PlayheadCapture": [], "PlayheadTesting": [], "TerminalSink": [], "WindowSink": [],
    "AVFoundation": ["CoreMedia"], "CoreMedia": [], "MediaPlayer": [],
}


def run(*arguments):
    if subprocess.run([str(argument) for argument in arguments]).returncode != 0:
        sys.exit(f"docs: {arguments[0]} failed")


def target_info():
    return json.loads(subprocess.run([SWIFT, "-print-target-info"], check=True, capture_output=True).stdout)


def extract(module, reexported, modules, triple, output):
    run(
        SWIFT, "symbolgraph-extract", "-module-name", module, "-target", triple, "-I", modules,
        *[word for headers in sorted(ROOT.glob("Sources/C[A-Z]*")) for word in ("-I", headers)],
        "-minimum-access-level", "public", "-skip-synthesized-members", "-skip-inherited-docs",
        *([f"-experimental-allowed-reexported-modules={','.join(reexported)}"] if reexported else []),
        "-output-dir", output,
    )


def anchor(heading):
    """As DocC writes it into an address."""
    return re.sub(r"[^\w]+", "-", heading).strip("-")


def article(page, headings):
    """A page for GitHub's readers as one of DocC's, which has other addresses for pages and headings."""

    def link(match):
        text, name, fragment = match[1], match[2] or page.stem, match[3]
        # GitHub's anchors are in small letters; one that is not there stays, and DocC says so.
        anchors = {anchor(heading).lower(): anchor(heading) for heading in headings[name]}
        return f"[{text}](doc:{name}" + (f"#{anchors.get(fragment, fragment)})" if fragment else ")")

    text = re.sub(r"\]\((?:\.\./)?images/", "](", page.read_text())
    # A page of DocC has a name and no folder.
    return re.sub(
        r"\[([^\]]*)\]\((?=[\w./-]+\.md|#)(?:(?:\.\./|internals/)?([\w-]+)\.md)?(?:#([\w-]+))?\)", link, text
    )


def catalog(folder):
    shutil.copytree(ROOT / "docs/Playhead.docc", folder)
    pages = sorted([*(ROOT / "docs").glob("*.md"), *(ROOT / "docs/internals").glob("*.md")])
    headings = {page.stem: re.findall(r"^#+ (.*)$", page.read_text(), re.MULTILINE) for page in pages}
    for page in pages:
        (folder / page.name).write_text(article(page, headings))
    for picture in (ROOT / "docs/images").iterdir():
        shutil.copy(picture, folder)


modules, output = (pathlib.Path(argument).resolve() for argument in sys.argv[1:])
info = target_info()
docc = shutil.which("docc") or pathlib.Path(info["paths"]["runtimeResourcePath"]).parents[1] / "bin/docc"
with tempfile.TemporaryDirectory() as work:
    work = pathlib.Path(work)
    catalog(work / "Playhead.docc")
    for product, reexported in PRODUCTS.items():
        graphs = work / product
        graphs.mkdir()
        extract(product, reexported, modules, info["target"]["triple"], graphs)
        run(
            docc, "convert", *([work / "Playhead.docc"] if product == "Playhead" else []),
            "--additional-symbol-graph-dir", graphs, "--output-path", work / f"{product}.doccarchive",
            "--warnings-as-errors", "--fallback-display-name", product,
        )
    shutil.rmtree(output, ignore_errors=True)
    output.parent.mkdir(parents=True, exist_ok=True)
    run(docc, "merge", *[work / f"{product}.doccarchive" for product in PRODUCTS], "--output-path", output)

# The site's root is no page of DocC.
index = output / "index.html"
redirect = '<script>if (/^\\/(index\\.html)?$/.test(location.pathname)) location.replace("/documentation/")</script>'
index.write_text(index.read_text().replace("<head>", "<head>" + redirect, 1))
print(f"docs: written to {output}")
print(f"docs: python3 -m http.server --directory {output} 8000, then http://localhost:8000/")
