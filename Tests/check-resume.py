#!/usr/bin/env python3
"""Kills a player with --resume after random times, and checks where the next run continues.

Usage: check-resume.py VPLAY [COUNT [SEED]]

Each run must continue within 10 s of where the one before was killed, and the file must be complete whenever it is
read. The clip is generated with ffmpeg.
"""
import json, os, random, signal, subprocess, sys, tempfile, time

vplay = sys.argv[1]
count = int(sys.argv[2]) if len(sys.argv) > 2 else 5
seed = int(sys.argv[3]) if len(sys.argv) > 3 else int(time.time())
random.seed(seed)
print(f"seed {seed}, {count} kills")

with tempfile.TemporaryDirectory() as folder:
    clip, state = f"{folder}/clip.mp4", f"{folder}/resume.json"
    subprocess.run(
        ["ffmpeg", "-nostdin", "-v", "error", "-f", "lavfi", "-i", "testsrc=s=64x36:r=10", "-t", "7200",
         "-preset", "ultrafast", clip], check=True)
    expected, worst = None, 0.0
    for number in range(count):
        player = subprocess.Popen(
            [vplay, "--video", "null", "--audio", "null", "--events", "json", f"--resume={state}", clip],
            stdout=subprocess.PIPE, text=True)
        begin = None
        for line in player.stdout:
            event = json.loads(line)
            if event["event"] == "timeControlStatusChanged" and event.get("status") == "playing":
                begin = event["time"]
                break
        started = time.monotonic()
        if begin is None:
            sys.exit(f"run {number}: the player did not play")
        if expected is not None:
            worst = max(worst, abs(begin - expected))
            if worst > 10:
                sys.exit(f"run {number}: continued at {begin:.3f} s instead of {expected:.3f} s")
        time.sleep(random.uniform(0.05, 14))
        expected = begin + time.monotonic() - started
        os.kill(player.pid, signal.SIGKILL)
        player.wait()
        if os.path.exists(state):
            with open(state) as file:
                saved = json.load(file)
            if saved["format"] != "vplay-resume-1":
                sys.exit(f"run {number}: the file is broken")
    print(f"{count} kills: continued within {worst:.3f} s, no file broken")
