#!/usr/bin/env python3
"""Measures how much of the start of a sound is lost through an idle null sink with `vplay`, paplay and mpv.

    beginning.py [--vplay PATH] [--runs 10] [--seconds 2]

It plays a ramp, in which the value of each sample identifies its number, into the null sink of a new PulseAudio server, and records
the sink's monitor. It prints the first sample heard, the number of samples heard, and the number of discontinuities.
"""

import argparse
import array
import shutil
import subprocess
import tempfile
import time
import wave

from sync import RATE, ROOT, Recording, Server

FIRST, STEP, LAP = 2000, 2, 12000


def make_ramp(path, count):
    samples = array.array("h", (FIRST + STEP * (number % LAP) for number in range(count)))
    with wave.open(path, "wb") as file:
        file.setparams((1, 2, RATE, count, "NONE", ""))
        file.writeframes(samples.tobytes())


def heard(command):
    """Returns the number of the first sample, the count of samples, and the count of discontinuities."""
    with tempfile.TemporaryDirectory(prefix="playhead-beginning-") as folder:
        server = Server(folder)
        server.start()
        recording = Recording(server)
        while len(recording.samples) < RATE // 2:
            time.sleep(0.05)
        subprocess.run(command, env=server.environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL, check=True)
        time.sleep(1)
        recording.stop()
        server.kill()
    loud = [(place, round(value * 32768)) for place, value in enumerate(recording.samples) if abs(value) > 0.004]
    if not loud:
        return None, 0, 0
    seams = sum(b[0] != a[0] + 1 or b[1] - a[1] not in (STEP, STEP - STEP * LAP) for a, b in zip(loud, loud[1:]))
    return (loud[0][1] - FIRST) // STEP, len(loud), seams


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--vplay", default=str(ROOT / ".build/release/vplay"))
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--seconds", type=float, default=2)
    options = parser.parse_args()
    with tempfile.NamedTemporaryFile(suffix=".wav") as file:
        make_ramp(file.name, int(options.seconds * RATE))
        players = {
            "vplay": [options.vplay, "play", "--video", "none", "--audio", "pulse", "--quiet", file.name],
            "paplay": ["paplay", file.name],
            "mpv": ["mpv", "--no-config", "--no-video", "--ao=pulse", "--really-quiet", file.name],
        }
        for name, command in players.items():
            if not shutil.which(command[0]):
                continue
            for _ in range(options.runs):
                first, count, seams = heard(command)
                print(f"{name}: first {first}, heard {count}, seams {seams}", flush=True)


if __name__ == "__main__":
    main()
