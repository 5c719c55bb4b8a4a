#!/usr/bin/env python3
"""check-http.py VPLAY: checks the HTTP interface of the command, and hostile clients of it."""
import functools
import http.server
import json
import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse

FIXTURES = pathlib.Path(__file__).resolve().parent.parent / "media-fixtures/generated"
CLIP, OTHER = FIXTURES / "clip-h264-aac.mp4", FIXTURES / "clip-av1-aac.mp4"
TIMEOUT = 60
count, faults = 0, []


def check(words, actual, expected=True):
    global count
    count += 1
    if actual != expected:
        faults.append(f"{words}: {actual!r}, expected {expected!r}")


class Player:
    def __init__(self, vplay, *arguments, **environment):
        self.errors = tempfile.TemporaryFile()
        command = [vplay, "--video", "null", "--audio", "null", *map(str, arguments)]
        self.process = subprocess.Popen(
            command, stderr=self.errors, stdout=subprocess.DEVNULL, env={**os.environ, **environment}
        )
        deadline = time.monotonic() + TIMEOUT
        while True:
            found = re.search(r"Listening to http://.*:(\d+)/", self.text())
            if found:
                self.port = int(found[1])
                return
            if time.monotonic() > deadline or self.process.poll() is not None:
                raise TimeoutError(self.text())
            time.sleep(0.02)

    def text(self):
        self.errors.seek(0)
        return self.errors.read().decode()

    def connect(self):
        connection = socket.create_connection(("127.0.0.1", self.port), TIMEOUT)
        connection.settimeout(TIMEOUT)
        return connection

    def raw(self, request):
        """Sends bytes, and returns all bytes until the connection ends."""
        with self.connect() as connection:
            connection.sendall(request)
            received = b""
            while chunk := connection.recv(65536):
                received += chunk
            return received

    def ask(self, target, method="GET", *fields):
        """Returns the status and the body of a response."""
        lines = [f"{method} {target} HTTP/1.1", f"Host: localhost:{self.port}", "Connection: close", *fields]
        answer = self.raw("\r\n".join(lines + ["", ""]).encode())
        head, _, body = answer.partition(b"\r\n\r\n")
        return int(head.split()[1]), body

    def status(self):
        return json.loads(self.ask("/status")[1])

    def until(self, name, wanted):
        deadline = time.monotonic() + TIMEOUT
        while True:
            value = self.status()[name]
            if wanted(value):
                return value
            if time.monotonic() > deadline:
                raise TimeoutError(f"{name} stays {value}")
            time.sleep(0.02)

    def paused_position(self):
        """Waits until playback has paused, and returns the position. The time runs on until the engine has paused,
        which may be after `core-idle` is true."""
        self.until("core-idle", lambda value: value is True)
        seen = []

        def is_still(value):
            seen.append(value)
            return len(seen) > 1 and seen[-2] == value

        return self.until("time-pos", is_still)

    def end(self):
        self.process.terminate()
        return self.process.wait(TIMEOUT)


def requests(player, folder):
    player.until("core-idle", lambda value: value is False)
    status = player.status()
    check("path", status["path"], str(CLIP))
    check("duration", round(status["duration"], 2), 3)
    check("healthy", (status["healthy"], player.ask("/health")), (True, (200, b"ok\n")))
    code, image = player.ask("/frame.jpg")
    check("a frame", (code, image[:3]), (200, b"\xff\xd8\xff"))
    check("pause", player.ask("/pause")[0], 200)
    check("paused", player.status()["pause"], True)
    check("a frame of a paused item", player.ask("/frame.jpg")[0], 200)
    check("resume by POST", (player.ask("/resume", "POST")[0], player.status()["pause"]), (200, False))
    check("toggle", (player.ask("/toggle")[0], player.status()["pause"]), (200, True))
    check("HEAD changes nothing", (player.ask("/toggle", "HEAD")[0], player.status()["pause"]), (405, True))
    check("HEAD has no body", player.ask("/status", "HEAD"), (200, b""))
    player.ask("/resume")
    check("next", player.ask("/next")[0], 200)
    player.until("path", lambda value: value == str(OTHER))
    check("next at the end", player.ask("/next")[0] in (200, 409))
    check("an entry by its number", player.ask("/play?index=0")[0], 200)
    player.until("path", lambda value: value == str(CLIP))
    check("previous at the start", player.ask("/previous")[0] in (200, 409))
    check("a file of the folder", player.ask("/play?item=sub/new%20clip.mp4")[0], 200)
    player.until("path", lambda value: value == str(folder / "sub/new clip.mp4"))
    check("it is in the list", player.status()["playlist-count"], 3)
    check("the same file again", player.ask("/play?item=sub/new%20clip.mp4")[0], 200)
    check("is not added again", player.status()["playlist-count"], 3)
    # Two files whose names are equal but for their Unicode normalization.
    for name in ["e\u0301.mp4", "\u00e9.mp4"]:
        check("a file with an accent", player.ask("/play?item=" + urllib.parse.quote(name))[0], 200)
        player.until("path", lambda value: value == str(folder / name))
    for target, expected in [
        ("/play", 400), ("/play?item=", 400), ("/play?item=none.mp4", 404), ("/play?item=..%2Fsecret.mp4", 403),
        ("/play?item=%2Fetc%2Fpasswd", 403), ("/play?item=link.mp4", 403), ("/play?item=http://127.0.0.1/x", 404),
        ("/play?index=9", 404), ("/play?index=-1", 404), ("/play?index=x", 400), ("/interrupt?item=../x", 403),
        ("/interrupt?item=sub/new%20clip.mp4", 200), ("/", 404), ("/status/../status", 404), ("/%00", 400),
        ("/run?command=ls", 404),
    ]:
        check(target, player.ask(target)[0], expected)
    check("another site", player.ask("/pause", "GET", "Sec-Fetch-Site: cross-site")[0], 403)
    check("another origin", player.ask("/pause", "POST", "Origin: http://evil.example")[0], 403)
    check("nothing was paused", player.status()["pause"], False)
    answer = player.raw(b"GET /status HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n")
    check("another host", answer.split()[1], b"421")
    check("no CORS", b"access-control" in answer.lower(), False)


def events(player):
    with player.connect() as stream:
        stream.sendall(b"GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n")
        lines = stream.makefile("rb")
        while lines.readline().strip():
            pass
        player.ask("/pause")
        player.ask("/resume")
        names = []
        while "rateChanged" not in names:
            line = lines.readline()
            if line.startswith(b"data: "):
                names.append(json.loads(line[6:])["event"])
        check("events are sent", "rateChanged" in names)


def interruption(vplay, folder):
    """Ends a player during an interruption."""
    state, log = folder / "resume.json", folder / "log"
    player = Player(
        vplay, "--loop", f"--resume={state}", "--play-log", log, "--http", "0", "--media-folder", folder / "media",
        "--image-duration", "60", CLIP,
    )
    try:
        player.until("time-pos", lambda value: value is not None and value > 0.3)
        player.ask("/pause")
        position = player.paused_position()
        image = folder / "media/image.jpg"
        image.write_bytes(player.ask("/frame.jpg")[1])
        check("an interruption", player.ask("/interrupt?item=image.jpg")[0], 200)
        player.until("duration", lambda value: value == 60)
        player.until("state", lambda value: value == f"playing: {image.resolve()}")
        check("the pause of an interruption", player.status()["pause"], False)
        player.ask("/toggle")
        player.until("state", lambda value: value == f"paused: {image.resolve()}")
        check("exit status during an interruption", player.end(), 143)
    finally:
        player.process.kill()
        player.process.wait()
    saved = json.loads(state.read_text())
    check("the saved entry", saved["location"], str(CLIP))
    check("the saved position", round(saved["position"] - position, 3), 0)
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    check("the lines of the log", [line["item"] for line in lines][-2:], [str(CLIP), str(image)])
    check("their reasons", [line["reason"] for line in lines][-2:], ["quit", "quit"])


def size(image):
    """Returns the width and the height of a JPEG."""
    at = 2
    while image[at + 1] not in (0xC0, 0xC1, 0xC2):
        at += 2 + int.from_bytes(image[at + 2 : at + 4], "big")
    return int.from_bytes(image[at + 7 : at + 9], "big"), int.from_bytes(image[at + 5 : at + 7], "big")


def frames(vplay, folder):
    """The frames and the properties of a file that interrupts a player that is idle, or plays a file of another size."""
    image = folder / "media/image.jpg"
    shutil.copy(FIXTURES / "rotated-90.mp4", folder / "media/turned.mp4")
    for arguments, path in [(["--idle"], None), (["--image-duration", "60", image], str(image))]:
        # Slowly, so that the file does not end before it is paused.
        player = Player(vplay, "--rate", "0.5", "--http", "0", "--media-folder", folder / "media", *arguments)
        try:
            player.until("duration", lambda value: value == (path and 60))
            check(f"idle-active before it, {path}", player.status()["idle-active"], path is None)
            check(f"a file that interrupts, {path}", player.ask("/interrupt?item=turned.mp4")[0], 200)
            player.until("duration", lambda value: value is not None and value < 4)
            player.ask("/pause")
            code, frame = player.ask("/frame.jpg")
            check(f"its frame, {path}", (code, code == 200 and size(frame)), (200, (180, 320)))
            status = player.status()
            check(f"its status, {path}", (status["idle-active"], status["path"]), (False, path))
            player.ask("/resume")
            player.until("duration", lambda value: value == (path and 60))
            check(f"idle-active after it, {path}", player.status()["idle-active"], path is None)
            player.end()
        finally:
            player.process.kill()
            player.process.wait()


def undecodable(vplay, folder):
    """A request for a frame of a video of which none can be decoded has an answer, also while it is repeated."""
    path = folder / "undecodable.mp4"
    command = ["ffmpeg", "-nostdin", "-v", "error", "-i", CLIP, "-c", "copy", "-bsf:v", "noise=amount=1", path]
    subprocess.run(command, check=True, timeout=TIMEOUT)
    player = Player(vplay, "--loop", "--http", "0", path)
    try:
        player.until("core-idle", lambda value: value is False)
        check("a frame that cannot be decoded", player.ask("/frame.jpg")[0], 503)
        check("a second request for it", player.ask("/frame.jpg"), (503, b"no frame was shown\n"))
        player.end()
    finally:
        player.process.kill()
        player.process.wait()


def starts(vplay, folder):
    """A file that is not in the playlist starts where the options say."""
    player = Player(vplay, "--pause", "--start", "50%", "--http", "0", "--media-folder", folder / "media", CLIP)
    try:
        player.until("time-pos", lambda value: value is not None)
        check("a file of the folder", player.ask("/play?item=sub/new%20clip.mp4")[0], 200)
        player.until("path", lambda value: value == str(folder / "media/sub/new clip.mp4"))
        check("its start", round(player.until("time-pos", lambda value: value is not None), 1), 1.5)
        player.end()
    finally:
        player.process.kill()
        player.process.wait()


def health(vplay, folder):
    """A still image interrupts a clip for longer than a clip may be without a new frame."""
    player = Player(
        vplay, "--loop", "--http", "0", "--media-folder", folder / "media", "--image-duration", "60", CLIP
    )
    try:
        player.until("time-pos", lambda value: value is not None and value > 0.3)
        check("an image that interrupts", player.ask("/interrupt?item=image.jpg")[0], 200)
        player.until("duration", lambda value: value == 60)
        player.until("time-pos", lambda value: value is not None and value > 12)
        check("health during a still image", player.ask("/health"), (200, b"ok\n"))
        player.end()
    finally:
        player.process.kill()
        player.process.wait()


class Files(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


def secrets(vplay):
    handler = functools.partial(Files, directory=str(FIXTURES))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"127.0.0.1:{server.server_port}"
        location = f"http://user:secret@{address}/{CLIP.name}?token=TTT"
        player = Player(vplay, "--loop", "--http", "0", location, f"http://user:secret@{address}/none.mp4?token=TTT")
        try:
            # The second entry does not exist.
            player.until("last-error", lambda value: value is not None)
            path = player.until("path", lambda value: CLIP.name in (value or ""))
            check("the path of a URL", path, f"http://{address}/{CLIP.name}")
            for target in ["/status", "/pause", "/resume"]:
                body = player.ask(target)[1]
                check(f"{target} has no credentials", b"secret" in body or b"TTT" in body, False)
            check("nor has standard error", "secret" in player.text() or "TTT" in player.text(), False)
        finally:
            player.process.kill()
            player.process.wait()
            server.shutdown()


def hostile(player):
    request = b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n"
    answer = player.raw(request * 5 + b"GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
    check("pipelined requests are answered in order", answer.count(b"HTTP/1.1 200 OK"), 6)
    for bad, code in [
        (b"\r\n" * 5000, b"400"), (b"A" * 100_000, b"431"), (b"GET /" + b"%41" * 5000 + b" HTTP/1.1\r\n\r\n", b"431"),
        (b"\x16\x03\x01\x02\x00" * 20 + b"\r\n\r\n", b"400"), (b"GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", b"501"),
        (b"POST /next HTTP/1.1\r\nHost: localhost\r\nContent-Length: 999999999999999999999\r\n\r\n", b"413"),
        (b"GET / HTTP/1.1\nHost: a\n\n" + b"\r\n\r\n", b"400"),
    ]:
        words = player.raw(bad).split()
        check(f"{bad[:20]!r}", words[1] if len(words) > 1 else words, code)
    # A head that arrives a byte at a time does not keep the connection.
    with player.connect() as slow:
        begin = time.monotonic()
        slow.settimeout(0.5)
        answer = b""
        while time.monotonic() - begin < 30:
            try:
                slow.sendall(b"G")
                answer = slow.recv(100)
                break
            except TimeoutError:
                continue
            except OSError:
                answer = b"HTTP/1.1 408"
                break
        # An idle connection ends after 30 s, a slow head after 10 s.
        check("a slow head", (answer[:12], time.monotonic() - begin < 30), (b"HTTP/1.1 408", True))
    kept = []
    for number in range(300):
        visitor = socket.create_connection(("127.0.0.1", player.port), TIMEOUT)
        try:
            if number % 3 == 0:
                visitor.sendall(b"GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n")
            elif number % 3 == 1:
                visitor.sendall(b"GET /stat")
            else:
                visitor.sendall(request)
        except OSError:
            pass
        kept.append(visitor)
    for visitor in kept:
        visitor.close()
    # Clients that do not read: one of events, and one that asks without end.
    deaf = player.connect()
    deaf.sendall(b"GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n")
    silent = player.connect()
    sent = 0
    ask = b"GET /status HTTP/1.1\r\nHost: localhost\r\n\r\n" * 100
    silent.settimeout(2)
    deadline = time.monotonic() + 8
    try:
        # What the sockets hold is answered first, which takes a while.
        while sent < 1 << 26 and time.monotonic() < deadline:
            silent.sendall(ask)
            sent += len(ask)
    except OSError:
        pass
    check("a client that does not read is not read from without end", sent < 1 << 26)
    check("the others are served", player.ask("/health")[0], 200)


def main(vplay):
    with tempfile.TemporaryDirectory() as name:
        outside, folder = pathlib.Path(name).resolve(), pathlib.Path(name).resolve() / "media"
        (folder / "sub").mkdir(parents=True)
        shutil.copy(CLIP, folder / "sub/new clip.mp4")
        for name in [outside / "secret.mp4", folder / "e\u0301.mp4", folder / "\u00e9.mp4"]:
            shutil.copy(CLIP, name)
        (folder / "link.mp4").symlink_to(outside / "secret.mp4")
        player = None
        try:
            # Slowly, so that the first file does not end before it has been checked.
            player = Player(vplay, "--loop", "--rate", "0.1", "--http", "0", "--media-folder", folder, CLIP, OTHER)
            requests(player, folder)
            events(player)
            hostile(player)
            check("exit status", player.end(), 143)
            secrets(vplay)
            player = Player(vplay, "--idle", "--http", "0.0.0.0:0", VPLAY_HTTP_TOKEN="secret")
            check("without the token", player.ask("/status")[0], 401)
            check("with the token", player.ask("/status?token=secret")[0], 200)
            check("with the token in a field", player.ask("/status", "GET", "Authorization: Bearer secret")[0], 200)
            check("nothing plays", (player.ask("/frame.jpg?token=secret")[0], player.ask("/health?token=secret")[0]), (404, 200))
            check("no folder", player.ask("/play?item=a.mp4&token=secret")[0], 403)
            player.end()
            interruption(vplay, outside)
            frames(vplay, outside)
            undecodable(vplay, outside)
            starts(vplay, outside)
            health(vplay, outside)
        except Exception as failure:  # What was found before it is printed as well.
            faults.append(f"after {count} checks: {type(failure).__name__}: {failure}")
        finally:
            if player:
                player.process.kill()
                player.process.wait()
    usage = subprocess.run([vplay, "--http", "0.0.0.0:0", str(CLIP)], capture_output=True, text=True, timeout=TIMEOUT)
    check("a network without a token", (usage.returncode, "needs --http-token-file" in usage.stderr), (64, True))
    for fault in faults:
        print(fault, file=sys.stderr)
    print(f"{count} checks, {len(faults)} failed")
    sys.exit(1 if faults else 0)


if len(sys.argv) < 2:
    sys.exit(__doc__)
main(sys.argv[1])
