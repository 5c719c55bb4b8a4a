#!/usr/bin/env python3
"""Compares seeks of a paused player with mpv's, frame-exact, and checks that each shows the right frame.

    seek.py [--bench PATH] [--count 60] [--seed N] [--docs docs] FILE-OR-FOLDER ...

Each file is measured with four series: random times, forward in steps of half a second, backward in such steps, and backward frame by
frame. Each request is sent when the previous one has been answered. Playhead is timed from the call until the completion handler is
called (frame by frame: until the sink has received the frame). mpv is timed from the command on its JSON IPC until its event
`playback-restart`. Both use their default number of threads, sinks that discard their input, and audio. The two alternate, series by
series. mpv shows the first frame at or after the requested time; Playhead shows the frame that is due at that time.

Then the same requests are repeated untimed, and the MD5 of each frame is compared with the MD5 that ffmpeg computes for the frame
that is due at the requested time. Writes docs/results/seeks.json and the table in docs/performance.md between its two marks.
"""

import argparse
import json
import os
import pathlib
import random
import shutil
import socket
import subprocess
import sys
import tempfile
import time

import compare

BEGIN, END = "<!-- seeks:begin -->", "<!-- seeks:end -->"
STEP = 0.5
LIMIT = 20  # timeout of one answer in seconds
SERIES = {
    "random": "random times",
    "forward": f"on, {STEP} s each",
    "backward": f"back, {STEP} s each",
    "frame back": "back, a frame each",
}


class Ours:
    """SeekBench, a player of the library that is controlled through a pipe."""

    def __init__(self, bench, file, hashes=False, options=()):
        command = [bench, str(file), *options] + (["--hash"] if hashes else [])
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
        self.answer()

    def answer(self):
        line = self.process.stdout.readline()
        if not line:
            sys.exit("SeekBench ended early")
        return json.loads(line)

    def ask(self, words):
        self.process.stdin.write(words + "\n")
        self.process.stdin.flush()
        return self.answer()

    def seek(self, seconds):
        return self.ask(f"seek {seconds:.6f}")

    def back(self):
        return self.ask("step -1")

    def close(self):
        self.process.stdin.close()
        self.process.wait()


class MPV:
    """mpv, controlled through its JSON IPC."""

    OPTIONS = "--vo=null --ao=null --pause --hr-seek=yes --keep-open=yes --no-config --no-terminal --hwdec=no"

    def __init__(self, file):
        self.folder = tempfile.TemporaryDirectory()
        path = f"{self.folder.name}/socket"
        self.process = subprocess.Popen(["mpv", *self.OPTIONS.split(), f"--input-ipc-server={path}", str(file)])
        deadline = time.monotonic() + LIMIT
        while not os.path.exists(path) and time.monotonic() < deadline:
            time.sleep(0.01)
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(LIMIT)
        self.socket.connect(path)
        self.rest = b""
        # mpv may have been ready before the connection existed. An exact seek to the start confirms that it is.
        self.seek(0)

    def command(self, *words):
        begin = time.monotonic()
        self.socket.sendall(json.dumps({"command": words}).encode() + b"\n")
        while True:
            *lines, self.rest = self.rest.split(b"\n")
            for line in lines:
                if json.loads(line).get("event") == "playback-restart":
                    return {"finished": True, "seconds": time.monotonic() - begin}
            self.rest += self.socket.recv(1 << 16)

    def seek(self, seconds):
        return self.command("seek", f"{seconds:.6f}", "absolute+exact")

    def back(self):
        return self.command("frame-back-step")

    def close(self):
        self.socket.close()
        self.process.terminate()
        self.process.wait()
        self.folder.cleanup()


def reference(file):
    """Returns the presentation time (seconds of the item's timeline) and MD5 of each frame that ffmpeg decodes in the stream's time base."""
    command = f"ffmpeg -nostdin -v error -noautorotate -i {{}} -map 0:v:0 -fps_mode passthrough -copyts -enc_time_base -1 -f framemd5 -"
    text = subprocess.run([str(file) if word == "{}" else word for word in command.split()],
                          capture_output=True, text=True, check=True).stdout
    base, frames = None, []
    for line in text.splitlines():
        if line.startswith("#tb 0:"):
            numerator, denominator = line.split()[-1].split("/")
            base = int(numerator) / int(denominator)
        elif not line.startswith("#"):
            fields = line.split(",")
            frames.append((int(fields[2]) * base, fields[5].strip()))
    zero = start(file)
    return sorted((at - zero, md5) for at, md5 in frames)


def start(file):
    """Returns the start of the item's timeline: the first audio or video. Audio up to 0.1 s before zero is encoder delay."""
    said = subprocess.run(["ffprobe", "-v", "error", "-show_entries", "stream=codec_type,start_time", "-of", "json", str(file)],
                          capture_output=True, text=True).stdout
    starts = []
    for stream in json.loads(said)["streams"]:
        if stream.get("codec_type") in ("audio", "video") and stream.get("start_time", "N/A") != "N/A":
            at = float(stream["start_time"])
            starts.append(0 if stream["codec_type"] == "audio" and -0.1 <= at < 0 else at)
    return min(starts, default=0)


def due(frames, seconds):
    """Returns the frame that is due at `seconds`."""
    return max((f for f in frames if f[0] <= seconds + 1e-9), default=frames[0], key=lambda f: f[0])


def series(frames, count, seed):
    """Returns name -> the initial position, and the target times (None: one frame back)."""
    generator = random.Random(seed)
    end = frames[-1][0]
    last = int(end / STEP)
    steps = min(count, last)
    # Requests have whole microseconds, but the times of frames may not.
    middle = round(frames[len(frames) // 2][0] + 1e-3, 6)
    return {
        "random": (0, [round(generator.uniform(0, end), 6) for _ in range(count)]),
        "forward": (0, [STEP * (i + 1) for i in range(steps)]),
        "backward": (last * STEP, [(last - i - 1) * STEP for i in range(steps)]),
        "frame back": (middle, [None] * min(count // 2, len(frames) // 2)),
    }


def run(player, first, targets):
    player.seek(first)
    return [player.back() if target is None else player.seek(target) for target in targets]


def check(answers, first, targets, frames):
    """Returns the number of answers that are not the frame that is due, by time and, if available, by hash."""
    wrong, place = 0, frames.index(due(frames, first))
    for target, answer in zip(targets, answers):
        place = place - 1 if target is None else frames.index(due(frames, target))
        at, md5 = frames[place]
        is_right = answer["finished"] and abs(answer["frame"] - at) < 1e-5 and answer.get("md5", md5) == md5
        wrong += not is_right
    return wrong


def percentile(values, share):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def figures(answers):
    values = [answer["seconds"] for answer in answers]
    return {"p50": percentile(values, 0.5), "p95": percentile(values, 0.95), "all": values}


def measure(file, bench, count, seed, turn):
    frames = reference(file)
    players = {"playhead": lambda: Ours(bench, file)}
    if shutil.which("mpv"):
        players["mpv"] = lambda: MPV(file)
    players = {name: make() for name, make in players.items()}
    entry = {}
    for name, (first, targets) in series(frames, count, seed).items():
        turn += 1
        order = list(players) if turn % 2 else list(reversed(players))
        answers = {tool: run(players[tool], first, targets) for tool in order}
        entry[name] = {tool: figures(answers[tool]) for tool in players}
        entry[name]["wrong"] = check(answers["playhead"], first, targets, frames)
        if "mpv" in players:
            entry[name]["ratio"] = {p: entry[name]["playhead"][p] / entry[name]["mpv"][p] for p in ("p50", "p95")}
    for player in players.values():
        player.close()
    judge = Ours(bench, file, hashes=True)
    for name, (first, targets) in series(frames, count, seed).items():
        entry[name]["wrong by hash"] = check(run(judge, first, targets), first, targets, frames)
    judge.close()
    return entry


def table(report):
    here = report["machine"]
    lines = [
        f"{compare.measured(here)} {report['count']} requests a series (fewer where the file is too short), seed {report['seed']}.",
        "",
        *[f"* {name}: {version}" for name, version in here["versions"].items()],
        "",
        "| file | series | Playhead p50 | p95 | mpv p50 | p95 | ratio of p50 | of p95 | wrong frames |",
        "|---|---|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for entry in report["files"]:
        label = f"{entry['file']} ({entry['about']})"
        for name, title in SERIES.items():
            result = entry[name]
            cells = [f"{result['playhead'][p] * 1000:.1f} ms" for p in ("p50", "p95")]
            if "mpv" in result:
                cells += [f"{result['mpv'][p] * 1000:.1f} ms" for p in ("p50", "p95")]
                cells += [f"{result['ratio'][p]:.2f}" for p in ("p50", "p95")]
            else:
                cells += [""] * 4
            asked = len(result["playhead"]["all"])
            cells.append(f"{result['wrong'] + result['wrong by hash']} of {2 * asked}")
            lines.append(f"| {label} | {title} | " + " | ".join(cells) + " |")
            label = ""
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bench", default="Benchmarks/.build/release/SeekBench")
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    parser.add_argument("--docs", type=pathlib.Path, default=compare.ROOT / "docs")
    parser.add_argument("inputs", nargs="+", type=pathlib.Path)
    options = parser.parse_args()
    if not shutil.which(options.bench):
        parser.error(f"{options.bench} is not here; build it first: make compare SEEK=1 FILE=...")

    present = {name: tool for name, tool in compare.tools(None).items() if name in ("ffmpeg", "mpv")}
    report = {"machine": compare.machine(present), "seed": options.seed, "count": options.count, "files": []}
    report["machine"]["versions"]["playhead"] = compare.commit()
    print(f"seed {options.seed}")
    for turn, (file, about) in enumerate(compare.inputs(parser, options.inputs)):
        print(f"{file.name} ({about})", flush=True)
        entry = {"file": file.name, "about": about, **measure(file, options.bench, options.count, options.seed, turn)}
        report["files"].append(entry)
        for name in SERIES:
            result = entry[name]
            words = [f"{tool} p50 {result[tool]['p50'] * 1000:6.1f} p95 {result[tool]['p95'] * 1000:6.1f} ms"
                     for tool in ("playhead", "mpv") if tool in result]
            if "ratio" in result:
                words.append(f"ratio {result['ratio']['p50']:.2f} {result['ratio']['p95']:.2f}")
            words.append(f"wrong {result['wrong']}, by hash {result['wrong by hash']}")
            print(f"  {name:10} " + "   ".join(words), flush=True)

    options.docs.mkdir(exist_ok=True)
    (options.docs / "results").mkdir(parents=True, exist_ok=True)
    (options.docs / "results/seeks.json").write_text(json.dumps(report, indent=1) + "\n")
    compare.write_page(options.docs / "performance.md", table(report), BEGIN, END)
    print(f"wrote {options.docs / 'performance.md'} and seeks.json")


if __name__ == "__main__":
    main()
