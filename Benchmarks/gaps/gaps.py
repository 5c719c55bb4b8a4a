#!/usr/bin/env python3
"""Measures the longest time without a new frame between items of `vplay`, and while clients control it, in real time.

    gaps.py [--vplay PATH] [--laps 3]

`vplay` writes frames through a pipe, where their times of arrival are noted, and is controlled through its socket. The clips, which the
script creates, show a frame each 40 ms, and a still image is one frame of 1 s. The table has, for each kind of transition, how much longer than
that the longest interval between two frames was, and in how many whole frames of 40 ms the screen showed nothing new. No sink removes the last frame, so a screen is never empty; a
late frame is the machine's load.
"""

import argparse
import json
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
WIDTH, HEIGHT = 64, 36
FRAME = WIDTH * HEIGHT * 3 // 2
VIDEO, STILL = 0.04, 1.0  # The durations of frames in seconds.


def make(folder):
    clips = {}
    kinds = {"h264": ["libx264", "yuv420p", "320x180"], "vp9": ["libvpx-vp9", "yuv420p", "640x360"],
             "h264-444": ["libx264", "yuv444p", "176x144"], "mpeg4": ["mpeg4", "yuv420p", "352x288"]}
    for name, (codec, pixels, size) in kinds.items():
        path = folder / f"{name}.mkv"
        subprocess.run(
            ["ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", f"testsrc=size={size}:rate=25:duration=2", "-c:v", codec,
             "-pix_fmt", pixels, "-g", "25", "-deadline", "realtime", str(path)] if codec == "libvpx-vp9" else
            ["ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", f"testsrc=size={size}:rate=25:duration=2", "-c:v", codec,
             "-pix_fmt", pixels, "-g", "25", str(path)], check=True)
        clips[name] = str(path)
    for name, source in (("png", "testsrc=size=320x180"), ("jpg", "smptebars=size=640x360")):
        clips[name] = str(folder / f"still.{name}")
        subprocess.run(["ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", source, "-frames:v", "1", clips[name]], check=True)
    broken = folder / "broken.mkv"
    broken.write_bytes(b"not a video" * 100)
    clips["broken"] = str(broken)
    return clips


class Run:
    """A run of vplay with the arrival times of its frames."""

    def __init__(self, vplay, folder, inputs, options=()):
        self.socket_path = str(folder / "socket")
        self.times = []
        self.process = subprocess.Popen(
            [vplay, "--video", "raw:-", "--size", f"{WIDTH}x{HEIGHT}", "--pixel-format", "yuv420p", "--audio", "none", "--quiet",
             f"--input-ipc-server={self.socket_path}", *options, *inputs],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, bufsize=0)
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def read(self):
        size = 0
        while True:
            piece = self.process.stdout.read(FRAME - size)
            if not piece:
                return
            size += len(piece)
            if size == FRAME:
                self.times.append(time.monotonic())
                size = 0

    def connect(self):
        deadline = time.monotonic() + 10
        while not os.path.exists(self.socket_path) and time.monotonic() < deadline:
            time.sleep(0.02)
        connection = socket.socket(socket.AF_UNIX)
        connection.connect(self.socket_path)
        return connection

    def command(self, *words):
        with self.connect() as connection:
            connection.sendall(line(*words))
            connection.recv(4096)

    def crowd(self, count, seconds):
        """Connects `count` clients one after another: some ask and read, some leave without reading, some in the middle of a line. Another
        one observes all that changes and never reads."""
        with self.connect() as deaf:
            for number, name in enumerate(("time-pos", "percent-pos", "playback-time", "time-remaining", "playlist", "track-list")):
                deaf.sendall(line("observe_property", number + 1, name))
            for number in range(count):
                with self.connect() as connection:
                    request = line("get_property", "playlist")
                    connection.sendall(request[: len(request) // 2] if number % 3 == 2 else request)
                    if number % 3 == 0:
                        connection.recv(4096)
                time.sleep(seconds / count)

    def end(self):
        self.process.terminate()
        self.process.wait()
        self.reader.join()
        return self.times


def line(*words):
    return (json.dumps({"command": words}) + "\n").encode()


def excess(times):
    """Returns the longest delay of a frame in milliseconds. An interval nearer to that of a still image than to that of video is one."""
    intervals = [b - a for a, b in zip(times, times[1:])]
    return max(0, *(interval - (STILL if interval > (STILL + VIDEO) / 2 else VIDEO) for interval in intervals)) * 1000


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--vplay", default=str(ROOT / ".build/release/vplay"))
    parser.add_argument("--laps", type=int, default=3)
    arguments = parser.parse_args()
    if not shutil.which("ffmpeg"):
        sys.exit("ffmpeg is required")
    rows = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        clips = make(folder)

        def measure(words, inputs, seconds, interrupts=(), options=("--loop", "--image-duration", str(STILL)), clients=0):
            run = Run(arguments.vplay, folder, inputs, options)
            for _ in range(arguments.laps):
                for path in interrupts:
                    time.sleep(1.3)
                    run.command("loadfile", path, "interrupt")
                time.sleep(seconds)
            if clients:
                run.crowd(clients, 20)
            # The first frames come while the process starts.
            times = run.end()[5:]
            late = excess(times)
            rows.append((words, len(times), late, int(late // (VIDEO * 1000))))

        videos = [clips[name] for name in ("h264", "vp9", "h264-444", "mpeg4")]
        measure("video after video of another codec, size and pixel format", videos, 8)
        measure("lap of a loop", videos[:1], 4)
        measure("a file that cannot be opened in between", [videos[0], clips["broken"], videos[1]], 4)
        measure("still image after still image", [clips["png"], clips["jpg"]], 8)
        measure("video, still image, video of another codec, still image", [videos[0], clips["png"], videos[1], clips["jpg"]], 8)
        measure("interruption and return", videos[:1], 4, [videos[1]])
        measure("interruption that replaces another one", videos[:1], 4, [videos[1], videos[3]])
        measure("300 clients that come and go, and one that never reads", videos[:1], 1, clients=300)
    print("| transition | frames | longest delay | frames without a picture |\n|---|--:|--:|--:|")
    for words, count, late, missing in rows:
        print(f"| {words} | {count} | {late:.1f} ms | {missing} |")


main()
