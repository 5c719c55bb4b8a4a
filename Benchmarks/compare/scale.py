#!/usr/bin/env python3
"""Compares `vplay` with ffmpeg as whole processes that scale each frame to 320x180 and convert it to rgba.

    scale.py [--vplay PATH] [--docs docs] [--runs 5] FILE ...

The tools alternate, as in compare.py. Writes medians, and the median of the ratios to ffmpeg's run of the same round, to docs/results/scaled.json
and the table in docs/performance.md between its two marks.
"""

import argparse
import json
import pathlib

import compare

BEGIN, END = "<!-- scaled:begin -->", "<!-- scaled:end -->"
FILTER = "scale=320:180,format=rgba"


def table(report):
    here = report["machine"]
    lines = [
        compare.measured(here),
        "",
        *[f"* {name}: {version}" for name, version in here["versions"].items()],
        "",
        f"Medians of {report['runs']} runs each; in brackets the median of the ratios to ffmpeg, run by run.",
        "",
        "| file | tool | wall | CPU | peak memory |",
        "|---|---|---:|---:|---:|",
    ]
    for name, tools in report["files"].items():
        for tool, figures in tools.items():
            cells = [f"{figures[key]['median']:.2f} s ({figures[key].get('ratio', 1):.2f})" for key in ("wall", "cpu")]
            lines.append(f"| {name} | {tool} | {' | '.join(cells)} | {figures['memory']['median']:.0f} MB |")
            name = ""
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--vplay", default=str(compare.ROOT / ".build/release/vplay"))
    parser.add_argument("--docs", type=pathlib.Path, default=compare.ROOT / "docs")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("files", nargs="+", type=pathlib.Path)
    options = parser.parse_args()
    play = "play --untimed --quiet --audio none --size 320x180 --gravity resize --pixel-format rgba --video raw:/dev/null {}"
    tools = {
        "vplay": (options.vplay, "--version", {"scale": play}),
        "ffmpeg": ("ffmpeg", "-version", {"scale": f"-nostdin -v error -i {{}} -map 0:v:0 -vf {FILTER} -f null -"}),
    }
    report = {"machine": compare.machine(tools), "runs": options.runs, "files": {}}
    for file in options.files:
        samples, failures = compare.rounds(file, "scale", tools, options.runs)
        for name, words in failures.items():
            print(f"{file.name}: {name} failed: {words}")
        report["files"][file.name] = compare.summary(samples)
    options.docs.mkdir(exist_ok=True)
    (options.docs / "results/scaled.json").write_text(json.dumps(report, indent=1) + "\n")
    compare.write_page(options.docs / "performance.md", table(report), BEGIN, END)
    print(table(report))


if __name__ == "__main__":
    main()
