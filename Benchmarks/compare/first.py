#!/usr/bin/env python3
"""Measures the time to the first frame of a film on a server with `vplay`, mpv and ffmpeg, whichever are installed.

    first.py [--vplay PATH] [--docs docs] [--rounds 5] [FILE]

FILE (by default a clip of 20 s that ffmpeg creates) is converted to the formats that servers use: MP4 with its index at the start or
the end, WebM, and HLS with one variant (MPEG-TS and fMP4), with five variants, and with separate audio. For each it measures the number
of requests until the first frame, and the time from start to exit with a delay of 50 ms for every response, less the time for the same
format from a local file. Then it measures the formats over a link of 300 kB/s. All figures are medians. Writes docs/results/first.json
and the table in docs/performance.md between its two marks.
"""

import argparse
import json
import pathlib
import shutil
import statistics
import subprocess
import tempfile
import time

import compare
from link import Server

BEGIN, END = "<!-- first:begin -->", "<!-- first:end -->"
DELAY = 0.05
SLOW = 300_000
SIZES = [(1280, 2500), (960, 1500), (640, 800), (480, 500), (320, 250)]  # width, kbit/s
VIDEO = "-c:v libx264 -preset veryfast -g 50 -keyint_min 50 -sc_threshold 0 -pix_fmt yuv420p"
SEGMENTS = "-f hls -hls_time 2 -hls_playlist_type vod"


def tools(vplay):
    """Returns name -> command, version argument, arguments for one frame."""
    known = {
        "vplay": (vplay, "--version", "play --frames 1 --quiet --muted --audio none --video null --cache off {}"),
        "mpv": ("mpv", "--version", "--no-config --untimed --no-audio --vo=null --really-quiet --no-ytdl --frames=1 {}"),
        "ffmpeg": ("ffmpeg", "-version", "-nostdin -v error -i {} -map 0:v:0 -frames:v 1 -f null -"),
    }
    return {name: (found, *rest) for name, (command, *rest) in known.items() if command and (found := shutil.which(command))}


def ffmpeg(words, folder):
    subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-y", *words.split()], cwd=folder, check=True)


def make(folder, film):
    """Creates the formats of the film: name -> file in the folder."""
    if film:
        given = f"-i {film.resolve()} -t 20"
    else:
        given = "-f lavfi -i testsrc2=size=1280x720:rate=25:duration=20 -f lavfi -i sine=frequency=440:duration=20"
    ffmpeg(f"{given} -vf scale=1280:720,setsar=1 {VIDEO} -b:v 2500k -c:a aac film.mp4", folder)
    copy = "-i film.mp4 -c copy"
    ffmpeg(f"{copy} -movflags faststart front.mp4", folder)
    ffmpeg(f"{copy} end.mp4", folder)
    ffmpeg("-i film.mp4 -t 6 -c:v libvpx -deadline realtime -cpu-used 8 -b:v 2M -c:a libopus film.webm", folder)
    ffmpeg(f"{copy} {SEGMENTS} -hls_segment_filename ts%03d.ts ts.m3u8", folder)
    ffmpeg(f"{copy} {SEGMENTS} -hls_segment_type fmp4 -hls_fmp4_init_filename init.mp4 -hls_segment_filename f%03d.m4s fmp4.m3u8", folder)
    ffmpeg(f"-i film.mp4 -vn -c copy {SEGMENTS} -hls_segment_filename a%03d.ts audio.m3u8", folder)
    ffmpeg(f"-i film.mp4 -an -c copy {SEGMENTS} -hls_segment_filename v%03d.ts video.m3u8", folder)
    five = ["#EXTM3U"]
    for width, rate in SIZES:
        ffmpeg(f"-i film.mp4 -vf scale={width}:-2 {VIDEO} -b:v {rate}k -maxrate {rate}k -bufsize {rate}k -c:a aac -b:a 64k {SEGMENTS} "
               f"-hls_segment_filename w{width}-%03d.ts w{width}.m3u8", folder)
        five += [f'#EXT-X-STREAM-INF:BANDWIDTH={(rate + 100) * 1100},RESOLUTION={width}x{width * 9 // 16},CODECS="avc1.64001f,mp4a.40.2"',
                 f"w{width}.m3u8"]
    (folder / "five.m3u8").write_text("\n".join(five) + "\n")
    (folder / "apart.m3u8").write_text(
        '#EXTM3U\n#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="sound",DEFAULT=YES,AUTOSELECT=YES,URI="audio.m3u8"\n'
        '#EXT-X-STREAM-INF:BANDWIDTH=3000000,RESOLUTION=1280x720,CODECS="avc1.64001f,mp4a.40.2",AUDIO="a"\nvideo.m3u8\n')
    return {
        "MP4, index in front": "front.mp4",
        "MP4, index at the end": "end.mp4",
        "WebM": "film.webm",
        "HLS, one variant, MPEG-TS": "ts.m3u8",
        "HLS, one variant, fMP4": "fmp4.m3u8",
        "HLS, five variants": "five.m3u8",
        "HLS, audio apart": "apart.m3u8",
    }


def run(tool, place):
    command, _, arguments = tool
    begin = time.monotonic()
    done = subprocess.run([command, *(word.replace("{}", place) for word in arguments.split())], stdin=subprocess.DEVNULL,
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=120)
    took = time.monotonic() - begin
    if done.returncode:
        raise SystemExit(f"{command} {place}: {done.stderr.decode(errors='replace')[-300:]}")
    return took


def served(tool, folder, name, rate=None, delay=0.0):
    """Returns the seconds, and the number of requests made by then."""
    server = Server(folder, rate, delay)
    try:
        took = run(tool, server.root + name)
        return took, len(server.paths)
    finally:
        server.close()


def measure(tool, folder, name, rounds):
    local = statistics.median(run(tool, str(folder / name)) for _ in range(rounds))
    late = [served(tool, folder, name, delay=DELAY) for _ in range(rounds)]
    slow = statistics.median(served(tool, folder, name, rate=SLOW)[0] for _ in range(3))
    return {"local": local, "late": statistics.median(took for took, _ in late), "requests": max(count for _, count in late), "slow": slow}


def table(report):
    here = report["machine"]
    lines = [compare.measured(here), "", *[f"* {name}: {version}" for name, version in here["versions"].items()], "",
             "| film | tool | requests | local | each answer 50 ms late | of that beyond the local time | 300 kB/s |",
             "|---|---|---:|---:|---:|---:|---:|"]
    for form, found in report["forms"].items():
        for tool, figures in found.items():
            beyond = figures["late"] - figures["local"]
            lines.append(f"| {form} | {tool} | {figures['requests']} | {figures['local'] * 1000:.0f} ms | {figures['late'] * 1000:.0f} ms "
                         f"| {beyond * 1000:.0f} ms | {figures['slow']:.2f} s |")
            form = ""
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--vplay", default=str(compare.ROOT / ".build/release/vplay"))
    parser.add_argument("--docs", type=pathlib.Path, default=compare.ROOT / "docs")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("film", nargs="?", type=pathlib.Path)
    options = parser.parse_args()
    present = tools(options.vplay)
    if "vplay" not in present:
        parser.error("vplay is not here; build it first: make build")
    report = {"machine": compare.machine(present), "delay": DELAY, "slow": SLOW, "forms": {}}
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for form, file in make(folder, options.film).items():
            report["forms"][form] = {}
            for tool in present:
                report["forms"][form][tool] = found = measure(present[tool], folder, file, options.rounds)
                print(f"{form}: {tool} {found}", flush=True)
    options.docs.mkdir(exist_ok=True)
    (options.docs / "results/first.json").write_text(json.dumps(report, indent=1) + "\n")
    compare.write_page(options.docs / "performance.md", table(report), BEGIN, END)


if __name__ == "__main__":
    main()
