#!/usr/bin/env python3
"""Plays a list and a single clip in a loop for 24 h of the virtual clock, and checks that the process does not grow.

Usage: check-laps.py VPLAY [HOURS]

Memory, threads and descriptors are printed ten times; at the end they must be what they were after the first 100 passes. The clips of 10 s
are generated with ffmpeg.
"""
import subprocess
import sys
import tempfile
import time

import growth

FIRST = 100
LENGTH = 10
MEMORY_TOLERANCE = 8  # MiB, for heaps that are fragmented.


def run(vplay, hours, clips, log):
    command = [vplay, "--untimed", "--loop", "--duration", str(hours * 3600), "--events", "text", "--video", "null", "--audio", "null", "--play-log", log]
    process = subprocess.Popen([*command, *clips], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    begin, passes, expected, first, last = time.monotonic(), 0, hours * 3600 // LENGTH, None, None
    for line in process.stdout:
        if "didPlayToEndTime" not in line:
            continue
        passes += 1
        if passes == FIRST or passes % max(1, expected // 10) == 0 and passes < expected:
            last = growth.facts(process.pid)
            first = first or (last if passes >= FIRST else None)
            print(f"{time.monotonic() - begin:.0f} s: {passes} passes, {last[0]} MiB, {last[1]} threads, {last[2]} descriptors", flush=True)
    status, errors = process.wait(), process.stderr.read()
    faults = [] if status == 0 and not errors else [f"exit status {status}: {errors}"]
    # The last end may be that of --duration.
    if abs(passes - expected) > 1:
        faults.append(f"{passes} passes, expected {expected}")
    if first:
        faults += growth.growth(first, last, (MEMORY_TOLERANCE, 2, 2), f"after {FIRST} passes")
    return faults


def main(vplay, hours):
    with tempfile.TemporaryDirectory() as folder:
        clips = []
        for number, codec in enumerate(("libx264", "mpeg4")):
            clips.append(f"{folder}/{number}.mkv")
            source = ["-f", "lavfi", "-i", "testsrc=s=64x36:r=5", "-f", "lavfi", "-i", "sine=r=8000", "-t", str(LENGTH), "-c:v", codec, "-c:a", "pcm_s16le"]
            subprocess.run(["ffmpeg", "-nostdin", "-v", "error", *source, clips[-1]], check=True)
        faults = []
        for name, inputs in (("a list", clips), ("a single clip", clips[:1])):
            print(f"{name}, {hours} h", flush=True)
            faults += [f"{name}: {fault}" for fault in run(vplay, hours, inputs, f"{folder}/log")]
    for fault in faults:
        print(fault, file=sys.stderr)
    sys.exit(1 if faults else 0)


if len(sys.argv) < 2:
    sys.exit(__doc__)
main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 24)
