#!/usr/bin/env python3
"""Kills a player with --resume and --play-log after random times, and checks where the next run continues.

Usage: check-resume.py VPLAY [COUNT [SEED]]

Each run plays a loop of twelve clips of 5 s, and must continue within 10 s of where the one before was killed. After each kill the saved
position must be complete, and so must each line of the log but the last, which the next run repairs. The clips are generated with ffmpeg.
"""
import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time

CLIPS, LENGTH = 12, 5
LAP = CLIPS * LENGTH


def begin_of(player):
    """Returns the position in the loop at which a player begins to play."""
    for line in player.stdout:
        event = json.loads(line)
        if event["event"] == "timeControlStatusChanged" and event.get("status") == "playing":
            return event["item"] * LENGTH + event["time"]
    sys.exit(f"the player did not play: exit status {player.wait()}")


def distance(one, other):
    """Returns the distance of two positions in the loop."""
    difference = abs(one - other) % LAP
    return min(difference, LAP - difference)


def lines(path):
    """Returns the number of complete lines of a log, and whether an incomplete one follows."""
    *complete, rest = path.read_bytes().split(b"\n")
    for line in complete:
        if json.loads(line)["reason"] not in ("eof", "stop", "quit", "error"):
            sys.exit(f"{path}: {line!r}")
    return len(complete), bool(rest)


def main(vplay, count, seed):
    generator = random.Random(seed)
    print(f"seed {seed}, {count} kills", flush=True)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        clips = [folder / f"{number:02}.mp4" for number in range(CLIPS)]
        for clip in clips:
            source = ["-f", "lavfi", "-i", "testsrc=s=64x36:r=10", "-t", str(LENGTH), "-preset", "ultrafast"]
            subprocess.run(["ffmpeg", "-nostdin", "-v", "error", *source, str(clip)], check=True)
        state, log = folder / "resume.json", folder / "log"
        command = [vplay, "--video", "null", "--audio", "null", "--events", "json", "--loop", f"--resume={state}", "--play-log", str(log), *map(str, clips)]
        expected, worst, logged, torn, saved = None, 0.0, 0, 0, 0
        for number in range(count + 1):
            player = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
            begin, started = begin_of(player), time.monotonic()
            if expected is not None:
                worst = max(worst, distance(begin, expected))
                if worst > 10:
                    sys.exit(f"run {number}: continued at {begin:.3f} s instead of {expected:.3f} s")
            if number == count:
                player.terminate()
                player.communicate()
                break
            # Every tenth run is killed while it starts to play or to save.
            delay = generator.choice([0, 8]) + generator.uniform(0, 0.2) if number % 10 == 9 else generator.uniform(0, 14)
            time.sleep(delay)
            expected = begin + time.monotonic() - started
            player.send_signal(signal.SIGKILL)
            player.communicate()
            if state.exists():
                saved += json.loads(state.read_text())["format"] == "vplay-resume-1"
            remaining, is_torn = lines(log)
            if remaining < logged:
                sys.exit(f"run {number}: the log had {logged} lines, and has {remaining}")
            logged, torn = remaining, torn + is_torn
        remaining, is_torn = lines(log)
        if is_torn or remaining < logged:
            sys.exit("the log is not complete at the end")
    print(f"{count} kills: continued within {worst:.3f} s; {saved} saved positions and {remaining} lines of the log are complete, {torn} were repaired")


if len(sys.argv) < 2:
    sys.exit(__doc__)
main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 5, int(sys.argv[3]) if len(sys.argv) > 3 else int(time.time()))
