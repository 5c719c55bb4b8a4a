#!/usr/bin/env python3
"""Measures how far two processes of `vplay --sync-clock wall` are apart, by the frames that they show.

    wall.py [--vplay PATH] [--seconds 600] [--processes 2] [--load 2] [--audio null] [--json FILE]

Each process plays the same loop of 5 s and writes its frames to a pipe, where the number of each frame is read and the time of its
arrival is noted. At each arrival the frames that the processes show are compared; the largest distance is printed in frames. --load
starts as many `vplay bench` processes, which decode as fast as they can. The first three seconds, in which the processes start, are not
compared. 20 s suffice for a quick check.
"""

import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
WIDTH, HEIGHT, RATE, COUNT, BITS = 128, 32, 25, 125, 8
FRAME = WIDTH * HEIGHT * 3 // 2
START = 3


def make_clip(path):
    """Writes a clip whose frames contain their numbers: 8 blocks of 16 pixels, white for 1."""
    encoder = subprocess.Popen(
        ["ffmpeg", "-v", "error", "-y", "-f", "rawvideo", "-pix_fmt", "yuv420p", "-s", f"{WIDTH}x{HEIGHT}", "-r", str(RATE), "-i", "-",
         "-f", "lavfi", "-t", str(COUNT / RATE), "-i", "sine=frequency=440:sample_rate=48000",
         "-c:v", "libx264", "-g", "25", "-c:a", "pcm_s16le", str(path)], stdin=subprocess.PIPE)
    chroma = bytes([128]) * (WIDTH * HEIGHT // 2)
    for number in range(COUNT):
        row = b"".join(bytes([235 if number >> bit & 1 else 16]) * 16 for bit in range(BITS))
        encoder.stdin.write(row * HEIGHT + chroma)
    encoder.stdin.close()
    if encoder.wait():
        sys.exit("ffmpeg could not create the clip")


class Process:
    """A process and the frames that it has shown."""

    def __init__(self, vplay, clip, audio):
        self.frames, self.text = [], b""
        self.process = subprocess.Popen(
            [vplay, "--sync-clock", "wall", "--video", "raw:-", "--audio", audio, "--quiet", str(clip)],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0)
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def read(self):
        data = b""
        while True:
            piece = self.process.stdout.read(FRAME - len(data))
            if not piece:
                return
            data += piece
            if len(data) == FRAME:
                middle = HEIGHT // 2 * WIDTH
                number = sum(1 << bit for bit in range(BITS) if data[middle + bit * 16 + 8] > 128)
                self.frames.append((time.clock_gettime(time.CLOCK_REALTIME), number))
                data = b""

    def end(self):
        self.process.terminate()
        self.text = self.process.stderr.read()
        self.process.wait()


def distances(all_frames, begin):
    """Returns the distance in frames at each arrival, and the distance from the wall clock at each frame in milliseconds."""
    events = sorted((when, index, number) for index, frames in enumerate(all_frames) for when, number in frames)
    shown, found, late = {}, [], []
    for when, index, number in events:
        shown[index] = number
        wall = when * RATE % COUNT
        offset = (wall - number + COUNT / 2) % COUNT - COUNT / 2
        if when < begin:
            continue
        late.append(offset / RATE * 1000)
        if len(shown) == len(all_frames):
            base = shown[0]
            steps = [(other - base + COUNT // 2) % COUNT - COUNT // 2 for other in shown.values()]
            found.append(max(steps) - min(steps))
    return found, late


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--vplay", default=str(ROOT / ".build/release/vplay"))
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--load", type=int, default=2)
    parser.add_argument("--audio", default="null")
    parser.add_argument("--json")
    arguments = parser.parse_args()
    if not shutil.which("ffmpeg"):
        sys.exit("ffmpeg is required")
    with tempfile.TemporaryDirectory() as folder:
        clip = pathlib.Path(folder) / "numbers.mkv"
        make_clip(clip)
        load = [
            subprocess.Popen(["sh", "-c", f"while :; do {arguments.vplay} bench {clip}; done"],
                             stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
            for _ in range(arguments.load)
        ]
        processes = []
        try:
            for _ in range(arguments.processes):
                processes.append(Process(arguments.vplay, clip, arguments.audio))
                time.sleep(0.37)
            begin = time.clock_gettime(time.CLOCK_REALTIME) + START
            time.sleep(START + arguments.seconds)
        finally:
            for process in processes:
                process.end()
            for process in load:
                os.killpg(process.pid, 15)
    for process in processes:
        if process.text:
            print(process.text.decode(), file=sys.stderr)
    found, late = distances([process.frames for process in processes], begin)
    if not found:
        sys.exit("no frames were shown")
    late.sort()
    shown = [sum(when >= begin for when, _ in process.frames) for process in processes]
    # While one process has shown a frame and the other is about to, they differ by one.
    together = sum(distance == 0 for distance in found) / len(found)
    result = {
        "seconds": arguments.seconds, "processes": arguments.processes, "load": arguments.load, "frames": shown,
        "largest distance in frames": max(found), "arrivals more than one frame apart": sum(distance > 1 for distance in found),
        "arrivals with the same frame": round(together, 3),
        "after the wall clock, ms": {"median": round(late[len(late) // 2], 2), "99 %": round(late[len(late) * 99 // 100], 2),
                                     "largest": round(late[-1], 2), "smallest": round(late[0], 2)},
        "load average": os.getloadavg()[0],
    }
    print(json.dumps(result, indent=2))
    if arguments.json:
        pathlib.Path(arguments.json).write_text(json.dumps(result, indent=2) + "\n")
    sys.exit(0 if max(found) <= 1 else 1)


main()
