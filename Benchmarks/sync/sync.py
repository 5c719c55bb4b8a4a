#!/usr/bin/env python3
"""Measures audio-video synchronization through a real PulseAudio server with `vplay`, and with mpv if it is installed.

    sync.py [--vplay PATH] [--seconds 60] [--docs docs]

It starts a server with a null sink and records the sink's monitor. The clip, which it creates, has a white frame and a click at each
whole second, and a quiet tone throughout. It writes docs/results/sync.json, the table in docs/performance.md between its two marks, and
docs/images/sync.svg if matplotlib is installed.

* A frame is shown when the player writes its bytes (vplay: raw frames through a pipe; mpv: --vo=tct, which draws with characters,
  through a pipe).
* The time at which a click is heard follows from its sample number: a null sink renders each block when it is due, so the earliest
  arrivals of the recording give the time of sample 0.
"""

import argparse
import array
import datetime
import json
import os
import pathlib
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
BEGIN, END = "<!-- sync:begin -->", "<!-- sync:end -->"
RATE, WIDTH, HEIGHT = 48000, 64, 36
FRAME = WIDTH * HEIGHT * 3 // 2


class Server:
    def __init__(self, folder, arguments=""):
        self.folder, self.process, self.arguments = folder, None, arguments
        self.environment = dict(os.environ, XDG_RUNTIME_DIR=folder, HOME=folder, PULSE_SERVER=f"unix:{folder}/native")

    def start(self):
        environment = {k: v for k, v in self.environment.items() if k != "PULSE_SERVER"}
        self.process = subprocess.Popen(
            ["pulseaudio", "-n", "--daemonize=no", "--exit-idle-time=-1", "--use-pid-file=no", "--log-level=error",
             f"--load=module-null-sink sink_name=null rate={RATE} {self.arguments}",
             f"--load=module-native-protocol-unix auth-anonymous=1 socket={self.folder}/native"],
            env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while subprocess.run(["pactl", "info"], env=self.environment, capture_output=True).returncode:
            pass

    def kill(self):
        self.process.kill()
        self.process.wait()


class Recording:
    """Records the monitor in blocks with their times of arrival."""

    def __init__(self, server):
        self.samples, self.arrivals = array.array("f"), []
        self.process = subprocess.Popen(
            ["parec", "--device=null.monitor", "--format=float32le", "--channels=1", f"--rate={RATE}", "--latency-msec=10",
             "--raw"], env=server.environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.thread = threading.Thread(target=self.read, daemon=True)
        self.thread.start()

    def read(self):
        rest = b""
        while data := os.read(self.process.stdout.fileno(), 1 << 16):
            now = time.monotonic()
            self.arrivals.append((len(self.samples), now))
            data = rest + data
            whole = len(data) // 4 * 4
            self.samples.frombytes(data[:whole])
            rest = data[whole:]

    def stop(self):
        self.process.terminate()
        self.thread.join()

    def origin(self):
        """Returns the time at which sample 0 was heard, as if no samples were lost. A device that rewinds samples it has
        rendered ahead, as the null device does when a stream begins, omits samples from its monitor."""
        first = next((place for place, value in enumerate(self.samples) if abs(value) > 1e-3), 0)
        late = sorted(at - place / RATE for place, at in self.arrivals[5:] if place > first + RATE // 2)
        if not late:
            late = sorted(at - place / RATE for place, at in self.arrivals)
        return late[len(late) // 200]

    def clicks(self):
        found, last, origin = [], -RATE, self.origin()
        for place, value in enumerate(self.samples):
            if abs(value) > 0.2:
                if place - last > RATE // 10:
                    found.append(origin + place / RATE)
                last = place
        return found

    def heard_after(self, begin):
        """Returns the seconds from `begin` to the first audible sample, or None if there is none."""
        first = next((place for place, value in enumerate(self.samples) if abs(value) > 1e-3), None)
        return None if first is None else max(0, self.origin() + first / RATE - begin)

    def holes(self):
        """Counts silences of more than 2 ms inside the tone."""
        count, run, begun = 0, 0, False
        for value in self.samples:
            if abs(value) < 1e-4:
                run += 1
                continue
            if begun and run > RATE // 500:
                count += 1
            begun, run = True, 0
        return count


def make_clip(path, seconds):
    sound = f"0.02*sin(2*PI*440*t)+0.5*sin(2*PI*1000*t+PI/2)*lt(mod(t,1),0.01)".replace(",", "\\,")
    subprocess.run(
        ["ffmpeg", "-nostdin", "-v", "error", "-y",
         "-f", "lavfi", "-i", f"color=black:s={WIDTH}x{HEIGHT}:r=25:d={seconds},"
         "drawbox=c=white:t=fill:enable='lt(mod(t+0.001,1),0.03)'",
         "-f", "lavfi", "-i", f"aevalsrc={sound}:s={RATE}:d={seconds}",
         "-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p", "-c:a", "flac", path],
        check=True)


def play_vplay(vplay, server, clip, folder, watch):
    pipe = f"{folder}/pictures"
    os.mkfifo(pipe)
    process = subprocess.Popen(
        [vplay, "play", "--audio", "pulse", "--video", f"raw:{pipe}", "--stats", clip],
        env=server.environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    source = os.open(pipe, os.O_RDONLY)
    flashes, times, picture = [], [], b""
    while data := os.read(source, FRAME - len(picture)):
        picture += data
        if len(picture) < FRAME:
            continue
        now = time.monotonic()
        times.append(now)
        if picture[FRAME // 3] > 128:
            flashes.append(now)
        watch(now)
        picture = b""
    os.close(source)
    os.unlink(pipe)
    said = process.stderr.read().decode()
    _, _, usage = os.wait4(process.pid, 0)
    return flashes, times, said, usage.ru_utime + usage.ru_stime


def play_mpv(server, clip):
    process = subprocess.Popen(
        ["mpv", "--no-config", "--vo=tct", "--vo-tct-width=8", "--vo-tct-height=4", "--vo-tct-algo=plain", "--ao=pulse",
         "--msg-level=all=no", clip],
        env=server.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    flashes, times = [], []
    while data := os.read(process.stdout.fileno(), 1 << 16):
        now = time.monotonic()
        times.append(now)
        if b"48;2;2" in data and (not flashes or now - flashes[-1] > 0.5):
            flashes.append(now)
    process.wait()
    return flashes, times


def compare(flashes, clicks):
    """Returns the milliseconds by which each click follows its frame, in order. Clicks and frames are matched by the whole second.

    The first frame is excluded, because players show it as a still before they start."""
    offsets = []
    for flash in flashes[1:]:
        nearest = min(clicks, key=lambda click: abs(click - flash), default=None)
        if nearest is not None and abs(nearest - flash) < 0.4:
            offsets.append((flash - flashes[0], (nearest - flash) * 1000))
    return offsets


def drift(offsets):
    """Returns milliseconds per minute: the median slope between any two clicks, which is robust against a few late frames."""
    points = [(x / 60, y) for x, y in offsets]
    return statistics.median((b[1] - a[1]) / (b[0] - a[0]) for i, a in enumerate(points) for b in points[i + 1:])


def summary(offsets):
    values = [y for _, y in offsets]
    return {"clicks": len(values), "mean": statistics.mean(values), "median": statistics.median(values), "worst": max(values, key=abs),
            "drift": drift(offsets), "offsets": offsets}


def sound_alone(command, server):
    process = subprocess.Popen(command, env=server.environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
    _, _, usage = os.wait4(process.pid, 0)
    return usage.ru_utime + usage.ru_stime


def measure(options, folder):
    clip, short = f"{folder}/clip.mkv", f"{folder}/short.mkv"
    make_clip(clip, options.seconds)
    make_clip(short, 20)
    mpv = shutil.which("mpv")
    server = Server(folder)
    server.start()
    report = {"date": datetime.date.today().isoformat(), "seconds": options.seconds, "cores": len(os.sched_getaffinity(0)),
              "load": os.getloadavg()[0]}

    def recorded(body):
        recording = Recording(server)
        while len(recording.samples) < RATE // 2:
            time.sleep(0.05)
        result = body()
        time.sleep(0.5)
        recording.stop()
        return recording, result

    print("in step", flush=True)
    recording, played = recorded(lambda: play_vplay(options.vplay, server, clip, folder, lambda now: None))
    report["vplay"] = summary(compare(played[0], recording.clicks())) | {"said": played[2]}
    if mpv:
        recording, played = recorded(lambda: play_mpv(server, clip))
        offsets = compare(played[0], recording.clicks())
        if len(offsets) > 2:
            report["mpv"] = summary(offsets)

    print("sound alone", flush=True)
    report["cpu"] = {"vplay": sound_alone([options.vplay, "play", "--video", "none", "--audio", "pulse", "--quiet", short], server)}
    if mpv:
        report["cpu"]["mpv"] = sound_alone([mpv, "--no-config", "--no-video", "--ao=pulse", "--really-quiet", short], server)

    print("under load", flush=True)
    burners = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(report["cores"])]
    try:
        recording, played = recorded(lambda: play_vplay(options.vplay, server, clip, folder, lambda now: None))
        underruns = int(played[2].split("underruns ")[1].split(",")[0])
        report["load test"] = {"vplay": {"holes": recording.holes(), "underruns": underruns}}
        if mpv:
            recording, _ = recorded(lambda: subprocess.run(
                [mpv, "--no-config", "--vo=null", "--ao=pulse", "--really-quiet", clip], env=server.environment,
                stdin=subprocess.DEVNULL))
            report["load test"]["mpv"] = {"holes": recording.holes()}
    finally:
        for burner in burners:
            burner.kill()
            burner.wait()

    print("server killed", flush=True)
    server.kill()
    report["kills"] = {}
    for name, arguments in (("plain", ""), ("norewinds=1", "norewinds=1")):
        server.arguments = arguments
        server.start()
        report["kills"][name] = killed(options, server, clip, folder) | {"control": control(server, short, folder)}
        server.kill()
    return report


def control(server, clip, folder):
    """Returns the seconds from the server's start until PulseAudio's own player, started at that moment, is heard."""
    sound = f"{folder}/control.wav"
    subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-y", "-i", clip, "-t", "2", "-vn", sound], check=True)
    server.kill()
    server.start()
    begin = time.monotonic()
    recording = Recording(server)
    subprocess.run(["paplay", sound], env=server.environment, check=True)
    recording.stop()
    return recording.heard_after(begin)


def killed(options, server, clip, folder):
    """Kills the server every 5 s and starts it again half a second later, ten times."""
    stop, returns, recordings = threading.Event(), [], []

    def torment():
        for _ in range(10):
            if stop.wait(4.5):
                return
            server.kill()
            if stop.wait(0.5):
                return
            server.start()
            returns.append(time.monotonic())
            recordings.append(Recording(server))

    thread = threading.Thread(target=torment)
    thread.start()
    flashes, times, said, _ = play_vplay(options.vplay, server, clip, folder, lambda now: None)
    stop.set()
    thread.join()
    # The player shows the first frame while it waits for the first audio.
    start, gap = times[1] - times[0], max(b - a for a, b in zip(times[1:], times[2:]))
    back, offsets = [], []
    for begin, recording in zip(returns, recordings):
        recording.stop()
        if not recording.arrivals:
            continue
        heard = recording.heard_after(begin)
        if heard is not None:
            back.append(heard)
        offsets += [y for _, y in compare(flashes, recording.clicks())]
    return {"kills": len(returns), "start": start, "longest gap between pictures": gap, "back after": back, "offsets": offsets, "said": said}


def table(report):
    def row(name):
        r = report.get(name)
        if not r:
            return []
        return [f"| {name} | {r['clicks']} | {r['mean']:+.1f} ms | {r['median']:+.1f} ms | {r['worst']:+.1f} ms | "
                f"{r['drift']:+.2f} ms/min |"]

    load, cpu = report["load test"], report["cpu"]
    lines = [f"Measured {report['date']}, {report['cores']} cores; load at the start {report['load']:.2f}.", "",
             "| | clicks | mean | median | worst | drift |", "|---|---:|---:|---:|---:|---:|"]
    lines += row("vplay") + row("mpv")
    lines += ["", "| | vplay | mpv |", "|---|---:|---:|"]
    other = lambda part, form: form(part["mpv"]) if "mpv" in part else "-"
    lines.append(f"| holes in the sound in {report['seconds']} s, all cores busy | {load['vplay']['holes']} "
                 f"(counted by itself: {load['vplay']['underruns']}) | {other(load, lambda m: str(m['holes']))} |")
    lines.append(f"| CPU time for 20 s of sound alone | {cpu['vplay']:.2f} s | {other(cpu, lambda m: f'{m:.2f} s')} |")
    lines += ["", "| null sink; server killed and started again while vplay played | kills | longest time between two pictures | sound back "
              "after the server's answer, at the latest | paplay, started then, is heard after | clicks against pictures, worst |",
              "|---|---:|---:|---:|---:|---:|"]
    for name, kills in report["kills"].items():
        latest, offsets = max(kills["back after"], default=float("nan")), kills["offsets"]
        lines.append(f"| {name} | {kills['kills']} | {kills['longest gap between pictures'] * 1000:.0f} ms | {latest:.2f} s | "
                     f"{kills['control']:.2f} s | {max(map(abs, offsets), default=float('nan')):.1f} ms of {len(offsets)} |")
    return "\n".join(lines)


def write_page(page, text):
    old = page.read_text()
    if BEGIN not in old:
        old += f"\n{BEGIN}\n{END}\n"
    head, rest = old.split(BEGIN, 1)
    page.write_text(f"{head}{BEGIN}\n{text}\n{END}{rest.split(END, 1)[1]}")


def plot(report, path):
    try:
        import matplotlib
    except ImportError:
        return print("no plot: matplotlib is missing")
    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "playhead"
    from matplotlib import pyplot

    figure, axis = pyplot.subplots(figsize=(8, 3))
    for i, name in enumerate(("vplay", "mpv")):
        if name in report:
            xs, ys = zip(*report[name]["offsets"])
            axis.plot(xs, ys, ".-", color=f"C{i}", label=name, linewidth=0.8)
    axis.axhline(0, color="black", linewidth=0.5)
    axis.set_xlabel("s")
    axis.set_ylabel("click after flash, ms")
    axis.spines[["top", "right"]].set_visible(False)
    axis.legend(frameon=False)
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--vplay", default=str(ROOT / ".build/release/vplay"))
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--docs", type=pathlib.Path, default=ROOT / "docs")
    options = parser.parse_args()
    for tool in ("pulseaudio", "parec", "pactl", "ffmpeg", options.vplay):
        if not shutil.which(tool):
            parser.error(f"{tool} is not here")
    with tempfile.TemporaryDirectory(prefix="playhead-sync-") as folder:
        report = measure(options, folder)
    (options.docs / "results/sync.json").write_text(json.dumps(report, indent=1) + "\n")
    text = table(report)
    print(text)
    write_page(options.docs / "performance.md", text)
    plot(report, options.docs / "images/sync.svg")


if __name__ == "__main__":
    main()
