#!/usr/bin/env python3
"""Compares `vplay` with ffmpeg, mpv and GStreamer, whichever are installed, as whole processes.

    compare.py [--vplay PATH] [--runs 5] [--docs docs] FILE-OR-FOLDER ...

Each file has two measurements: decoding the first video track as fast as possible with discarded output, and the time from start
to exit for the first frame alone. The tools alternate in a rotating order. The first round warms the caches and is not
counted. Wall clock, CPU seconds and peak memory come from wait4(2). Writes docs/results/performance.json, the table in
docs/performance.md between its two marks, and docs/images/performance.svg if matplotlib is installed.
"""

import argparse
import datetime
import json
import os
import pathlib
import platform
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
BEGIN, END = "<!-- compare:begin -->", "<!-- compare:end -->"
LIMIT = 600  # timeout of one run in seconds
BASE = "ffmpeg"


def tools(vplay):
    """Returns name -> command, version arguments, the arguments of each measurement with {} for the file."""
    mpv = "--no-config --untimed --no-audio --vo=null --really-quiet --hwdec=no"
    known = {
        "vplay": (vplay, "--version", {
            "decode": "bench {}",
            "first picture": "play --frames 1 --untimed --quiet --muted --audio none --video null {}",
        }),
        "ffmpeg": ("ffmpeg", "-version", {
            "decode": "-nostdin -v error -i {} -map 0:v:0 -f null -",
            "first picture": "-nostdin -v error -i {} -map 0:v:0 -frames:v 1 -f null -",
        }),
        "mpv": ("mpv", "--version", {
            "decode": mpv + " {}",
            "first picture": mpv + " --frames=1 {}",
        }),
        "gstreamer": ("gst-launch-1.0", "--version", {
            "decode": "-q filesrc location={} ! decodebin ! video/x-raw(ANY) ! fakesink sync=false",
        }),
    }
    return {name: (shutil.which(command), *rest) for name, (command, *rest) in known.items() if command and shutil.which(command)}


def measure(command):
    """Runs a command. Returns wall seconds, CPU seconds and peak memory in MB, or the output if it failed."""
    with tempfile.TemporaryFile() as errors:
        begin = time.monotonic()
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=errors)
        timer = threading.Timer(LIMIT, os.kill, (process.pid, signal.SIGKILL))
        timer.start()
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.monotonic() - begin
        timer.cancel()
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            errors.seek(0)
            return None, errors.read().decode(errors="replace").strip()[-300:] or f"exit status {process.returncode}"
    return {"wall": wall, "cpu": usage.ru_utime + usage.ru_stime, "memory": usage.ru_maxrss / 1024}, None


def rounds(file, what, present, runs):
    """Runs all tools in turn, `runs` times after one round that is not counted."""
    takers = [name for name, (_, _, arguments) in present.items() if what in arguments]
    samples, failures = {name: [] for name in takers}, {}
    for turn in range(runs + 1):
        for i in range(len(takers)):
            name = takers[(i + turn) % len(takers)]
            if name in failures:
                continue
            command, _, arguments = present[name]
            sample, failure = measure([command] + [a.replace("{}", str(file)) for a in arguments[what].split()])
            if failure:
                failures[name] = failure
                print(f"  {name}: failed: {failure}", file=sys.stderr)
            elif turn > 0:
                samples[name].append(sample)
    return {name: taken for name, taken in samples.items() if name not in failures}, failures


def summary(samples):
    """Returns medians per tool and figure, with the median of the ratios to ffmpeg's run of the same round."""
    result = {}
    for name, runs in samples.items():
        result[name] = {"runs": runs}
        for figure in ("wall", "cpu", "memory"):
            values = [run[figure] for run in runs]
            result[name][figure] = {"median": statistics.median(values), "min": min(values), "max": max(values)}
            if BASE in samples:
                pairs = [a[figure] / b[figure] for a, b in zip(runs, samples[BASE]) if b[figure] > 0]
                if pairs:
                    result[name][figure]["ratio"] = statistics.median(pairs)
    return result


def commit():
    git = ["git", "-C", str(ROOT), "describe", "--always", "--dirty"]
    return subprocess.run(git, capture_output=True, text=True).stdout.strip()


def machine(present):
    model = "unknown"
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith(("model name", "Model")):
            model = line.split(":", 1)[1].strip()
            break
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    system = platform.freedesktop_os_release().get("PRETTY_NAME", "") if hasattr(platform, "freedesktop_os_release") else ""
    versions = {}
    for name, (command, argument, _) in present.items():
        said = subprocess.run([command, argument], capture_output=True, text=True, stdin=subprocess.DEVNULL).stdout
        words = said.strip().splitlines()[:1]
        if name == "vplay":
            words.append(commit())
        versions[name] = " ".join(words) or "unknown"
    return {
        "processor": model,
        "cores": len(os.sched_getaffinity(0)),
        "memory": f"{memory:.0f} GB",
        "system": f"{system}, Linux {platform.release()}",
        "load": f"{os.getloadavg()[0]:.2f}",
        "date": datetime.date.today().isoformat(),
        "versions": versions,
    }


def measured(here):
    """Returns the sentence above a table: the date and the machine."""
    return (f"Measured {here['date']} on {here['processor']}, {here['cores']} cores, {here['memory']}, {here['system']}; "
            f"load at the start {here['load']}.")


def described(file):
    said = subprocess.run(
        ["ffprobe", "-v", "error", "-select_streams", "v:0", "-show_entries",
         "stream=codec_name,width,height,avg_frame_rate:format=duration", "-of", "json", str(file)],
        capture_output=True, text=True).stdout
    information = json.loads(said or "{}")
    if not information.get("streams"):
        return None
    stream = information["streams"][0]
    seconds = float(information.get("format", {}).get("duration", 0))
    return f"{stream['codec_name']} {stream['width']}x{stream['height']}, {seconds:.0f} s"


def table(report):
    here, runs = report["machine"], report["runs"]
    lines = [
        measured(here),
        "",
        *[f"* {name}: {version}" for name, version in here["versions"].items()],
        "",
        f"Medians of {runs} runs each; in brackets the median of the ratios to {BASE}, run by run.",
    ]

    def cell(figure, form):
        ratio = f" ({figure['ratio']:.2f})" if "ratio" in figure else ""
        return form(figure["median"]) + ratio

    for what, title in (("decode", "Decoding the video to nothing"), ("first picture", "From start to exit for one picture")):
        lines += ["", f"### {title}", "", "| file | tool | wall | CPU | peak memory |", "|---|---|---:|---:|---:|"]
        for entry in report["files"]:
            label = f"{entry['file']} ({entry['about']})"
            results, failures = entry[what]["results"], entry[what]["failures"]
            for name in report["machine"]["versions"]:
                if name in results:
                    result = results[name]
                    clock = (lambda v: f"{v:.2f} s") if what == "decode" else (lambda v: f"{v * 1000:.0f} ms")
                    row = [cell(result["wall"], clock), cell(result["cpu"], clock),
                           cell(result["memory"], lambda v: f"{v:.0f} MB")]
                elif name in failures:
                    row = ["failed", "", ""]
                else:
                    continue
                lines.append(f"| {label} | {name} | " + " | ".join(row) + " |")
                label = ""
    return "\n".join(lines)


def write_page(page, text, begin=BEGIN, end=END):
    old = page.read_text() if page.exists() else "# Performance\n"
    if begin not in old and not page.exists():
        old += f"\n{begin}\n{end}\n"
    if begin not in old or end not in old:
        sys.exit(f"{page} has lost its marks {begin} and {end}")
    head, rest = old.split(begin, 1)
    page.write_text(f"{head}{begin}\n{text}\n{end}{rest.split(end, 1)[1]}")


def pyplot():
    """Returns matplotlib's pyplot, set to write the same SVG for the same figures; None where matplotlib is not installed."""
    try:
        import matplotlib
    except ImportError:
        print("no plot: matplotlib is missing (python3 -m venv .venv && .venv/bin/pip install matplotlib)")
        return None
    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "playhead"
    from matplotlib import pyplot as found

    return found


def plot(report, path):
    drawing = pyplot()
    if drawing is None:
        return
    names = list(report["machine"]["versions"])
    labels = [f"{entry['file']}\n{entry['about']}" for entry in report["files"]]
    charts = [("decode", "wall", 1, "decoding, s"), ("decode", "cpu", 1, "decoding, CPU s"),
              ("decode", "memory", 1, "decoding, peak MB"), ("first picture", "wall", 1000, "first picture, ms")]
    figure, axes = drawing.subplots(1, len(charts), figsize=(4 * len(charts), 1.5 + 0.6 * len(labels)), sharey=True)
    height = 0.8 / len(names)
    for axis, (what, key, scale, title) in zip(axes, charts):
        for i, name in enumerate(names):
            rows = [(y, e[what]["results"][name][key]) for y, e in enumerate(report["files"]) if name in e[what]["results"]]
            middle = [r["median"] * scale for _, r in rows]
            reach = [[(r["median"] - r["min"]) * scale for _, r in rows], [(r["max"] - r["median"]) * scale for _, r in rows]]
            axis.barh([y + i * height for y, _ in rows], middle, height, xerr=reach, label=name, color=f"C{i}",
                      error_kw={"elinewidth": 0.8})
        axis.set_title(title, fontsize=10)
        axis.set_yticks([y + height * (len(names) - 1) / 2 for y in range(len(labels))], labels, fontsize=8)
        axis.spines[["top", "right"]].set_visible(False)
    axes[0].invert_yaxis()
    figure.legend(*axes[0].get_legend_handles_labels(), loc="lower right", ncol=len(names), fontsize=8, frameon=False)
    figure.text(0.005, 0.005, "median of the runs; lines: fastest and slowest", fontsize=7)
    figure.tight_layout(rect=(0, 0.06, 1, 1))
    figure.savefig(path, metadata={"Date": None})
    print(f"wrote {path}")


def inputs(parser, given):
    """Returns the files with video among the given files and folders, each with a short description."""
    files = []
    for path in given:
        if not path.exists():
            parser.error(f"{path}: no such file or folder")
        found = sorted(p for p in path.iterdir() if p.is_file()) if path.is_dir() else [path]
        files += [(file.resolve(), about) for file in found if (about := described(file))]
    if not files:
        parser.error("no file with a video track among these")
    return files


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--vplay", default=".build/release/vplay")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--docs", type=pathlib.Path, default=ROOT / "docs")
    parser.add_argument("inputs", nargs="+", type=pathlib.Path)
    options = parser.parse_args()
    if options.runs < 5:
        parser.error("fewer than 5 runs tell nothing")

    files = inputs(parser, options.inputs)
    present = tools(options.vplay)
    for name in ("vplay", BASE):
        if name not in present:
            parser.error(f"{name} is not here" + ("; build it first: make build" if name == "vplay" else ""))

    report = {"machine": machine(present), "runs": options.runs, "files": []}
    for file, about in files:
        print(f"{file.name} ({about})", flush=True)
        entry = {"file": file.name, "about": about}
        for what in ("decode", "first picture"):
            samples, failures = rounds(file, what, present, options.runs)
            entry[what] = {"results": summary(samples), "failures": failures}
            for name, result in entry[what]["results"].items():
                wall, cpu, memory = (result[figure]["median"] for figure in ("wall", "cpu", "memory"))
                print(f"  {what:14} {name:10} {wall:7.3f} s  {cpu:7.3f} s CPU  {memory:5.0f} MB")
        report["files"].append(entry)

    options.docs.mkdir(exist_ok=True)
    (options.docs / "results/performance.json").write_text(json.dumps(report, indent=1) + "\n")
    write_page(options.docs / "performance.md", table(report))
    print(f"wrote {options.docs / 'performance.md'} and performance.json")
    plot(report, options.docs / "images/performance.svg")


if __name__ == "__main__":
    main()
