#!/usr/bin/env python3
"""Plays a looping list from a server, with a cache and a sound server, while these fail at random, and checks that playback
recovers each time and that the process does not grow.

Usage: check-outages.py [--plot SVG] [--set-clock] VPLAY [MINUTES] [SEED]

Faults, one every 5 s after 2 s of each: the server is away, it cuts responses off, it sends 20 kB/s, the sound server is killed, the cache's
file system is full (as root), the process may open no more files, it has to do with 4 MiB more memory (as root), it is stopped. With
--set-clock (as root), the clock of the machine is set as well: by an hour or a year, forward or back, and back again. A pass must end
within 60 s after each fault. Memory, threads and descriptors at the end must be those after the first fifth. PulseAudio and ffmpeg are
required, and matplotlib for --plot.
"""
import argparse
import http.server
import os
import pathlib
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

import growth

MEMORY_TOLERANCE = 16  # MiB, for heaps that are fragmented.
RECOVERY = 60


class Server:
    """Serves a folder with ranges on one port; it can be away, cut responses off, or be slow."""

    def __init__(self, folder):
        self.folder, self.port, self.cuts, self.is_slow = folder, 0, False, False
        self.start()

    def start(self):
        owner = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def do_GET(self):
                path = owner.folder / pathlib.Path(self.path).name
                body = path.read_bytes()
                bounds = re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range", ""))
                first = int(bounds[1]) if bounds else 0
                last = min(int(bounds[2]) if bounds and bounds[2] else len(body) - 1, len(body) - 1)
                self.send_response(206 if bounds else 200)
                if bounds:
                    self.send_header("Content-Range", f"bytes {first}-{last}/{len(body)}")
                self.send_header("Content-Length", str(last - first + 1))
                self.send_header("ETag", f'"{path.name}"')
                # Each pass asks again, and fetches one of the clips again.
                self.send_header("Cache-Control", "no-store" if path.name == "1.mp4" else "no-cache")
                self.end_headers()
                for start in range(first, last + 1, 4000):
                    if owner.cuts or owner.server is not self.server:
                        self.close_connection = True
                        return
                    self.wfile.write(body[start:min(start + 4000, last + 1)])
                    if owner.is_slow:
                        time.sleep(0.2)

        class Listener(http.server.ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, *_):
                pass

        self.server = Listener(("127.0.0.1", self.port), Handler)
        self.port = self.server.server_port
        threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()

    def stop(self):
        server, self.server = self.server, None
        server.shutdown()
        server.server_close()


class SoundServer:
    def __init__(self, folder):
        self.folder = folder
        self.environment = {**os.environ, "HOME": folder, "XDG_RUNTIME_DIR": folder, "PULSE_SERVER": f"unix:{folder}/native"}
        self.start()

    def start(self):
        self.process = subprocess.Popen(
            ["pulseaudio", "-n", "--daemonize=no", "--exit-idle-time=-1", "--use-pid-file=no", "--log-level=error",
             "--load=module-null-sink sink_name=null", f"--load=module-native-protocol-unix auth-anonymous=1 socket={self.folder}/native"],
            env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def stop(self):
        self.process.kill()
        self.process.wait()


class SystemClock:
    """The clock of the machine. The monotonic clock goes on, and with it the correct time is known again."""

    steps = (3600, -3600, 365 * 86400, -365 * 86400)

    def __init__(self, random):
        self.random = random
        self.offset = time.time() - time.monotonic()

    def set(self, offset=0):
        time.clock_settime(time.CLOCK_REALTIME, time.monotonic() + self.offset + offset)

    def step(self):
        self.set(self.random.choice(self.steps))


class Memory:
    """A control group for the player, whose memory can be limited (version 1 and 2 of the kernel's interface)."""

    def __init__(self):
        root = pathlib.Path("/sys/fs/cgroup")
        self.names = ("memory.current", "memory.max", "max")
        if (root / "memory").is_dir():
            root /= "memory"
            self.names = ("memory.usage_in_bytes", "memory.limit_in_bytes", "-1")
        self.group = root / f"playhead-{os.getpid()}"
        try:
            self.group.mkdir()
            self.is_available = (self.group / self.names[0]).exists()
        except OSError:
            self.is_available = False
        if not self.is_available:
            print("check-outages: memory is not limited (a control group needs root)")

    def enter(self):
        """Moves the calling process into the group."""
        if self.is_available:
            (self.group / "cgroup.procs").write_text(str(os.getpid()))

    def limit(self):
        (self.group / self.names[1]).write_text(str(int((self.group / self.names[0]).read_text()) + (4 << 20)))

    def release(self):
        (self.group / self.names[1]).write_text(self.names[2])

    def end(self):
        if self.group.is_dir():
            self.group.rmdir()


class Player:
    def __init__(self, vplay, urls, cache, environment, memory):
        command = [vplay, "--no-config", "--loop", "--video", "null", "--audio", "pulse", "--timeout", "3", "--cache", cache, "--events", "text", *urls]
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment, preexec_fn=memory.enter)
        self.passes, self.messages = 0, []
        for stream, handle in ((self.process.stdout, self.event), (self.process.stderr, self.messages.append)):
            threading.Thread(target=lambda stream=stream, handle=handle: [handle(line) for line in stream] and None, daemon=True).start()

    def event(self, line):
        self.passes += "didPlayToEndTime" in line


class FullDisk:
    """A file system of 4 MiB for the cache, which can be filled."""

    def __init__(self, folder):
        self.folder = folder
        folder.mkdir()
        self.is_mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", folder], capture_output=True).returncode == 0
        if not self.is_mounted:
            print("check-outages: the file system of the cache is not filled (a mount needs root)")

    def fill(self):
        with open(self.folder / "filler", "wb", buffering=0) as file:
            try:
                while True:
                    file.write(bytes(4096))
            except OSError:
                pass

    def clear(self):
        (self.folder / "filler").unlink()

    def end(self):
        if self.is_mounted:
            subprocess.run(["umount", "-l", self.folder], check=True)


def plot(samples, path):
    """Draws the memory, threads and descriptors of each sample."""
    try:
        import matplotlib
    except ImportError:
        return print("no plot: matplotlib is missing")
    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "playhead"
    from matplotlib import pyplot

    figure, axis = pyplot.subplots(figsize=(8, 3))
    times, *columns = zip(*samples)
    for name, column in zip(growth.NAMES, columns):
        axis.plot([time / 60 for time in times], column, label=name, linewidth=0.8)
    axis.set_ylim(bottom=0)
    axis.set_xlabel("minutes")
    axis.spines[["top", "right"]].set_visible(False)
    axis.legend(frameon=False, ncols=3, loc="lower right", bbox_to_anchor=(1, 1))
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})


def main(vplay, minutes, seed, image, sets_clock):
    for tool in ("pulseaudio", "ffmpeg"):
        if not shutil.which(tool):
            sys.exit(f"check-outages: {tool} is missing")
    choose, faults = random.Random(seed), []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        clips = folder / "clips"
        clips.mkdir()
        for number, codec in enumerate(("libx264", "mpeg4", "libx264")):
            source = ["-f", "lavfi", "-i", f"testsrc2=s=320x180:r={25 + number}", "-f", "lavfi", "-i", "sine", "-t", "3", "-c:v", codec, "-b:v", "800k", "-c:a", "aac"]
            subprocess.run(["ffmpeg", "-nostdin", "-v", "error", *source, str(clips / f"{number}.mp4")], check=True)
        disk = FullDisk(folder / "cache")
        server, sound = Server(clips), SoundServer(name)
        clock, memory = SystemClock(choose), Memory()
        urls = [f"http://127.0.0.1:{server.port}/{number}.mp4" for number in range(3)]
        player = Player(vplay, urls, str(disk.folder), sound.environment, memory)
        pid = player.process.pid

        def limit(count):
            resource.prlimit(pid, resource.RLIMIT_NOFILE, (count, resource.prlimit(pid, resource.RLIMIT_NOFILE)[1]))

        usual = resource.prlimit(pid, resource.RLIMIT_NOFILE)[0]
        outages = {
            "server away": (server.stop, server.start),
            "responses cut off": (lambda: setattr(server, "cuts", True), lambda: setattr(server, "cuts", False)),
            "slow server": (lambda: setattr(server, "is_slow", True), lambda: setattr(server, "is_slow", False)),
            "sound server killed": (sound.stop, sound.start),
            "no descriptors": (lambda: limit(growth.facts(pid)[2]), lambda: limit(usual)),
            "stopped": (lambda: os.kill(pid, signal.SIGSTOP), lambda: os.kill(pid, signal.SIGCONT)),
        }
        if disk.is_mounted:
            outages["cache full"] = (disk.fill, disk.clear)
        if sets_clock:
            outages["clock set"] = (clock.step, clock.set)
        if memory.is_available:
            outages["memory limited"] = (memory.limit, memory.release)
        counts, longest, samples = {}, {}, []
        begin = time.monotonic()
        while (elapsed := time.monotonic() - begin) < minutes * 60 and player.process.poll() is None:
            time.sleep(3)
            what = choose.choice(list(outages))
            start, end = outages[what]
            start()
            time.sleep(2)
            end()
            passes, since = player.passes, time.monotonic()
            while player.passes == passes and time.monotonic() < since + RECOVERY and player.process.poll() is None:
                time.sleep(0.05)
            if player.passes == passes:
                faults.append(f"no pass ended within {RECOVERY} s after: {what}")
                break
            counts[what] = counts.get(what, 0) + 1
            longest[what] = max(longest.get(what, 0), time.monotonic() - since)
            samples.append((elapsed, *growth.facts(pid)))
        if player.process.poll() is None:
            player.process.send_signal(signal.SIGTERM)
        try:
            status = player.process.wait(30)
        except subprocess.TimeoutExpired:
            player.process.kill()
            status = "none: it did not end after SIGTERM"
        if status not in (128 + signal.SIGTERM, -signal.SIGTERM):
            faults.append(f"exit status {status}: {''.join(player.messages[-5:])}")
        server.stop()
        sound.stop()
        disk.end()
        memory.end()
    for what, count in sorted(counts.items()):
        print(f"{what}: {count} times, at most {longest[what]:.1f} s until a pass ended")
    for sample in samples[:: max(1, len(samples) // 10)] + samples[-1:]:
        print("{:.0f} s: {} MiB, {} threads, {} descriptors".format(*sample))
    if image and samples:
        plot(samples, image)
    # The largest values of the first fifth and of the last one.
    fifth = max(1, len(samples) // 5)
    before, after = ([max(column) for column in list(zip(*part))[1:]] for part in (samples[:fifth], samples[-fifth:]))
    faults += growth.growth(before, after, (MEMORY_TOLERANCE, 2, 4), "at the beginning")
    print(f"check-outages: {player.passes} passes, {sum(counts.values())} faults, {len(player.messages)} messages, seed {seed}")
    for fault in faults:
        print(fault, file=sys.stderr)
    sys.exit(1 if faults else 0)


parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--plot", metavar="SVG")
parser.add_argument("--set-clock", action="store_true")
parser.add_argument("vplay")
parser.add_argument("minutes", nargs="?", type=float, default=30)
parser.add_argument("seed", nargs="?", type=int, default=1)
options = parser.parse_args()
main(options.vplay, options.minutes, options.seed, options.plot, options.set_clock)
