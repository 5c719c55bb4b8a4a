"""A server of one file or folder behind a link with a given rate, which all connections share. It logs the requests."""

import http.server
import os
import pathlib
import socket
import threading
import time

CHUNK = 4096


class Link:
    """Limits the rate to `rate` bytes per second, evenly. None means unlimited."""

    # How many seconds of oversleeping are compensated. Without this the link would be slower than its rate.
    SLACK = 0.02

    def __init__(self, rate):
        self.rate = rate
        self.free_at = 0.0
        self.lock = threading.Lock()

    def wait(self, count):
        if self.rate is None:
            return
        with self.lock:
            self.free_at = max(time.monotonic() - self.SLACK, self.free_at) + count / self.rate
            due = self.free_at
        time.sleep(max(0, due - time.monotonic()))


class Server:
    """Serves `file` at /film.<extension>, or the files of a folder by their names, until it is closed. `requests` holds the range of
    each request, and `paths` its path. Each response begins after `delay` seconds."""

    def __init__(self, file, rate=None, delay=0):
        self.file = pathlib.Path(file)
        self.paths = []
        self.requests = []
        self.sent = 0
        link, server = Link(rate), self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def do_GET(self):
                time.sleep(delay)
                file = server.find(self.path)
                server.paths.append(self.path)
                if file is None:
                    self.send_error(404)
                    return
                size = file.stat().st_size
                first, last, status = 0, size - 1, 200
                asked = self.headers.get("Range")
                server.requests.append(asked or "-")
                if asked and asked.startswith("bytes="):
                    start, _, end = asked[6:].partition("-")
                    first, last, status = int(start), min(int(end or last), last), 206
                if first > last:
                    self.send_response(416)
                    self.send_header("Content-Range", f"bytes */{size}")
                    self.send_header("Content-Length", "0")
                    self.end_headers()
                    return
                self.send_response(status)
                self.send_header("Accept-Ranges", "bytes")
                self.send_header("Content-Length", str(last - first + 1))
                self.send_header("ETag", '"1"')
                if status == 206:
                    self.send_header("Content-Range", f"bytes {first}-{last}/{size}")
                self.end_headers()
                try:
                    self.send_body(file, first, last)
                except OSError:
                    # The player has closed the connection.
                    self.close_connection = True

            def send_body(self, file, first, last):
                with open(file, "rb") as source:
                    source.seek(first)
                    while first <= last:
                        part = source.read(min(CHUNK, last - first + 1))
                        link.wait(len(part))
                        self.wfile.write(part)
                        first += len(part)
                        server.sent += len(part)

        class Listener(http.server.ThreadingHTTPServer):
            daemon_threads = True

            def get_request(self):
                connection, address = super().get_request()
                # A small buffer, because data in the system's send buffer counts as sent before it is received.
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4 * CHUNK)
                return connection, address

            def handle_error(self, *_):
                pass

        self.listener = Listener(("127.0.0.1", 0), Handler)
        self.root = f"http://127.0.0.1:{self.listener.server_port}/"
        self.url = self.root + "film" + os.path.splitext(self.file.name)[1]
        threading.Thread(target=self.listener.serve_forever, daemon=True).start()

    def find(self, path):
        """Returns the file of a path, or None if it does not exist."""
        if not self.file.is_dir():
            return self.file
        file = (self.file / path.lstrip("/")).resolve()
        return file if file.is_file() and self.file.resolve() in file.parents else None

    def close(self):
        self.listener.shutdown()
        self.listener.server_close()
