#!/usr/bin/env python3
"""Measures what a user sees while dragging a timeline and while stepping back, with and without what serves that.

    scrub.py [--bench PATH] [--count 60] [--seed N] [--docs docs] FILE-OR-FOLDER ...

Each file is measured with these series, the two settings in turn:

* random: exact seeks to random times, one after the other. "before" is `Player.isScrubbing` = false, "now" is true. The first picture is
  the first frame that reaches the sink after the call; the exact frame is timed until the completion handler is called.
* drag: a finger that crosses a quarter of the film forward and back, a seek every sixtieth of a second. For each seek the time until the
  next picture, and after the last one the time until the exact frame.
* frame back: steps of one frame backward, 30 a second, as a key that is held down repeats. "before" is without memory for frames that are
  decoded ahead (`Player.frameCacheByteLimit` = 0).

* key frame alone: for the same random times, PyAV seeks to the key frame before each one and decodes it, with threads that share the frame.
  It displays nothing. The row is left out if PyAV is missing.

Then the same is repeated untimed, and the MD5 of each exact frame is compared with that of the frame that ffmpeg decodes for its time.
Writes docs/results/scrubbing.json and the table in docs/performance.md between its two marks.
"""

import argparse
import json
import math
import os
import pathlib
import random
import shutil
import time

import compare
import seek

BEGIN, END = "<!-- scrubbing:begin -->", "<!-- scrubbing:end -->"
STEPS_PER_SECOND = 30


def drags(frames):
    """Returns the drags of a film: start, end, number of seeks."""
    end = frames[-1][0]
    return [(end * 0.25, end * 0.5, 60), (end * 0.5, end * 0.25, 60), (end * 0.6, end * 0.55, 60)]


def scrub(bench, file, frames, targets, is_scrubbing, hashes=False):
    """Returns the answers of random seeks and of drags."""
    player = seek.Ours(bench, file, hashes)
    player.ask(f"scrubbing {int(is_scrubbing)}")
    player.seek(0)
    answers = [player.seek(target) for target in targets]
    dragged = []
    for begin, end, count in drags(frames):
        player.seek(begin)
        dragged.append(player.ask(f"drag {begin:.6f} {end:.6f} {count}"))
    player.close()
    return answers, dragged


def step_back(bench, file, frames, count, has_cache, hashes=False):
    """Returns the answers of steps back from the middle of the film, at an even pace."""
    options = [] if has_cache else ["--no-cache"]
    player = seek.Ours(bench, file, hashes, options)
    player.seek(round(frames[len(frames) // 2][0] + 1e-3, 6))
    answers, begin = [], time.monotonic()
    for index in range(count):
        time.sleep(max(0, begin + (index + 1) / STEPS_PER_SECOND - time.monotonic()))
        answers.append(player.back())
    player.close()
    return answers


def decode_key_frames(file, targets):
    """Returns the seconds that PyAV needs to seek to the key frame before each time and to decode it, or None without PyAV."""
    try:
        import av
    except ImportError:
        return None
    times = []
    with av.open(str(file)) as container:
        stream = container.streams.video[0]
        stream.thread_type, stream.thread_count = "SLICE", os.cpu_count()
        zero, decoder = stream.start_time or 0, stream.codec_context
        for target in targets:
            begin = time.monotonic()
            container.seek(zero + math.floor(target / stream.time_base), stream=stream, backward=True)
            packet = next(packet for packet in container.demux(stream) if packet.is_keyframe)
            if not decoder.decode(packet):
                decoder.decode(None)
            times.append(time.monotonic() - begin)
            decoder.flush_buffers()
    return spread(times)


def spread(values):
    return {"p50": seek.percentile(values, 0.5), "p95": seek.percentile(values, 0.95), "all": values}


def wrong(frames, answers, targets):
    return seek.check(answers, 0, targets, frames)


def measure(file, bench, count, seed):
    frames = seek.reference(file)
    generator = random.Random(seed)
    targets = [round(generator.uniform(0, frames[-1][0]), 6) for _ in range(count)]
    steps = min(3 * count, len(frames) // 2 - 1)
    ends = [end for _, end, _ in drags(frames)]
    middle = round(frames[len(frames) // 2][0] + 1e-3, 6)
    entry = {"key frame": decode_key_frames(file, targets)}
    for label, is_on in (("before", False), ("now", True)):
        answers, dragged = scrub(bench, file, frames, targets, is_on)
        back = step_back(bench, file, frames, steps, is_on)
        judged, ended = scrub(bench, file, frames, targets, is_on, hashes=True)
        stepped = step_back(bench, file, frames, steps, is_on, hashes=True)
        entry[label] = {
            "random": {"first": spread([a.get("first", a["seconds"]) for a in answers]), "exact": spread([a["seconds"] for a in answers])},
            "drag": {"first": spread([w for d in dragged for w in d["waits"]]), "exact": spread([d["seconds"] for d in dragged])},
            "frame back": {"first": spread([a["seconds"] for a in back])},
            "wrong": wrong(frames, answers, targets) + wrong(frames, judged, targets) + wrong(frames, dragged, ends)
            + wrong(frames, ended, ends) + sum(seek.check(each, middle, [None] * steps, frames) for each in (back, stepped)),
            "checked": 2 * (len(targets) + len(ends) + steps),
        }
    return entry


def table(report):
    here = report["machine"]
    lines = [
        f"{compare.measured(here)} {report['count']} random seeks, 3 drags of 60 seeks each, seed {report['seed']}.",
        "",
        *[f"* {name}: {version}" for name, version in here["versions"].items()],
        "",
        "| file | series | before: p50 | p95 | now: p50 | p95 | wrong frames |",
        "|---|---|---:|---:|---:|---:|---:|",
    ]
    rows = [("random", "first", "random, first picture"), ("random", "exact", "random, exact frame"),
            ("drag", "first", "dragged, next picture"), ("drag", "exact", "dragged, exact frame at the end"),
            ("frame back", "first", "back, a frame each, 30 a second")]
    for entry in report["files"]:
        label = f"{entry['file']} ({entry['about']})"
        for index, (series, part, title) in enumerate(rows):
            cells = [f"{entry[when][series][part][p] * 1000:.1f} ms" for when in ("before", "now") for p in ("p50", "p95")]
            total = [entry[when][what] for what in ("wrong", "checked") for when in ("before", "now")]
            cells.append(f"{total[0] + total[1]} of {total[2] + total[3]}" if index == 0 else "")
            lines.append(f"| {label} | {title} | " + " | ".join(cells) + " |")
            label = ""
            if index == 0 and entry["key frame"]:
                cells = [f"{entry['key frame'][p] * 1000:.1f} ms" for p in ("p50", "p95")]
                lines.append("|  | key frame alone, PyAV |  |  | " + " | ".join(cells) + " |  |")
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
        parser.error(f"{options.bench} is not here; build it first: make compare SCRUB=1 FILE=...")

    present = {name: tool for name, tool in compare.tools(None).items() if name == "ffmpeg"}
    report = {"machine": compare.machine(present), "seed": options.seed, "count": options.count, "files": []}
    report["machine"]["versions"]["playhead"] = compare.commit()
    print(f"seed {options.seed}")
    for file, about in compare.inputs(parser, options.inputs):
        print(f"{file.name} ({about})", flush=True)
        entry = {"file": file.name, "about": about, **measure(file, options.bench, options.count, options.seed)}
        report["files"].append(entry)
        for label in ("before", "now"):
            parts = [f"{series} {part} p50 {values['p50'] * 1000:.1f} p95 {values['p95'] * 1000:.1f} ms"
                     for series in ("random", "drag", "frame back") for part, values in entry[label][series].items()]
            print(f"  {label:6} " + "   ".join(parts) + f"   wrong {entry[label]['wrong']} of {entry[label]['checked']}", flush=True)

    (options.docs / "results").mkdir(parents=True, exist_ok=True)
    (options.docs / "results/scrubbing.json").write_text(json.dumps(report, indent=1) + "\n")
    compare.write_page(options.docs / "performance.md", table(report), BEGIN, END)
    print(f"wrote {options.docs / 'performance.md'} and scrubbing.json")


if __name__ == "__main__":
    main()
