#!/usr/bin/env python3
"""Interrupts `vplay URL` (SIGINT) at random moments while a server hangs, and prints how long the process takes to exit.

    interrupt.py [--vplay PATH] [--count 1000] [--seed 1]

The server runs on this machine. It hangs in the TLS handshake, before headers, in a body, at a key and at a second segment; it also
drops each connection (back-off) and answers 503 with Retry-After. The signal is sent up to 0.3 s after the stage is first reached.
"""

import argparse
import pathlib
import random
import signal
import socket
import subprocess
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
PLACES = ("handshake", "headers", "body", "back-off", "Retry-After", "key", "second segment")
SECONDS = 0.3


def make(folder):
    """Creates a film, and a playlist of its segments with a key."""
    def ffmpeg(words):
        subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-y", *words.split()], cwd=folder, check=True)

    ffmpeg("-f lavfi -i testsrc2=size=320x180:rate=25:duration=12 -c:v libx264 -preset veryfast -g 50 -pix_fmt yuv420p -movflags faststart "
           "film.mp4")
    (folder / "key").write_bytes(bytes(range(16)))
    (folder / "info").write_text("key\nkey\n")
    parts = "-i film.mp4 -c copy -f hls -hls_time 2 -hls_playlist_type vod"
    ffmpeg(f"{parts} -hls_segment_filename p%03d.ts parts.m3u8")
    ffmpeg(f"{parts} -hls_key_info_file info -hls_segment_filename k%03d.ts locked.m3u8")


class Server:
    """A server that hangs at one stage. `reached` is set when a client has reached that stage."""

    def __init__(self, folder, place):
        self.folder, self.place, self.reached = folder, place, threading.Event()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.open = []
        threading.Thread(target=self.accept, daemon=True).start()

    @property
    def url(self):
        name = {"key": "locked.m3u8", "second segment": "parts.m3u8"}.get(self.place, "film.mp4")
        scheme = "https" if self.place == "handshake" else "http"
        return f"{scheme}://127.0.0.1:{self.listener.getsockname()[1]}/{name}"

    def accept(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            self.open.append(connection)
            threading.Thread(target=self.serve, args=(connection,), daemon=True).start()

    def serve(self, connection):
        try:
            self.answer(connection)
        except OSError:
            pass

    def answer(self, connection):
        if self.place == "handshake":
            return self.reached.set()
        while True:
            head = b""
            while b"\r\n\r\n" not in head:
                part = connection.recv(65536)
                if not part:
                    return
                head += part
            path = head.split()[1].decode().lstrip("/")
            hangs = {"key": path == "key", "second segment": path == "p001.ts"}.get(self.place, True)
            if hangs:
                self.reached.set()
                if self.place == "back-off":
                    return connection.close()
                if self.place == "Retry-After":
                    return connection.sendall(b"HTTP/1.1 503 Busy\r\nRetry-After: 30\r\nContent-Length: 0\r\n\r\n")
                if self.place != "body":
                    return
            body = (self.folder / path).read_bytes()
            begin = 0
            for line in head.decode("latin-1").split("\r\n"):
                if line.lower().startswith("range: bytes="):
                    begin = int(line.split("=")[1].split("-")[0])
            lines = [f"HTTP/1.1 206 Part\r\nContent-Range: bytes {begin}-{len(body) - 1}/{len(body)}",
                     f"Content-Length: {len(body) - begin}", "Accept-Ranges: bytes", "\r\n"]
            connection.sendall("\r\n".join(lines).encode())
            if hangs:
                return connection.sendall(body[begin:begin + 20_000])
            connection.sendall(body[begin:])

    def close(self):
        for each in [self.listener, *self.open]:
            each.close()


def interrupt(vplay, folder, place):
    """Returns the seconds from the signal to the exit, and the exit status."""
    server = Server(folder, place)
    process = subprocess.Popen([vplay, "play", "--quiet", "--muted", "--video", "null", "--audio", "null", "--cache", "off", server.url],
                               stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        if not server.reached.wait(20):
            raise SystemExit(f"{place}: nobody came there")
        time.sleep(random.random() * SECONDS)
        begin = time.monotonic()
        process.send_signal(signal.SIGINT)
        status = process.wait(20)
        return time.monotonic() - begin, status
    finally:
        process.kill()
        process.wait()
        server.close()


def line(name, times):
    times = sorted(times)
    median, most = times[len(times) // 2], times[min(len(times) - 1, int(len(times) * 0.99))]
    print(f"{name}: {len(times)}, median {median * 1000:.1f} ms, 99 % {most * 1000:.1f} ms, worst {times[-1] * 1000:.1f} ms")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--vplay", default=str(ROOT / ".build/release/vplay"))
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    random.seed(options.seed)
    times, wrong = {place: [] for place in PLACES}, 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        make(folder)
        for index in range(options.count):
            place = PLACES[index % len(PLACES)]
            seconds, status = interrupt(options.vplay, folder, place)
            times[place].append(seconds)
            wrong += status != 130
    line("all", [each for those in times.values() for each in those])
    for place, those in times.items():
        if those:
            line(place, those)
    print(f"other exit status than 130: {wrong} of {options.count}")


if __name__ == "__main__":
    main()
