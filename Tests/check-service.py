#!/usr/bin/env python3
"""check-service.py VPLAY: runs the command as a service manager does, and checks its notices and the lines for the journal."""
import os
import pathlib
import select
import signal
import socket
import subprocess
import sys
import tempfile
import time

FIXTURES = pathlib.Path(__file__).resolve().parent.parent / "media-fixtures/generated"
CLIP = str(FIXTURES / "clip-h264-aac.mp4")
TIMEOUT = 60
count, faults = 0, []


def check(words, actual, expected=True):
    global count
    count += 1
    if actual != expected:
        faults.append(f"{words}: {actual!r}, expected {expected!r}")


class Manager:
    """A notify socket, under a path or an abstract name, and the command that it starts."""

    def __init__(self, command, name, watchdog=None, **options):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind("\0" + name[1:] if name.startswith("@") else name)
        self.socket.settimeout(TIMEOUT)
        self.seen = []
        environment = {**os.environ, "NOTIFY_SOCKET": name, "PULSE_SERVER": "unix:/nonexistent/playhead"}
        for variable in ("DISPLAY", "WAYLAND_DISPLAY", "WATCHDOG_PID", "WATCHDOG_USEC"):
            environment.pop(variable, None)
        if watchdog:
            environment["WATCHDOG_USEC"] = str(watchdog)
        self.process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, **options)

    def wait(self, notice):
        """Returns the notices before the one that begins with this text."""
        before = []
        deadline = time.monotonic() + TIMEOUT
        while True:
            lines = self.socket.recv(4096).decode().split("\n")
            self.seen += lines
            if any(line.startswith(notice) for line in lines):
                return before
            if time.monotonic() > deadline:
                raise TimeoutError(f"no {notice}")
            before += lines

    def drain(self):
        while select.select([self.socket], [], [], 0)[0]:
            self.seen += self.socket.recv(4096).decode().split("\n")

    def end(self, number=signal.SIGTERM):
        # The process is stopped while the notices are read: those that do not fit into the socket's queue are lost.
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGSTOP)
            os.waitid(os.P_PID, self.process.pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT)
        self.drain()
        self.process.send_signal(number)
        self.process.send_signal(signal.SIGCONT)
        status = self.process.wait(TIMEOUT)
        self.drain()
        return status


def playing(vplay, folder):
    for name in (str(folder / "notify"), f"@playhead-{os.getpid()}"):
        # The time begins with the process, because signs that were sent before they are awaited are received at once.
        begin = time.monotonic()
        manager = Manager([vplay, "--loop", "--muted", "--video", "null", "--audio", "null", CLIP], name, watchdog=400_000)
        manager.wait("READY=1")
        for _ in range(10):
            manager.wait("WATCHDOG=1")
        elapsed = time.monotonic() - begin
        check("ten signs of life take about two seconds, at half of the interval", 1 < elapsed < 30)
        if not any(line.startswith("STATUS=playing: ") for line in manager.seen):
            manager.wait("STATUS=playing: ")
        check("the status names the file", any(line.startswith("STATUS=playing: ") and CLIP in line for line in manager.seen))
        check("exit status", manager.end(), 143)
        check("STOPPING=1", manager.seen.count("STOPPING=1"), 1)
        check("READY=1 once", manager.seen.count("READY=1"), 1)


def waiting(vplay, folder):
    manager = Manager([vplay, "--idle", "--input-ipc-server", str(folder / "socket")], str(folder / "idle"), watchdog=400_000)
    manager.wait("READY=1")
    for _ in range(3):
        manager.wait("WATCHDOG=1")
    manager.drain()
    check("idle", "STATUS=idle" in manager.seen)
    manager.end()
    (folder / "empty").mkdir()
    manager = Manager([vplay, "--watch", "--video", "null", "--audio", "null", str(folder / "empty")], str(folder / "watch"))
    manager.wait("READY=1")
    check("a folder without files: exit status", manager.end(), 143)
    manager = Manager([vplay, "--video", "none", "--audio", "null", "--loop", CLIP], str(folder / "audio"))
    before = manager.wait("READY=1")
    check("no sign of life without a watchdog", "WATCHDOG=1" in before + manager.seen, False)
    manager.end()


def paused(vplay, folder):
    """An input that begins paused is ready, also without video."""
    for name in ("clip-h264-aac.mp4", "tone-48000.wav"):
        command = [vplay, "--pause", "--video", "null", "--audio", "null", str(FIXTURES / name)]
        manager = Manager(command, str(folder / f"paused-{name}"))
        manager.wait("READY=1")
        check(f"{name}: exit status", manager.end(), 143)
        check(f"{name}: READY=1 once", manager.seen.count("READY=1"), 1)


def unready(vplay, folder):
    """An input that delivers nothing is not ready."""
    pipe = folder / "pipe"
    os.mkfifo(pipe)
    manager = Manager([vplay, "--video", "null", "--audio", "null", str(pipe)], str(folder / "unready"), watchdog=400_000)
    writer = os.open(pipe, os.O_RDWR)
    manager.wait("WATCHDOG=1")
    manager.wait("WATCHDOG=1")
    check("not ready without a frame", "READY=1" in manager.seen, False)
    manager.end()
    os.close(writer)


def journal(vplay, folder):
    for matches in (True, False):
        with open(folder / "journal", "w+b") as file:
            status = os.fstat(file.fileno())
            stream = f"{status.st_dev}:{status.st_ino + (0 if matches else 1)}"
            environment = {**os.environ, "JOURNAL_STREAM": stream}
            command = [vplay, "--untimed", "--repeat", "5", "--play-log", "/no/such/log", CLIP, "/no/such/file"]
            subprocess.run(command, stdout=subprocess.DEVNULL, stderr=file, env=environment, timeout=TIMEOUT)
            file.seek(0)
            lines = file.read().decode().splitlines()
        prefix = ("<4>", "<3>") if matches else ("", "")
        check(f"one line for a fault, in any number of laps ({matches})", len(lines), 2)
        check("the warning", [line for line in lines if line.startswith(f"{prefix[0]}vplay: warning: cannot write the play log")] != [])
        check("the error", [line for line in lines if line.startswith(f"{prefix[1]}vplay: /no/such/file: ")] != [])


with tempfile.TemporaryDirectory() as name:
    for part in (playing, waiting, paused, unready, journal):
        try:
            part(sys.argv[1], pathlib.Path(name))
        except Exception as failure:
            faults.append(f"{part.__name__}, after {count} checks: {type(failure).__name__}: {failure}")
for fault in faults:
    print(fault, file=sys.stderr)
print(f"{count} checks, {len(faults)} failed")
sys.exit(1 if faults else 0)
