#!/usr/bin/env python3
"""Plays a followed folder in which a file of 0.2 s appears and one disappears every 0.2 s, and checks that the process does not grow.

Usage: check-watch.py VPLAY [COUNT]

COUNT files (10,000 by default) take at least 0.2 s each. Every hundredth is no media. Memory, threads and descriptors are printed ten times;
at the end they must be what they were after the first 100 files. The clip is generated with ffmpeg.
"""
import pathlib
import signal
import subprocess
import sys
import tempfile
import threading
import time

import growth

PRESENT = 20  # The number of files in the folder.
FIRST = 100
MEMORY_TOLERANCE = 16  # MiB, for heaps that are fragmented.


class Player:
    def __init__(self, vplay, folder):
        command = [vplay, "--video", "null", "--audio", "null", "--events", "text", "--watch", str(folder)]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.played, self.errors = 0, []
        for stream, handle in ((self.process.stdout, self.event), (self.process.stderr, self.errors.append)):
            threading.Thread(target=lambda stream=stream, handle=handle: [handle(line) for line in stream] and None, daemon=True).start()

    def event(self, line):
        self.played += "didPlayToEndTime" in line


def main(vplay, count):
    with tempfile.TemporaryDirectory() as name:
        folder, clip = pathlib.Path(name) / "watched", pathlib.Path(name) / "clip.mp4"
        folder.mkdir()
        source = ["-f", "lavfi", "-i", "testsrc=s=160x90:r=25", "-t", "0.2"]
        subprocess.run(["ffmpeg", "-nostdin", "-v", "error", *source, str(clip)], check=True)
        media = clip.read_bytes()
        player, first, faults = Player(vplay, folder), None, []
        begin = time.monotonic()
        for number in range(count):
            # A file is copied under a hidden name and renamed, as rsync does.
            part = folder / f".{number}"
            part.write_bytes(b"no media" if number % 100 == 50 else media)
            part.rename(folder / f"{number:06}.mp4")
            if number >= PRESENT:
                (folder / f"{number - PRESENT:06}.mp4").unlink()
            time.sleep(0.2)
            if player.process.poll() is not None:
                sys.exit(f"vplay has ended: {player.process.returncode}, {''.join(player.errors[-5:])}")
            if number + 1 == FIRST or (number + 1) % max(1, count // 10) == 0:
                facts = growth.facts(player.process.pid)
                first = first or (facts if number + 1 >= FIRST else None)
                print(f"{time.monotonic() - begin:.0f} s: {number + 1} files, {player.played} passes, {facts[0]} MiB, {facts[1]} threads, {facts[2]} descriptors", flush=True)
        player.process.send_signal(signal.SIGTERM)
        status = player.process.wait(30)
        if first:
            faults += growth.growth(first, facts, (MEMORY_TOLERANCE, 2, 4), f"after {FIRST} files")
        if status != 128 + signal.SIGTERM and status != -signal.SIGTERM:
            faults.append(f"exit status {status}")
        other = [line for line in player.errors if "not a media file" not in line]
        if other:
            faults.append(f"{len(other)} messages, such as {other[0]!r}")
        if player.played < count // 2:
            faults.append(f"only {player.played} passes")
    for fault in faults:
        print(fault, file=sys.stderr)
    sys.exit(1 if faults else 0)


if len(sys.argv) < 2:
    sys.exit(__doc__)
main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 10_000)
