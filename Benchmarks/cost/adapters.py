#!/usr/bin/env python3
"""Compares a program through the module AVFoundation with the same program through Playhead: CPU time and peak memory.

    adapters.py [--cost PATH] [--runs 10] [--seconds 20] FILE

Both play FILE in real time, repeatedly, into a composite whose pictures are discarded, with seven observers whose calls are counted. The
programs run in turn, each first in half of the pairs. The medians and the median of the differences of pairs are printed. The aim
is a difference of at most 2 %."""

import argparse
import json
import pathlib
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
KINDS = ["playhead", "avfoundation"]
FIGURES = {"cpuSeconds": ("CPU time", 1000, "ms"), "peakKilobytes": ("peak memory", 1 / 1024, "MB")}


def run(options, kind):
    command = [options.cost, kind, options.file, str(options.seconds)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(command)} failed: {done.stderr.strip()[-300:]}")
    return json.loads(done.stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cost", default=str(ROOT / "Benchmarks/.build/release/AdapterCost"))
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("file")
    options = parser.parse_args()
    # The first runs read the program and the file from the disk.
    for kind in KINDS:
        run(options, kind)
    pairs = []
    for number in range(options.runs):
        pair = {kind: run(options, kind) for kind in (KINDS if number % 2 else KINDS[::-1])}
        pairs.append(pair)
        print("  ".join(f"{kind}: {pair[kind]}" for kind in KINDS), flush=True)
    for figure, (title, factor, unit) in FIGURES.items():
        medians = [statistics.median(pair[kind][figure] for pair in pairs) for kind in KINDS]
        difference = statistics.median(pair[KINDS[1]][figure] / pair[KINDS[0]][figure] - 1 for pair in pairs)
        print(f"{title:12} Playhead {medians[0] * factor:8.1f} {unit}, AVFoundation {medians[1] * factor:8.1f} {unit}, "
              f"median difference of pairs {difference * 100:+.1f} %")


if __name__ == "__main__":
    main()
