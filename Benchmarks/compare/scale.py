#!/usr/bin/env python3
"""Compares `vplay` with ffmpeg where each picture is scaled to 320x180 and made rgba, as whole processes.

    scale.py [--vplay PATH] [--runs 5] FILE ...

In turns, as compare.py does it; prints medians and the median of the ratios to ffmpeg's run of the same round.
"""

import argparse
import pathlib

from compare import ROOT, rounds, summary

FILTER = "scale=320:180,format=rgba"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--vplay", default=str(ROOT / ".build/release/vplay"))
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("files", nargs="+", type=pathlib.Path)
    options = parser.parse_args()
    play = "play --untimed --quiet --audio none --size 320x180 --gravity resize --pixel-format rgba --video raw:/dev/null {}"
    tools = {
        "vplay": (options.vplay, "--version", {"scale": play}),
        "ffmpeg": ("ffmpeg", "-version", {"scale": f"-nostdin -v error -i {{}} -map 0:v:0 -vf {FILTER} -f null -"}),
    }
    for file in options.files:
        samples, failures = rounds(file, "scale", tools, options.runs)
        for name, words in failures.items():
            print(f"{file.name}: {name} failed: {words}")
        for name, figures in summary(samples).items():
            words = [f"{key} {figures[key]['median']:.2f} s ({figures[key].get('ratio', 1):.2f})" for key in ("wall", "cpu")]
            print(f"{file.name}: {name}: {', '.join(words)}, memory {figures['memory']['median']:.0f} MB", flush=True)


if __name__ == "__main__":
    main()
