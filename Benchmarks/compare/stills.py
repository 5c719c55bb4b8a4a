#!/usr/bin/env python3
"""Compares generating stills with other tools: wall clock and CPU time of a hundred stills.

    stills.py [--vplay PATH] [--docs docs] [--count 100] [--seed 1] FILE ...

Three series write JPEGs with a width of 320 pixels: the nearest key frames at evenly distributed times (compared with ffmpegthumbnailer,
which runs once for each still, as in typical use), exact stills at random times in ascending order, and the same times in random order
(both compared with one pass of ffmpeg with a select filter; medians of three rounds). Before that, vplay and ffmpeg write ten exact
stills as PNG in full size, which are compared. Writes docs/results/stills.json and the table in docs/performance.md between its two marks.
"""

import argparse
import json
import pathlib
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import time

import compare

BEGIN, END = "<!-- stills:begin -->", "<!-- stills:end -->"
WIDTH = 320
# The number of rounds for exact stills. The result is their median.
ROUNDS = 3


def cost(commands):
    """Returns the wall clock and CPU seconds of commands that run one after the other."""
    before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    for command in commands:
        subprocess.run(command, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return {
        "wall": time.monotonic() - begin,
        "cpu": after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime,
    }


def frame_times(file):
    """Returns the time of each frame in seconds from the start of the file. Audio may begin before the first frame."""
    def ask(*what):
        return subprocess.run(["ffprobe", "-v", "error", *what, "-of", "csv=p=0", str(file)],
                              capture_output=True, text=True, check=True).stdout

    begin = float(ask("-show_entries", "format=start_time").strip().strip(","))
    text = ask("-select_streams", "v:0", "-show_entries", "packet=pts_time")
    return [at - begin for at in sorted(float(line.strip(",")) for line in text.split() if line.strip(",") not in ("", "N/A"))]


def selected(indices):
    return "+".join(f"eq(n,{index})" for index in sorted(indices))


def ffmpeg(file, indices, target, scale):
    filters = f"select='{selected(indices)}'" + (f",scale={WIDTH}:-2" if scale else "")
    return ["ffmpeg", "-nostdin", "-v", "error", "-y", "-i", str(file), "-map", "0:v:0", "-vf", filters, "-fps_mode", "passthrough",
            "-q:v", "4", str(target)]


def vplay_exact(vplay, file, times, target, size):
    at = [word for moment in times for word in ("--at", f"{moment:.6f}")]
    return [vplay, "snapshot", str(file), "-o", str(target), *at, *(["--size", size] if size else [])]


def gray(path):
    return subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-i", str(path), "-pix_fmt", "gray", "-f", "rawvideo", "-"],
                          capture_output=True, check=True).stdout


def wrong_stills(vplay, file, times, folder):
    """Returns how many of ten stills show another frame than ffmpeg's, and the number compared. Rounding may change the brightness."""
    indices = sorted(random.sample(range(len(times)), min(10, len(times))))
    subprocess.run(ffmpeg(file, indices, folder / "theirs-%d.png", False), check=True)
    subprocess.run(vplay_exact(vplay, file, [times[index] + 0.0005 for index in indices], folder / "ours-%d.png", None), check=True)
    wrong = 0
    for number in range(1, len(indices) + 1):
        ours, theirs = gray(folder / f"ours-{number}.png"), gray(folder / f"theirs-{number}.png")
        same = len(ours) == len(theirs) and sum(abs(a - b) for a, b in zip(ours[::37], theirs[::37])) <= 2 * len(ours[::37])
        wrong += not same
    return wrong, len(indices)


def measure(vplay, file, count, folder):
    times = frame_times(file)
    length = times[-1]
    shape = subprocess.run(["ffprobe", "-v", "error", "-select_streams", "v:0", "-show_entries", "stream=width,height", "-of", "csv=p=0",
                            str(file)], capture_output=True, text=True, check=True).stdout.strip().strip(",").split(",")
    size = f"{WIDTH}x{round(WIDTH * int(shape[1]) / int(shape[0]))}"
    indices = random.sample(range(len(times)), min(count, len(times)))
    # Shortly after the start of the frame, so that rounding does not select the previous frame.
    moments = [times[index] + 0.0005 for index in indices]
    spread = [length * (2 * index + 1) / (2 * count) for index in range(count)]
    result = {"wrong": wrong_stills(vplay, file, times, folder)}
    result["fast"] = {"vplay": cost([[vplay, "snapshot", str(file), "--fast", "--count", str(count), "--size", size, "-o",
                                      str(folder / "f%d.jpg")]])}
    if shutil.which("ffmpegthumbnailer"):
        result["fast"]["other"] = cost([
            ["ffmpegthumbnailer", "-i", str(file), "-o", str(folder / "t.jpg"), "-s", str(WIDTH), "-t",
             time.strftime("%H:%M:%S", time.gmtime(moment))] for moment in spread])
    # The tools alternate, so that a slowdown of the machine affects all of them.
    commands = {
        "exact": vplay_exact(vplay, file, sorted(moments), folder / "e%d.jpg", size),
        "exact, in random order": vplay_exact(vplay, file, moments, folder / "r%d.jpg", size),
        "other": ffmpeg(file, indices, folder / "o%d.jpg", True),
    }
    runs = [{name: cost([command]) for name, command in commands.items()} for _ in range(ROUNDS)]
    middle = {name: sorted((run[name] for run in runs), key=lambda run: run["wall"])[ROUNDS // 2] for name in commands}
    for kind in ("exact", "exact, in random order"):
        result[kind] = {"vplay": middle[kind], "other": middle["other"]}
    return result


def table(report):
    here = report["machine"]
    lines = [
        compare.measured(here),
        "",
        *[f"* {name}: {version}" for name, version in here["versions"].items()],
        "",
        f"| {report['count']} stills of | kind | vplay | CPU | other | CPU | ratio | of CPU | wrong |",
        "|---|---|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for name, kinds in report["files"].items():
        wrong, of = kinds["wrong"]
        for kind in ("fast", "exact", "exact, in random order"):
            ours, other = kinds[kind]["vplay"], kinds[kind].get("other")
            theirs = f"{other['wall']:.2f} s | {other['cpu']:.2f} s" if other else "|"
            ratio = f"{ours['wall'] / other['wall']:.2f} | {ours['cpu'] / other['cpu']:.2f}" if other else "|"
            lines.append(f"| {name if kind == 'fast' else ''} | {kind} | {ours['wall']:.2f} s | {ours['cpu']:.2f} s | {theirs} | {ratio} | "
                         f"{f'{wrong} of {of}' if kind == 'exact' else ''} |")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--vplay", default=".build/release/vplay")
    parser.add_argument("--docs", type=pathlib.Path, default=compare.ROOT / "docs")
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("files", nargs="+", type=pathlib.Path)
    options = parser.parse_args()
    if not shutil.which(options.vplay):
        parser.error(f"{options.vplay} is not here; build it first: make build")
    random.seed(options.seed)
    present = {name: tool for name, tool in compare.tools(options.vplay).items() if name in ("vplay", "ffmpeg")}
    report = {"machine": compare.machine(present), "count": options.count, "seed": options.seed, "files": {}}
    for file in options.files:
        with tempfile.TemporaryDirectory() as folder:
            report["files"][file.name] = result = measure(options.vplay, file, options.count, pathlib.Path(folder))
        for kind in ("fast", "exact", "exact, in random order"):
            words = ", ".join(f"{name} {cost['wall']:.2f} s (CPU {cost['cpu']:.2f})" for name, cost in result[kind].items())
            print(f"{file.name} {kind}: {words}", flush=True)
        print(f"{file.name}: {result['wrong'][0]} of {result['wrong'][1]} stills are wrong", flush=True)
    options.docs.mkdir(exist_ok=True)
    (options.docs / "results/stills.json").write_text(json.dumps(report, indent=1) + "\n")
    compare.write_page(options.docs / "performance.md", table(report), BEGIN, END)
    print(f"wrote {options.docs / 'performance.md'} and stills.json")
    if any(result["wrong"][0] for result in report["files"].values()):
        sys.exit(1)


if __name__ == "__main__":
    main()
