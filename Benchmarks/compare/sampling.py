#!/usr/bin/env python3
"""Compares sampling frames of films with PyAV, decord and OpenCV, opening included.

    sampling.py [--bench PATH] [--python PATH] [--count 32] [--size 224] [--rounds 9] [--seed N] [--docs docs] FILE-OR-FOLDER ...

Each file is sampled twice: at the middles of `count` equal parts, and at `count` random times in random order. A sample is the frame due
at its time, in RGB with 8 bits and the given size. Every tool runs in a process of its own, which stays open, so that starting it is not
measured. A measurement begins before the file is opened and ends when the last frame is in memory. The tools alternate, round by round;
the first round is not counted. The figures are the median and the quartiles of the wall time, and the CPU time of the process.

PyAV (frame threads), decord and OpenCV are measured in the ways in which they are used, and the best way counts: PyAV sorts the times and
decodes on within a group of pictures; decord and OpenCV sort them or not. `--python` is a Python with the packages `av`, `decord` and
`opencv-python-headless`; a package that is missing is left out.

The frames are compared after the measurement: the frame of each tool must resemble Playhead's (at least 25 dB), because scalers differ.
Writes docs/results/sampling.json, the table in docs/performance.md between its two marks, and docs/images/sampling.svg if matplotlib is installed.
"""

import argparse
import hashlib
import json
import math
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile

import compare
import seek

BEGIN, END = "<!-- sampling:begin -->", "<!-- sampling:end -->"
SIMILAR = 25  # decibels
WAYS = ["pyav", "decord", "decord sorted", "opencv", "opencv sorted"]


class Worker:
    """A process that answers one line with one line of JSON."""

    def __init__(self, command, origin=0):
        self.origin = origin
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)

    def ask(self, times, name="-"):
        times = [max(0, time - self.origin) for time in times]
        self.process.stdin.write(" ".join([name, *(f"{time:.6f}" for time in times)]) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        return json.loads(line) if line else {"error": f"ended with {self.process.wait()}"}

    def close(self):
        self.process.stdin.close()
        self.process.wait()


# MARK: The peers, each in a process of its own


def peer(way, path, side):
    """Answers lines as SamplingBench does."""
    import resource
    import time

    sample = PEERS[way.split()[0]](path, side, way.endswith("sorted"))
    for line in sys.stdin:
        name, *times = line.split()
        times = [float(word) for word in times]
        before, begin = resource.getrusage(resource.RUSAGE_SELF), time.monotonic()
        try:
            frames = sample(times)
        except Exception as error:  # The peer's own failure is a result.
            print(json.dumps({"error": f"{type(error).__name__}: {error}"}), flush=True)
            continue
        wall, after = time.monotonic() - begin, resource.getrusage(resource.RUSAGE_SELF)
        cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        if name != "-":
            pathlib.Path(name).write_bytes(b"".join(frame.tobytes() for frame in frames))
        print(json.dumps({"seconds": wall, "cpu": cpu}), flush=True)


def pyav(path, side, _):
    import av

    def sample(times):
        frames = [None] * len(times)
        with av.open(path) as container:
            stream = container.streams.video[0]
            stream.thread_type = "AUTO"
            zero, base = stream.start_time or 0, stream.time_base
            decoded, before, after = None, None, None
            for index in sorted(range(len(times)), key=times.__getitem__):
                target = zero + math.floor(times[index] / base + 1e-6)
                # Decoding continues if no key frame lies between.
                if decoded is None or before is None or key_before(container, stream, target) > before.pts:
                    # The index has decoding times, so the key frame may be presented after the target.
                    for back in (0, 1, 4, 16):
                        container.seek(max(zero, target - int(back / base)), stream=stream, backward=True)
                        decoded, before = container.decode(stream), None
                        after = next(decoded, None)
                        if after is None or after.pts <= target:
                            break
                while after is None or after.pts <= target:
                    if after is not None:
                        before = after
                    after = next(decoded, None)
                    if after is None:
                        break
                due = before or after
                frames[index] = due.reformat(side, side, "rgb24").to_ndarray()
                if after is None:
                    decoded = None
        return frames

    def key_before(container, stream, target):
        entries = getattr(stream, "index_entries", None)
        if not entries:
            return -math.inf
        position = entries.search_timestamp(target, backward=True)
        return entries[position].timestamp if position >= 0 else -math.inf

    return sample


def decord(path, side, is_sorted):
    import decord as library

    def sample(times):
        reader = library.VideoReader(path, width=side, height=side)
        rate = reader.get_avg_fps()
        numbers = [min(len(reader) - 1, int(time * rate + 1e-6)) for time in times]
        if not is_sorted:
            return list(reader.get_batch(numbers).asnumpy())
        order = sorted(range(len(numbers)), key=numbers.__getitem__)
        batch = reader.get_batch([numbers[index] for index in order]).asnumpy()
        frames = [None] * len(numbers)
        for position, index in enumerate(order):
            frames[index] = batch[position]
        return frames

    return sample


def opencv(path, side, is_sorted):
    import cv2

    def sample(times):
        capture = cv2.VideoCapture(path, cv2.CAP_FFMPEG)
        rate, count = capture.get(cv2.CAP_PROP_FPS), int(capture.get(cv2.CAP_PROP_FRAME_COUNT))
        numbers = [min(count - 1, int(time * rate + 1e-6)) for time in times]
        order = range(len(numbers))
        if is_sorted:
            order = sorted(order, key=numbers.__getitem__)
        frames, position = [None] * len(numbers), 0
        for index in order:
            # Decoding on is faster than a seek within about a group of pictures.
            if not is_sorted or not position <= numbers[index] <= position + 120:
                capture.set(cv2.CAP_PROP_POS_FRAMES, numbers[index])
                position = numbers[index]
            while position < numbers[index]:
                capture.grab()
                position += 1
            read, frame = capture.read()
            if not read:
                raise RuntimeError(f"frame {numbers[index]} cannot be read")
            position += 1
            frames[index] = cv2.cvtColor(cv2.resize(frame, (side, side), interpolation=cv2.INTER_AREA), cv2.COLOR_BGR2RGB)
        return frames

    return sample


PEERS = {"pyav": pyav, "decord": decord, "opencv": opencv}


# MARK: The comparison


def available(python):
    """Returns the version of each package that the Python has."""
    names = {"pyav": "av", "decord": "decord", "opencv": "opencv-python-headless"}
    program = ("import importlib.metadata as m, json\nfound = {}\n"
               f"for name, package in {names!r}.items():\n"
               "    try: found[name] = m.version(package)\n    except m.PackageNotFoundError: pass\nprint(json.dumps(found))")
    return json.loads(subprocess.run([python, "-c", program], capture_output=True, text=True, check=True).stdout)


def similarity(a, b):
    """Returns the peak signal-to-noise ratio of two frames in decibels."""
    error = sum((x - y) ** 2 for x, y in zip(a[::7], b[::7])) / max(1, len(a[::7]))
    return math.inf if error == 0 else 10 * math.log10(255 ** 2 / error)


def quartiles(values):
    low, middle, high = statistics.quantiles(values, n=4) if len(values) > 1 else values * 3
    return {"median": middle, "q1": low, "q3": high, "all": values}


def series(duration, count, seed):
    generator = random.Random(seed)
    return {
        "uniform": [round(duration * (2 * index + 1) / (2 * count), 6) for index in range(count)],
        "random": [round(generator.uniform(0, duration), 6) for _ in range(count)],
    }


def duration(file):
    said = subprocess.run(["ffprobe", "-v", "error", "-select_streams", "v:0", "-show_entries", "stream=duration:format=duration",
                           "-of", "json", str(file)], capture_output=True, text=True).stdout
    facts = json.loads(said)
    return float((facts.get("streams") or [{}])[0].get("duration") or facts["format"]["duration"])


def origin(file):
    """Returns the time of the first video frame on the item's timeline, from which the peers count."""
    said = subprocess.run(["ffprobe", "-v", "error", "-select_streams", "v:0", "-show_entries", "stream=start_time", "-of", "json", str(file)],
                          capture_output=True, text=True).stdout
    return float(json.loads(said)["streams"][0].get("start_time", 0)) - seek.start(file)


def measure(file, options, ways):
    workers = {"playhead": Worker([options.bench, str(file), f"{options.size}x{options.size}"])}
    for way in ways:
        command = [options.python, __file__, "--peer", way, "--size", str(options.size), str(file)]
        workers[way] = Worker(command, origin(file))
    entry = {}
    for name, times in series(duration(file), options.count, options.seed).items():
        samples = {tool: [] for tool in workers}
        failures = {}
        for turn in range(options.rounds + 1):
            tools = [tool for tool in workers if tool not in failures]
            for tool in tools if turn % 2 else reversed(tools):
                answer = workers[tool].ask(times)
                if "error" in answer:
                    failures[tool] = answer["error"]
                elif turn > 0:
                    samples[tool].append(answer)
        entry[name] = {"failures": failures}
        for tool, answers in samples.items():
            if tool not in failures:
                entry[name][tool] = {kind: quartiles([answer[kind] for answer in answers]) for kind in ("seconds", "cpu")}
        check(entry[name], workers, times, options)
        peers = [tool for tool in ways if tool in entry[name]]
        if peers and "playhead" in entry[name]:
            best = min(peers, key=lambda tool: entry[name][tool]["seconds"]["median"])
            entry[name]["best"] = best
            entry[name]["ratio"] = entry[name]["playhead"]["seconds"]["median"] / entry[name][best]["seconds"]["median"]
    for worker in workers.values():
        worker.close()
    return entry


def check(result, workers, times, options):
    """Adds the hash of each tool's frames, and the number of those that do not resemble Playhead's."""
    length = options.size * options.size * 3
    with tempfile.TemporaryDirectory() as folder:
        reference = None
        for tool, worker in workers.items():
            if tool not in result:
                continue
            path = pathlib.Path(folder) / "frames"
            worker.ask(times, str(path))
            data = path.read_bytes()
            result[tool]["sha256"] = hashlib.sha256(data).hexdigest()
            reference = reference or data
            pairs = [(data[at:at + length], reference[at:at + length]) for at in range(0, len(reference), length)]
            result[tool]["different"] = sum(len(a) != len(b) or similarity(a, b) < SIMILAR for a, b in pairs)


def milliseconds(result):
    wall = result["seconds"]
    return f"{wall['median'] * 1000:.0f} ({wall['q1'] * 1000:.0f} to {wall['q3'] * 1000:.0f})"


def table(report):
    here = report["machine"]
    lines = [
        f"{compare.measured(here)} {report['count']} frames of {report['size']}x{report['size']} RGB, seed {report['seed']}, "
        f"{report['rounds']} rounds. Wall time in ms: median (quartiles).",
        "",
        *[f"* {name}: {version}" for name, version in here["versions"].items()],
        "",
        "| file | series | Playhead | CPU | best peer | | CPU | ratio | peer's different frames |",
        "|---|---|---:|---:|---|---:|---:|---:|---:|",
    ]
    for entry in report["files"]:
        label = f"{entry['file']} ({entry['about']})"
        for name in ("uniform", "random"):
            result = entry[name]
            ours, best = result["playhead"], result.get("best")
            cells = [milliseconds(ours), f"{ours['cpu']['median'] * 1000:.0f}"]
            if best:
                peer = result[best]
                cells += [best, milliseconds(peer), f"{peer['cpu']['median'] * 1000:.0f}", f"{result['ratio']:.2f}", str(peer["different"])]
            else:
                cells += [""] * 5
            lines.append(f"| {label} | {name} | " + " | ".join(cells) + " |")
            label = ""
    if failed := failed_peers(report):
        lines += ["", "Left out, because they fail: " + "; ".join(failed) + "."]
    return "\n".join(lines)


def failed_peers(report):
    """Returns a phrase for each file that a peer cannot sample, with the names of these peers."""
    found = []
    for entry in report["files"]:
        tools = sorted({tool.split()[0] for name in ("uniform", "random") for tool in entry[name]["failures"]})
        if tools:
            found.append(f"{' and '.join(tools)} with {entry['file']}")
    return found


def plot(report, path):
    """Draws the wall time of Playhead and of the best way of each peer, for each file and series."""
    drawing = compare.pyplot()
    if drawing is None:
        return
    labels = [f"{entry['file']}\n{entry['about']}" for entry in report["files"]]
    names = ["playhead", *PEERS]
    figure, axes = drawing.subplots(1, 2, figsize=(11, 1.5 + 0.6 * len(labels)), sharey=True)
    height = 0.8 / len(names)
    for axis, series in zip(axes, ("uniform", "random")):
        for i, name in enumerate(names):
            rows = []
            for y, entry in enumerate(report["files"]):
                ways = [entry[series][tool]["seconds"] for tool in entry[series] if tool.split()[0] == name]
                if ways:
                    rows.append((y, min(ways, key=lambda seconds: seconds["median"])))
            middle = [seconds["median"] * 1000 for _, seconds in rows]
            reach = [[(seconds["median"] - seconds["q1"]) * 1000 for _, seconds in rows],
                     [(seconds["q3"] - seconds["median"]) * 1000 for _, seconds in rows]]
            axis.barh([y + i * height for y, _ in rows], middle, height, xerr=reach, label=name, color=f"C{i}",
                      error_kw={"elinewidth": 0.8})
        axis.set_title(f"{report['count']} frames, {series} times, ms", fontsize=10)
        axis.set_yticks([y + height * (len(names) - 1) / 2 for y in range(len(labels))], labels, fontsize=8)
        axis.spines[["top", "right"]].set_visible(False)
    axes[0].invert_yaxis()
    figure.legend(*axes[0].get_legend_handles_labels(), loc="lower right", ncol=len(names), fontsize=8, frameon=False)
    figure.text(0.005, 0.005, "median; lines: quartiles", fontsize=7)
    figure.tight_layout(rect=(0, 0.06, 1, 1))
    figure.savefig(path, metadata={"Date": None})
    print(f"wrote {path}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bench", default="Benchmarks/.build/release/SamplingBench")
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--count", type=int, default=32)
    parser.add_argument("--size", type=int, default=224)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--docs", type=pathlib.Path, default=compare.ROOT / "docs")
    parser.add_argument("--ways", nargs="+", choices=WAYS, default=WAYS, help="the peers to measure")
    parser.add_argument("--peer", choices=WAYS, help=argparse.SUPPRESS)
    parser.add_argument("inputs", nargs="+", type=pathlib.Path)
    options = parser.parse_args()
    if options.peer:
        return peer(options.peer, str(options.inputs[0]), options.size)
    if not pathlib.Path(options.bench).exists():
        parser.error(f"{options.bench} is not here; build it first: make compare SAMPLING=1 FILE=...")

    versions = available(options.python)
    ways = [way for way in options.ways if way.split()[0] in versions]
    report = {"machine": compare.machine({}), "seed": options.seed, "count": options.count, "size": options.size,
              "rounds": options.rounds, "files": []}
    report["machine"]["versions"] = {**versions, "playhead": compare.commit()}
    for file, about in compare.inputs(parser, options.inputs):
        print(f"{file.name} ({about})", flush=True)
        entry = {"file": file.name, "about": about, **measure(file, options, ways)}
        report["files"].append(entry)
        for name in ("uniform", "random"):
            result = entry[name]
            words = [f"{tool} {milliseconds(result[tool])} cpu {result[tool]['cpu']['median'] * 1000:.0f} different {result[tool]['different']}"
                     for tool in ("playhead", *ways) if tool in result]
            words += [f"{tool} failed: {reason}" for tool, reason in result["failures"].items()]
            if "ratio" in result:
                words.append(f"ratio {result['ratio']:.2f} of {result['best']}")
            print(f"  {name:8} " + "\n           ".join(words), flush=True)

    options.docs.mkdir(exist_ok=True)
    (options.docs / "results/sampling.json").write_text(json.dumps(report, indent=1) + "\n")
    compare.write_page(options.docs / "performance.md", table(report), BEGIN, END)
    print(f"wrote {options.docs / 'performance.md'} and sampling.json")
    plot(report, options.docs / "images/sampling.svg")


if __name__ == "__main__":
    main()
