#!/usr/bin/env python3
"""Plays each file many times under load, and checks that events, frames and audio are the same each time.

Usage: check-determinism.py VPLAY RUNS FILE-OR-FOLDER...

Each run plays a file with --untimed and writes its events, the MD5 of each frame and its samples; --seconds of media at most (default 10).
Four processes run at a time, which is more than most machines have cores, so that threads are interrupted everywhere. A file whose runs differ is
named with the first line that does, and with the number of runs that differ from the first one. RUNS are counted for each file.
"""
import argparse
import concurrent.futures
import hashlib
import pathlib
import subprocess
import sys
import tempfile
import time

PARALLEL = 4
LONGEST = 120  # Seconds, after which a run hangs.


def play(vplay, path, seconds):
    """Returns the lines of a run: its events, its frames, its samples, its messages and its exit status."""
    with tempfile.TemporaryDirectory() as folder:
        frames, samples = pathlib.Path(folder, "frames"), pathlib.Path(folder, "samples.wav")
        command = [vplay, "--untimed", "--no-config", "--verbose", "--events", "text", "--duration", str(seconds),
                   "--video", f"framemd5:{frames}", "--audio", f"wav:{samples}", path]
        try:
            done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=LONGEST)
        except subprocess.TimeoutExpired:
            return ["did not end"]
        lines = done.stdout.decode(errors="replace").splitlines()
        if frames.exists():
            lines += frames.read_text().splitlines()
        lines.append(f"samples {hashlib.md5(samples.read_bytes()).hexdigest() if samples.exists() else None}")
        messages = done.stderr.decode(errors="replace").replace(folder, "")
        return [*lines, *messages.splitlines(), f"exit status {done.returncode}"]


def first_difference(one, other):
    for a, b in zip(one, other):
        if a != b:
            return a, b
    return f"{len(one)} lines", f"{len(other)} lines"


def files(names):
    for name in map(pathlib.Path, names):
        found = sorted(path for path in name.rglob("*") if path.is_file()) if name.is_dir() else [name]
        yield from map(str, found)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("vplay")
    parser.add_argument("runs", type=int)
    parser.add_argument("files", nargs="+")
    parser.add_argument("--seconds", type=float, default=10)
    arguments = parser.parse_args()
    begin, played, skipped, different = time.monotonic(), 0, 0, []
    with concurrent.futures.ThreadPoolExecutor(PARALLEL) as pool:
        for path in files(arguments.files):
            first = play(arguments.vplay, path, arguments.seconds)
            # Files without media are not inputs.
            if not any("didPlayToEndTime" in line or line.startswith("0,") for line in first):
                skipped += 1
                continue
            played += 1
            runs = pool.map(lambda _: play(arguments.vplay, path, arguments.seconds), range(arguments.runs - 1))
            others = [run for run in runs if run != first]
            if others:
                different.append(path)
                a, b = first_difference(first, others[0])
                print(f"{path}: {len(others)} of {arguments.runs} runs differ from the first one: {a!r}, {b!r}", flush=True)
    print(f"check-determinism: {played} files, {arguments.runs} runs each, {len(different)} with runs that differ, "
          f"{skipped} files are not media, {time.monotonic() - begin:.0f} s")
    sys.exit(1 if different else 0)


main()
