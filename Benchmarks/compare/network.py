#!/usr/bin/env python3
"""Plays films in real time from a server behind a slow link: `vplay`, mpv and ffplay, whichever are installed.

    network.py [--vplay PATH] [--docs docs] [--rates 70 40 130] FILE ...
    network.py --check [--vplay PATH] FILE ...

The link's rate is a percentage of the film's average rate (its size divided by its duration). For each film and rate it measures the
time from start to exit, the time spent waiting, the number of stalls and the number of requests; then the requests up to the first
frame. The minimum waiting time is the time until the last byte has been received, less the film's duration. A second run serves the
same film with all audio stored after all video, over a link of twice its rate. Writes docs/results/network.json and the table in
docs/performance.md between its two marks.

--check plays with vplay alone. It fails if vplay waits more than a tenth longer than the minimum, with a third of a second for the
start of the process, or stalls more often than allowed.
"""

import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

import compare
from link import Server

BEGIN, END = "<!-- network:begin -->", "<!-- network:end -->"
STALLS = {70: 2, 40: 3, 130: 0}
START = 0.35  # seconds that a process takes to start and exit, without waiting
QUIET = {"SDL_VIDEODRIVER": "dummy", "SDL_AUDIODRIVER": "dummy"}


def tools(vplay):
    """Returns name -> command, version argument, arguments to play, arguments for one frame, how its output shows a stall."""
    known = {
        "vplay": (vplay, "--version", "play --quiet --audio null --video null --cache off --events json {}",
                  "play --quiet --audio none --video null --cache off --frames 1 --untimed {}", r'"event":"playbackStalled"'),
        "mpv": ("mpv", "--version", "--no-config --vo=null --ao=null --no-ytdl --msg-level=all=no,cplayer=v {}",
                "--no-config --vo=null --no-audio --no-ytdl --frames=1 --untimed --really-quiet {}", r"Enter buffering"),
        "ffplay": ("ffplay", "-version", "-autoexit -loglevel error {}", None, None),
    }
    return {name: (found, *rest) for name, (command, *rest) in known.items() if command and (found := shutil.which(command))}


def run(command, limit):
    begin = time.monotonic()
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=limit,
                          env={**os.environ, **QUIET})
    return time.monotonic() - begin, done.returncode, done.stdout.decode(errors="replace")


def seconds(file):
    said = subprocess.run(["ffprobe", "-v", "error", "-show_entries", "format=duration", "-of", "csv=p=0", str(file)],
                          capture_output=True, text=True, check=True).stdout
    return float(said)


def play(tool, file, length, rate):
    """Plays one film over a link of `rate` times its own rate."""
    command, _, arguments, _, stall = tool
    server = Server(file, file.stat().st_size / length * rate)
    try:
        total, status, said = run([command, *(a.replace("{}", server.url) for a in arguments.split())], 10 * length / rate + 60)
    finally:
        server.close()
    return {"total": total, "waiting": total - length, "requests": len(server.requests), "status": status,
            "bytes": server.sent, "stalls": len(re.findall(stall, said)) if stall else None}


def first_picture(tool, file):
    command, _, _, arguments, _ = tool
    if not arguments:
        return None
    server = Server(file)
    try:
        run([command, *(a.replace("{}", server.url) for a in arguments.split())], 60)
    finally:
        server.close()
    return len(server.requests)


def apart(file, length, folder):
    """Creates the same film with all audio stored after all video. Returns None unless the file is an MP4 with both."""
    pictures, sound, late, made = (pathlib.Path(folder) / name for name in ("v.mp4", "a.mp4", "late.mp4", f"{file.stem}-apart.mp4"))
    ffmpeg = ["ffmpeg", "-nostdin", "-v", "error", "-y"]
    for command in (
        [*ffmpeg, "-i", file, "-map", "0:v:0", "-c", "copy", pictures],
        [*ffmpeg, "-i", file, "-map", "0:a:0", "-c", "copy", sound],
        # The muxer writes audio that begins after the last frame at the end of the file.
        [*ffmpeg, "-i", pictures, "-itsoffset", str(length + 1), "-i", sound, "-map", "0", "-map", "1", "-c", "copy",
         "-movflags", "faststart", late],
    ):
        if subprocess.run(command, capture_output=True).returncode:
            return None
    # Removing the edit list lets the audio begin at the start.
    head, found, rest = late.read_bytes().rpartition(b"edts")
    made.write_bytes(head + b"free" + rest)
    return made if found else None


def measure(present, file, rates, folder):
    length = seconds(file)
    size = file.stat().st_size
    entry = {"file": file.name, "seconds": length, "bytes": size, "rates": {}, "first": {}, "apart": {}}
    for percent in rates:
        ideal = max(0.0, length / (percent / 100) - length)
        entry["rates"][percent] = {"ideal": ideal, "tools": {}}
        for name, tool in present.items():
            entry["rates"][percent]["tools"][name] = found = play(tool, file, length, percent / 100)
            print(f"{file.name} {percent} %: {name} {found}", flush=True)
    for name, tool in present.items():
        entry["first"][name] = first_picture(tool, file)
    badly = apart(file, length, folder) if file.suffix == ".mp4" else None
    for name, tool in present.items() if badly else []:
        entry["apart"][name] = found = play(tool, badly, length, 2)
        print(f"{badly.name} 200 %: {name} {found}", flush=True)
    return entry


def check(report):
    faults = []
    for entry in report["films"]:
        for percent, measured in entry["rates"].items():
            found = measured["tools"]["vplay"]
            most = 1.1 * measured["ideal"] + START + (0.05 * entry["seconds"] if measured["ideal"] == 0 else 0)
            if found["status"] or found["waiting"] > most or found["stalls"] > STALLS.get(percent, 3):
                faults.append(f"{entry['file']} at {percent} %: {found}, at most {most:.2f} s of waiting")
    return faults


def table(report):
    here = report["machine"]
    lines = [compare.measured(here), "", *[f"* {name}: {version}" for name, version in here["versions"].items()], "",
             "| film | link | tool | total | waiting | of that needed | stalls | requests |", "|---|---:|---|---:|---:|---:|---:|---:|"]
    for entry in report["films"]:
        name = f"{entry['file']} ({entry['seconds']:.1f} s, {entry['bytes'] / 1e6:.1f} MB)"
        rows = [(f"{percent} %", measured["ideal"], measured["tools"]) for percent, measured in entry["rates"].items()]
        if entry["apart"]:
            rows.append(("200 %, sound behind all pictures", 0.0, entry["apart"]))
        for link, ideal, found in rows:
            for tool, figures in found.items():
                stalls = "" if figures["stalls"] is None else figures["stalls"]
                lines.append(f"| {name} | {link} | {tool} | {figures['total']:.1f} s | {figures['waiting']:.1f} s | {ideal:.1f} s "
                             f"| {stalls} | {figures['requests']} |")
                name = link = ""
        first = ", ".join(f"{tool} {count}" for tool, count in entry["first"].items() if count is not None)
        lines.append(f"| | first picture, no limit | {first} requests | | | | | |")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--vplay", default=str(compare.ROOT / ".build/release/vplay"))
    parser.add_argument("--docs", type=pathlib.Path, default=compare.ROOT / "docs")
    parser.add_argument("--rates", type=int, nargs="+", default=[70, 40, 130])
    parser.add_argument("--check", action="store_true")
    parser.add_argument("files", nargs="+", type=pathlib.Path)
    options = parser.parse_args()
    present = tools(options.vplay)
    if "vplay" not in present:
        parser.error("vplay is not here; build it first: make build")
    if options.check:
        present = {"vplay": present["vplay"]}
    versions = {name: (tool[0], tool[1], {}) for name, tool in present.items()}
    report = {"machine": compare.machine(versions), "films": []}
    with tempfile.TemporaryDirectory() as folder:
        for file in options.files:
            report["films"].append(measure(present, file, options.rates, folder))
    if options.check:
        faults = check(report)
        print("\n".join(faults) or "as it should be")
        sys.exit(1 if faults else 0)
    options.docs.mkdir(exist_ok=True)
    (options.docs / "results/network.json").write_text(json.dumps(report, indent=1) + "\n")
    compare.write_page(options.docs / "performance.md", table(report), BEGIN, END)
    print(table(report))


if __name__ == "__main__":
    main()
