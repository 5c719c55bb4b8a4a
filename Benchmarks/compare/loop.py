#!/usr/bin/env python3
"""Compares looping a short clip in real time with mpv: CPU time of laps 3 to 10, peak memory.

    loop.py [--vplay PATH] [--docs docs] [FILE]

Without FILE, ffmpeg creates a clip of 5 s, 640x360, H.264 and AAC. `vplay --loop --muted` and `mpv --loop-file=10 --mute=yes --vo=null`
run one after the other, with audio sinks that discard their input. CPU time is read from the process's CPU clock after two laps
and after ten. Then the clip is played ten times on the virtual clock, and the MD5s of each lap's frames are compared with
those of the first lap. Writes docs/results/laps.json and the table in docs/performance.md between its two marks.
"""

import argparse
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

import compare

BEGIN, END = "<!-- laps:begin -->", "<!-- laps:end -->"
FIRST, LAST = 3, 10
MAKE = ("ffmpeg -nostdin -v error -y -f lavfi -i testsrc2=size=640x360:rate=25:duration=5 -f lavfi -i sine=frequency=440:duration=5 "
        "-vf noise=c0s=6:c0f=t:c0_seed=7 -c:v libx264 -threads 1 -preset medium -g 50 -bf 3 -pix_fmt yuv420p -c:a aac -shortest {}")


def commands(vplay):
    known = {
        "vplay": f"{vplay} play --loop --muted --quiet --video null --audio null",
        "mpv": f"mpv --no-config --really-quiet --loop-file={LAST} --mute=yes --vo=null --ao=null --hwdec=no",
    }
    return {name: command.split() for name, command in known.items() if shutil.which(command.split()[0])}


def cpu(pid):
    """Returns the user and system time of a running process. The kernel derives the clock's id from the process id."""
    return time.clock_gettime((~pid << 3) | 2)


def peak(pid):
    status = pathlib.Path(f"/proc/{pid}/status").read_text()
    return int(re.search(r"VmHWM:\s*(\d+) kB", status)[1]) / 1024


def play(command, file, seconds):
    """Returns the CPU seconds of laps FIRST to LAST, and the peak memory in MB before lap FIRST and at the end."""
    process = subprocess.Popen([*command, str(file)], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    begin = time.monotonic()
    marks = []
    for laps in (FIRST - 1, LAST):
        time.sleep(max(0, begin + laps * seconds - time.monotonic()))
        if process.poll() is not None:
            sys.exit(f"{command[0]} ended early")
        marks.append((cpu(process.pid), peak(process.pid)))
    process.kill()
    process.wait()
    return {"cpu": marks[1][0] - marks[0][0], "memory": marks[1][1], "memory before": marks[0][1]}


def wrong_laps(vplay, file):
    """Returns how many of ten laps have frames that differ from those of the first, and the frames per lap."""
    command = [vplay, "play", "--untimed", "--repeat", str(LAST), "--quiet", "--audio", "none", "--video", "framemd5:-", str(file)]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    hashes = [line.split(",")[5].strip() for line in text.splitlines() if line and not line.startswith("#")]
    length = len(hashes) // LAST
    laps = [hashes[i:i + length] for i in range(0, len(hashes), length)]
    return sum(lap != laps[0] for lap in laps), length


def table(report):
    here = report["machine"]
    lines = [
        compare.measured(here),
        "",
        *[f"* {name}: {version}" for name, version in here["versions"].items()],
        "",
        f"| {report['about']} | CPU of laps {FIRST} to {LAST} | ratio to mpv | peak memory | laps with other frames |",
        "|---|---:|---:|---:|---:|",
    ]
    for name, result in report["results"].items():
        ratio = f"{result['cpu'] / report['results']['mpv']['cpu']:.2f}" if "mpv" in report["results"] else ""
        wrong = f"{report['wrong laps']} of {LAST}" if name == "vplay" else ""
        lines.append(f"| {name} | {result['cpu']:.2f} s | {ratio} | {result['memory']:.0f} MB | {wrong} |")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--vplay", default=".build/release/vplay")
    parser.add_argument("--docs", type=pathlib.Path, default=compare.ROOT / "docs")
    parser.add_argument("file", nargs="?", type=pathlib.Path)
    options = parser.parse_args()
    players = commands(options.vplay)
    if "vplay" not in players:
        parser.error(f"{options.vplay} is not here; build it first: make build")
    present = {name: tool for name, tool in compare.tools(options.vplay).items() if name in players}
    with tempfile.TemporaryDirectory() as folder:
        file = options.file or pathlib.Path(folder) / "lap.mp4"
        if not options.file:
            subprocess.run(MAKE.replace("{}", str(file)).split(), check=True)
        about = compare.described(file)
        if not about:
            parser.error(f"{file} has no video")
        seconds = float(subprocess.run(
            ["ffprobe", "-v", "error", "-show_entries", "format=duration", "-of", "csv=p=0", str(file)],
            capture_output=True, text=True).stdout)
        report = {"machine": compare.machine(present), "file": file.name, "about": about}
        report["results"] = {name: play(command, file, seconds) for name, command in players.items()}
        report["wrong laps"], report["frames"] = wrong_laps(options.vplay, file)
    for name, result in report["results"].items():
        print(f"{name:6} {result['cpu']:6.3f} s CPU for laps {FIRST} to {LAST}   peak {result['memory']:.0f} MB, "
              f"{result['memory before']:.0f} MB before them")
    if "mpv" in report["results"]:
        print(f"ratio  {report['results']['vplay']['cpu'] / report['results']['mpv']['cpu']:.3f}")
    print(f"laps with other frames than the first: {report['wrong laps']} of {LAST}, {report['frames']} frames each")
    options.docs.mkdir(exist_ok=True)
    (options.docs / "results/laps.json").write_text(json.dumps(report, indent=1) + "\n")
    compare.write_page(options.docs / "performance.md", table(report), BEGIN, END)
    print(f"wrote {options.docs / 'performance.md'} and laps.json")


if __name__ == "__main__":
    main()
