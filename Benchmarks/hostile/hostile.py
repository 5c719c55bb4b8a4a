#!/usr/bin/env python3
"""Plays broken files, and intact files with changed bytes, and measures the time until the result and the peak memory.

    hostile.py [--vplay PATH] [--changed 40] [--seed 1] [--seconds 2] [--megabytes 100] FILE|FOLDER ...

Each file is probed and then played with --untimed and without output. The seed determines the changes in each copy: bits, runs of
zeros, lengths of boxes, and the point of truncation. Exits with status 1 if probing a file takes longer than --seconds, if probing or
playing it takes more than --megabytes, or if it terminates the program by a signal.
"""

import argparse
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import time


def run(command, limit):
    """Returns seconds, megabytes, and the exit status, which is None for a process that had to be killed."""
    begin = time.monotonic()
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while True:
        pid, status, usage = os.wait4(process.pid, os.WNOHANG)
        seconds = time.monotonic() - begin
        if pid:
            process.returncode = os.waitstatus_to_exitcode(status)
            return seconds, usage.ru_maxrss / 1024, process.returncode
        if seconds > limit:
            process.kill()
            usage = os.wait4(process.pid, 0)[2]
            process.returncode = -9
            return seconds, usage.ru_maxrss / 1024, None
        time.sleep(0.002)


def changed(data, draw):
    data = bytearray(data)
    for _ in range(draw.choice([1, 3, 10, 100])):
        place = draw.randrange(len(data))
        kind = draw.randrange(4)
        if kind == 0:
            data[place] ^= 1 << draw.randrange(8)
        elif kind == 1:
            data[place : place + draw.randrange(1, 64)] = bytes(draw.randrange(1, 64))
        elif kind == 2:
            data[place : place + 4] = draw.choice([0, 1, 7, 0x7FFFFFFF, 0xFFFFFFFF]).to_bytes(4, "big")
        else:
            head = draw.randrange(min(len(data), 4096))
            data[head] = draw.randrange(256)
    if draw.random() < 0.3:
        del data[draw.randrange(1, len(data)) :]
    return bytes(data)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--vplay", default=".build/release/vplay")
    parser.add_argument("--changed", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=2)
    parser.add_argument("--megabytes", type=float, default=100)
    parser.add_argument("--limit", type=float, default=60)
    parser.add_argument("inputs", nargs="+", type=pathlib.Path)
    options = parser.parse_args()
    files = []
    for path in options.inputs:
        files += sorted(p for p in path.rglob("*") if p.is_file()) if path.is_dir() else [path]
    draw = random.Random(options.seed)
    found, bad = [], 0
    with tempfile.TemporaryDirectory() as folder:
        cases = [(path.name, path) for path in files]
        whole = [path for path in files if 1000 < path.stat().st_size < 4 << 20]
        for number in range(options.changed if whole else 0):
            source = draw.choice(whole)
            copy = pathlib.Path(folder) / f"{number}{source.suffix}"
            copy.write_bytes(changed(source.read_bytes(), draw))
            cases.append((f"{source.name}, changed {number}", copy))
        for name, path in cases:
            probe = run([options.vplay, "probe", str(path)], options.limit)
            play = run([options.vplay, "--untimed", "--muted", "--video", "null", str(path)], options.limit)
            memory = max(probe[1], play[1])
            found.append((probe[0], memory))
            faults = []
            if probe[0] > options.seconds:
                faults.append(f"probing took {probe[0]:.2f} s")
            if memory > options.megabytes:
                faults.append(f"{memory:.0f} MB")
            for what, result in (("probe", probe), ("play", play)):
                if result[2] is None or result[2] < 0 or result[2] >= 128:
                    faults.append(f"{what} ended with {result[2]} after {result[0]:.1f} s")
            if faults:
                bad += 1
                print(f"{name}: {'; '.join(faults)}", flush=True)
    times = sorted(seconds for seconds, _ in found)
    print(
        f"{len(found)} files: verdict within {times[-1]:.2f} s (median {times[len(times) // 2]:.2f} s), "
        f"peak {max(memory for _, memory in found):.0f} MB; {bad} beyond the bounds"
    )
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
