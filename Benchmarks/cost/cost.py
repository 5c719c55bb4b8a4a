#!/usr/bin/env python3
"""Measures the cost of the engine for 1,000 video frames with audio. It plays a script, without codecs and image data.

    cost.py [--cost PATH] [--times 15] [--docs docs]

It reports CPU time (user and system, the median and the minimum of several runs), and instructions, which valgrind counts if it is
installed. Instruction counts vary by a thousandth at most, so they show small changes. On the machine's clock frames are due at 100
per second, and the number of thread suspensions is reported, too. With --docs it rewrites the table in docs/performance.md between its
two marks.
"""

import argparse
import json
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Benchmarks" / "compare"))
import compare  # noqa: E402

BEGIN, END = "<!-- cost:begin -->", "<!-- cost:end -->"
FRAMES = 1000
PLAY = "$s12BenchmarkKit16ScriptedPlaybackC4playSbyF"
MODES = {"virtual": "virtual clock", "real-time": "rules of real time, one thread", "machine": "the machine's clock, all threads"}


def run(command, **options):
    done = subprocess.run(command, capture_output=True, text=True, **options)
    if done.returncode:
        sys.exit(f"{' '.join(command)} failed: {done.stderr.strip()[-300:]}")
    return done


def times(cost, mode, count):
    count = 1 if mode == "machine" else count
    # The first run is slower, because all code and memory is touched for the first time.
    lines = run([cost, mode, str(FRAMES), str(count + 1 if count > 1 else 1)]).stdout.splitlines()
    runs = [json.loads(line) for line in lines][count > 1:]
    seconds = [run["cpuSeconds"] for run in runs]
    return {"cpu": statistics.median(seconds), "least": min(seconds), "waits": runs[-1]["waits"]}


def instructions(cost, mode):
    """Counts the instructions of playback, without opening and teardown."""
    if mode == "machine" or not shutil.which("valgrind"):
        return None
    # Debian 12's valgrind cannot read the compiler's debug information. The names of functions are enough.
    with tempfile.TemporaryDirectory() as folder:
        plain = os.path.join(folder, "EngineCost")
        run(["strip", "--strip-debug", "-o", plain, cost])
        command = ["valgrind", "--tool=callgrind", f"--toggle-collect={PLAY}", "--callgrind-out-file=/dev/null", plain, mode, str(FRAMES)]
        done = run(command, env=dict(os.environ, SWIFT_DETERMINISTIC_HASHING="1"))
    return int(re.search(r"Collected : (\d+)", done.stderr)[1])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cost", default=str(ROOT / "Benchmarks/.build/release/EngineCost"))
    parser.add_argument("--times", type=int, default=15)
    parser.add_argument("--docs", type=pathlib.Path)
    options = parser.parse_args()
    if not shutil.which(options.cost):
        parser.error(f"{options.cost} is not here; build it first: make bench")
    here = compare.machine({})
    lines = [
        f"{compare.measured(here)} Commit {compare.commit()}.",
        "",
        f"| {FRAMES} frames | CPU time | least | instructions | times a thread slept |",
        "|---|---:|---:|---:|---:|",
    ]
    for mode, title in MODES.items():
        result, count = times(options.cost, mode, options.times), instructions(options.cost, mode)
        counted = f"{count / 1e6:.2f} million" if count else ""
        waits = str(result["waits"]) if mode == "machine" else ""
        print(f"{title:34} {result['cpu'] * 1000:7.2f} ms CPU, least {result['least'] * 1000:7.2f} ms  "
              + (f"{counted} instructions" if counted else "") + (f"{waits} waits" if waits else ""), flush=True)
        lines.append(f"| {title} | {result['cpu'] * 1000:.1f} ms | {result['least'] * 1000:.1f} ms | {counted} | {waits} |")
    if options.docs:
        compare.write_page(options.docs / "performance.md", "\n".join(lines), BEGIN, END)


if __name__ == "__main__":
    main()
