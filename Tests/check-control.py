#!/usr/bin/env python3
"""check-control.py COMMAND ...: checks the remote control of a player through its socket, as clients of mpv use it.

The command is started with --idle, a socket, and options that make it silent; `vplay` and `mpv` 0.35 pass all checks:

    check-control.py .build/release/vplay
    check-control.py mpv --no-config
"""
import contextlib
import http.server
import json
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time

FIXTURES = pathlib.Path(__file__).resolve().parent.parent / "media-fixtures/generated"
CLIP, OTHER = str(FIXTURES / "clip-h264-aac.mp4"), str(FIXTURES / "clip-av1-aac.mp4")
TIMEOUT = 60


class Client:
    """A connection that sends commands and collects events."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        deadline = time.monotonic() + TIMEOUT
        while True:
            try:
                self.socket.connect(str(path))
                break
            except OSError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.02)
        self.socket.settimeout(TIMEOUT)
        self.file = self.socket.makefile("rb")
        self.events = []
        self.number = 0

    def send(self, line):
        self.socket.sendall(line.encode() + b"\n")

    def read(self):
        line = self.file.readline()
        if not line:
            raise EOFError
        return json.loads(line)

    def reply(self, number):
        while True:
            message = self.read()
            if "error" in message and "event" not in message and message.get("request_id") == number:
                return message
            self.events.append(message)

    def __call__(self, *words):
        self.number += 1
        self.send(json.dumps({"command": list(words), "request_id": self.number}))
        return self.reply(self.number)

    def get(self, name):
        return self("get_property", name).get("data")

    def wait(self, event, **members):
        """Returns the next event with these members, and forgets those before it."""
        while True:
            while self.events:
                message = self.events.pop(0)
                if message.get("event") == event and all(message.get(key) == value for key, value in members.items()):
                    return message
            self.events.append(self.read())

    def until(self, name, wanted):
        """Returns when a property has a value that is wanted."""
        deadline = time.monotonic() + TIMEOUT
        while True:
            value = self.get(name)
            if wanted(value):
                return value
            if time.monotonic() > deadline:
                raise TimeoutError(f"{name} stays {value}")


count, faults = 0, []


def check(words, actual, expected=True):
    global count
    count += 1
    if actual != expected:
        faults.append(f"{words}: {actual!r}, expected {expected!r}")


def error(reply):
    return reply["error"]


def idle(client):
    """What a client sees before anything is loaded."""
    check("idle-active", client.get("idle-active"), True)
    check("pause", client.get("pause"), False)
    check("volume", client.get("volume"), 100)
    check("mute", client.get("mute"), False)
    check("speed", client.get("speed"), 1)
    check("playlist", client.get("playlist"), [])
    check("playlist-count", client.get("playlist-count"), 0)
    check("playlist-pos", client.get("playlist-pos"), -1)
    check("loop-file", client.get("loop-file"), False)
    check("loop-playlist", client.get("loop-playlist"), False)
    check("ab-loop-a", client.get("ab-loop-a"), "no")
    check("track-list", client.get("track-list"), [])
    check("core-idle", client.get("core-idle"), True)
    for name in ("time-pos", "duration", "path", "filename", "media-title", "eof-reached", "seekable", "chapter"):
        check(f"{name} without a file", error(client("get_property", name)), "property unavailable")
    check("a seek without a file", error(client("seek", 5)), "error running command")
    check("time-pos set without a file", error(client("set_property", "time-pos", 1)), "property unavailable")
    check("subtitles without a file", error(client("sub-add", "/no/such")), "error running command")
    check("mpv-version", client.get("mpv-version").startswith("mpv 0."))
    check("client_name", client("client_name")["data"].startswith("ipc_"))
    check("get_version", client("get_version")["data"] >> 16 >= 2)


def refusals(client):
    """What is refused, and in which words."""
    check("an unknown property", error(client("get_property", "nope")), "property not found")
    check("an unknown property is set", error(client("set_property", "nope", 1)), "property not found")
    check("an unknown command", error(client("nope")), "invalid parameter")
    check("a command without arguments", error(client("loadfile")), "invalid parameter")
    check("a property without a name", error(client("get_property")), "invalid parameter")
    check("text for a flag", error(client("set_property", "pause", "maybe")), "unsupported format for accessing property")
    check("a speed of 0", error(client("set_property", "speed", 0)), "unsupported format for accessing property")
    check("an unknown property is cycled", error(client("cycle", "nope")), "error running command")
    check("a log level", error(client("request_log_messages", "loud")), "invalid parameter")
    check("a flag of seek", error(client("seek", 1, "sideways")), "invalid parameter")
    check("an entry that is not there", error(client("playlist-remove", 9)), "error running command")
    client.send('{"command": 3}')
    check("a command that is no list", client.reply(0)["error"], "invalid parameter")
    for words, line in (("a number", '{"command": 3, "request_id": 70}'), ("an empty list", '{"command": [], "request_id": 71}'), ("no command", '{"request_id": 72}'),
                        ("a list of lists", '{"command": [["stop"]], "request_id": 73}'), ("an unknown command", '{"command": ["nope"], "request_id": 74}')):
        client.send(line)
        number = json.loads(line)["request_id"]
        check(f"the request_id of {words}", client.reply(number), {"request_id": number, "error": "invalid parameter"})
    client.send('{"command": ["nope"], "request_id": "text"}')
    check("a request_id that is text", client.reply("text")["error"], "invalid parameter")
    client.send('{"command": ["get_property"')
    check("a line that is not JSON", client.reply(0)["error"], "invalid parameter")
    client.send('{"command": ["get_property", "pause"]}')
    check("a request without a number", client.reply(0), {"data": False, "request_id": 0, "error": "success"})


def named(client):
    """Commands with named arguments."""
    def command(**members):
        client.number += 1
        client.send(json.dumps({"command": members, "request_id": client.number}))
        return client.reply(client.number)

    check("a named argument", command(name="show-text", text="hello"), {"data": None, "request_id": client.number, "error": "success"})
    check("prefixes", error(command(name="show-text", text="hello", _flags=["no-osd", "raw"])), "success")
    check("an unknown prefix", error(command(name="show-text", text="hello", _flags=["nope"])), "invalid parameter")
    check("prefixes that are no list", error(command(name="show-text", text="hello", _flags="no-osd")), "invalid parameter")
    check("an argument is missing", error(command(name="show-text")), "invalid parameter")
    check("an unknown argument", error(command(name="show-text", text="hello", nope=1)), "invalid parameter")
    check("no name", error(command(text="hello")), "invalid parameter")
    check("a name that is no text", error(command(name=5)), "invalid parameter")
    check("an unknown name", error(command(name="nope")), "invalid parameter")
    check("any number of arguments", error(command(name="script-message", args="hello")), "invalid parameter")
    check("an argument called name", error(command(name="set", value="1")), "invalid parameter")
    check("a command of the protocol", error(command(name="get_property")), "invalid parameter")
    check("a named seek without a file", error(command(name="seek", target=1, flags="absolute+exact")), "error running command")
    check("a prefix in a list", error(client("no-osd", "set", "volume", "100")), "success")
    listed = {entry["name"]: [argument["name"] for argument in entry["args"]] for entry in client.get("command-list")}
    check("command-list", listed["loadfile"][:2], ["url", "flags"])
    client("set_property", "pause", True)
    command(name="loadfile", url=OTHER, flags="replace", options={"start": "1"})
    client.wait("file-loaded")
    client.wait("playback-restart")
    check("named options", round(client.get("time-pos")), 1)
    check("parts", [client.get(path) for path in ("playlist/0/filename", "playlist/count", "track-list/1/type", "track-list/count")], [OTHER, 1, "audio", 2])
    tags = client.get("metadata")
    check("metadata in another case", [client.get(f"metadata/by-key/{key.swapcase()}") for key in tags], list(tags.values()))
    for path in ("playlist/9/filename", "playlist/0/nope", "metadata/by-key/nope", "nope/0"):
        check(f"the part {path}", error(client("get_property", path)), "property not found")
    check("a part is set", error(client("set_property", "playlist/0/filename", "x")), "error accessing property")
    check("an external audio file that does not exist", error(client("audio-add", "/no/such")), "error running command")
    check("audio-add without a file", error(client("audio-add")), "invalid parameter")
    check("sub-add", error(client("sub-add", "/no/such")), "error running command")
    client.send(json.dumps({"command": ["set", "volume", "100"], "async": True, "request_id": 90}))
    check("async", client.reply(90), {"data": None, "request_id": 90, "error": "success"})
    client("stop")
    client.wait("idle")
    client("set_property", "pause", False)


def properties(client):
    """Values that a client sets."""
    check("volume as text", error(client("set_property", "volume", "50")), "success")
    check("volume", client.get("volume"), 50)
    client("add", "volume", -10)
    check("add", client.get("volume"), 40)
    client("multiply", "volume", 2)
    check("multiply", client.get("volume"), 80)
    client("set", "volume", "30")
    check("set", client.get("volume"), 30)
    check("get_property_string", client("get_property_string", "volume")["data"], "30.000000")
    check("a flag as text", client("get_property_string", "mute")["data"], "no")
    client("cycle", "mute")
    check("cycle", client.get("mute"), True)
    client("set_property", "mute", False)
    client("set_property", "loop-playlist", "inf")
    check("loop-playlist", client.get("loop-playlist"), "inf")
    client("set_property", "loop-playlist", "no")
    client.send("set volume 100")
    client.send("cycle mute; cycle mute")
    check("words instead of JSON", client.until("volume", lambda value: value == 100), 100)
    check("two commands in a line", client.get("mute"), False)


def observing(client):
    """Observed properties: the first value at once, then each change."""
    client("observe_property", 1, "volume")
    check("the first value", client.wait("property-change", id=1), {"event": "property-change", "id": 1, "name": "volume", "data": 100})
    client("observe_property", 2, "duration")
    check("no value", client.wait("property-change", id=2), {"event": "property-change", "id": 2, "name": "duration"})
    client("set_property", "volume", 70)
    check("a change", client.wait("property-change", id=1)["data"], 70)
    client("unobserve_property", 1)
    client("set_property", "volume", 100)


def playing(client):
    """A file from its start to its end."""
    client("set_property", "pause", True)
    loaded = client("loadfile", CLIP)
    check("loadfile", loaded["data"]["playlist_entry_id"], client.wait("start-file")["playlist_entry_id"])
    client.wait("file-loaded")
    client.wait("playback-restart")
    check("duration", round(client.get("duration"), 2), 3)
    check("time-pos", round(client.get("time-pos"), 2), 0)
    check("path", client.get("path"), CLIP)
    check("filename", client.get("filename"), pathlib.Path(CLIP).name)
    check("filename/no-ext", client.get("filename/no-ext"), pathlib.Path(CLIP).stem)
    check("idle-active", client.get("idle-active"), False)
    check("seekable", client.get("seekable"), True)
    check("width and height", (client.get("width"), client.get("height")), (320, 180))
    check("audio-codec-name", client.get("audio-codec-name"), "aac")
    check("audio-params", client.get("audio-params")["samplerate"], 48000)
    tracks = client.get("track-list")
    check("track-list", [(track["type"], track["id"], track["selected"]) for track in tracks], [("video", 1, True), ("audio", 1, True)])
    check("aid and sid", (client.get("aid"), client.get("sid")), (1, False))
    check("playlist", [entry.get("current") for entry in client.get("playlist")], [True])
    check("eof-reached", client.get("eof-reached"), False)
    client("seek", 2, "absolute", "exact")
    client.wait("seek")
    client.wait("playback-restart")
    check("an absolute seek", round(client.get("time-pos"), 1), 2)
    client("seek", -1, "relative+exact")
    client.wait("playback-restart")
    check("a relative seek", round(client.get("time-pos"), 1), 1)
    client("seek", -2, "absolute", "exact")
    client.wait("playback-restart")
    check("an absolute seek from the end", round(client.get("time-pos"), 1), 1)
    client("seek", -9, "absolute", "exact")
    client.wait("playback-restart")
    check("an absolute seek from before the start", round(client.get("time-pos"), 1), 0)
    client("seek", 50, "absolute-percent", "exact")
    client.wait("playback-restart")
    check("a seek to a percentage", round(client.get("time-pos"), 1), 1.5)
    check("percent-pos", round(client.get("percent-pos")), 50)
    client("seek", "00:00:02.5", "absolute", "exact")
    client.wait("playback-restart")
    check("an absolute seek to hours, minutes and seconds", round(client.get("time-pos"), 1), 2.5)
    client("seek", "-0:01", "relative+exact")
    client.wait("playback-restart")
    check("a relative seek by minutes and seconds", round(client.get("time-pos"), 1), 1.5)
    client.send("seek 0:02 absolute exact")
    client.wait("playback-restart")
    check("a seek to minutes and seconds by words", round(client.get("time-pos"), 1), 2)
    client("set_property", "time-pos", "0:01")
    client.wait("playback-restart")
    check("time-pos is set to minutes and seconds", round(client.get("time-pos"), 1), 1)
    for name in ("ab-loop-a", "ab-loop-b"):
        check(f"{name} is set to minutes and seconds", error(client("set_property", name, "0:01.5")), "success")
        check(name, client.get(name), 1.5)
        client("set_property", name, "no")
    client("set_property", "time-pos", 0.5)
    client.wait("playback-restart")
    check("time-pos is set", round(client.get("time-pos"), 1), 0.5)
    client("observe_property", 3, "time-pos")
    client.wait("property-change", id=3)
    # The file is slow, so that it does not end before it is repeated.
    client("set_property", "speed", 0.1)
    client("set_property", "pause", False)
    times = [client.wait("property-change", id=3).get("data") for _ in range(5)]
    check("time-pos advances", times == sorted(times) and times[-1] > 0.5)
    client("set_property", "loop-file", "inf")
    client("set_property", "speed", 1)
    client("set_property", "time-pos", 2.8)
    client.until("time-pos", lambda time: time is not None and time < 1)
    check("loop-file", client.get("loop-file"), "inf")
    client("set_property", "loop-file", "no")
    client("set_property", "time-pos", 2.8)
    check("the end", client.wait("end-file")["reason"], "eof")
    client.wait("idle")
    client("unobserve_property", 3)
    check("time-pos after the end", error(client("get_property", "time-pos")), "property unavailable")


def lists(client):
    """The playlist."""
    client("set_property", "pause", True)
    client("loadfile", CLIP)
    client.wait("file-loaded")
    client("loadfile", OTHER, "append")
    client("loadfile", CLIP, "append-play")
    check("playlist-count", client.get("playlist-count"), 3)
    check("playlist-next", error(client("playlist-next")), "success")
    client.wait("end-file", reason="stop")
    client.wait("file-loaded")
    check("playlist-pos", client.get("playlist-pos"), 1)
    client("playlist-move", 0, 3)
    check("playlist-move", [entry["filename"] for entry in client.get("playlist")], [OTHER, CLIP, CLIP])
    check("the moved list", client.get("playlist-pos"), 0)
    check("playlist-prev at the start", error(client("playlist-prev")), "error running command")
    client("playlist-play-index", 2)
    client.wait("file-loaded")
    check("playlist-play-index", client.get("playlist-pos"), 2)
    client("set_property", "playlist-pos", 0)
    client.wait("file-loaded")
    check("playlist-pos is set", client.get("filename"), pathlib.Path(OTHER).name)
    client("playlist-remove", 1)
    check("playlist-remove", client.get("playlist-count"), 2)
    client("playlist-clear")
    check("playlist-clear", client.get("playlist-count"), 1)
    client("stop")
    client.wait("idle")
    check("stop", (client.get("idle-active"), client.get("playlist-count")), (True, 0))
    client("loadfile", str(FIXTURES / "nothing.mp4"))
    check("a file that is not there", client.wait("end-file")["reason"], "error")
    client.wait("idle")
    client("loadfile", CLIP)
    client.wait("file-loaded")
    missing = client("loadfile", str(FIXTURES / "nothing.mp4"), "append")["data"]["playlist_entry_id"]
    client("set_property", "time-pos", 2.8)
    client("set_property", "pause", False)
    check("the end before a file that is not there", client.wait("end-file")["reason"], "eof")
    check("a file that is not there follows", client.wait("start-file")["playlist_entry_id"], missing)
    ended = client.wait("end-file")
    check("the end of a file that is not there", (ended["reason"], ended["playlist_entry_id"]), ("error", missing))
    client.wait("idle")
    client("set_property", "pause", True)
    # The file is slow, so that it does not end before it is stopped.
    client("set_property", "speed", 0.1)
    client("loadfile", CLIP, "replace", *([-1] if "0.35" not in client.get("mpv-version") else []), "pause=no")
    client.wait("file-loaded")
    check("the option pause", client.get("pause"), False)
    client("stop")
    client.wait("idle")
    client("set_property", "speed", 1)
    client("set_property", "pause", False)


def tracks(client):
    """The selection of tracks, which reads back at once."""
    check("aid while idle", (error(client("set_property", "aid", 2)), client.get("aid")), ("success", 2))
    check("aid in another form", error(client("set_property", "aid", "x")), "unsupported format for accessing property")
    check("sid while idle", (error(client("set_property", "sid", "no")), client.get("sid")), ("success", False))
    client("cycle", "sid")
    check("sid is cycled while idle", client.get("sid"), "auto")
    client("set_property", "sid", "no")
    client("set_property", "pause", True)
    client("loadfile", str(FIXTURES / "two-languages.mkv"))
    client.wait("file-loaded")
    check("aid of the next file", (client.get("aid"), client.get("vid"), client.get("sid")), (2, 1, False))
    for name, values in (("aid", [False, 1, 2]), ("sid", [1, False]), ("aid", [False, 1, 2])):
        for value in values:
            client("cycle", name)
            check(f"{name} is cycled", client.get(name), value)
    client("set_property", "aid", 1)
    check("aid is set", (client.get("aid"), client.get("aid")), (1, 1))
    check("track-list", [track["selected"] for track in client.get("track-list")], [True, True, False, False])
    client("set_property", "aid", "no")
    check("aid is switched off", client.get("aid"), False)
    client("set_property", "aid", 2)
    client("loadfile", str(FIXTURES / "two-languages.mkv"))
    client.wait("file-loaded")
    check("aid is kept for a file with the same tracks", (client.get("aid"), client.get("sid")), (2, False))
    client("loadfile", OTHER)
    client.wait("file-loaded")
    check("aid is not kept for a file with other tracks", client.get("aid"), 1)
    client("set_property", "aid", "auto")
    client("set_property", "sid", "auto")
    client("stop")
    client.wait("idle")
    client("set_property", "pause", False)


def external(client, folder):
    """The subtitles of other files, which are tracks after those of the file."""
    first, second = str(folder / "first.srt"), str(folder / "second.srt")
    for name in (first, second):
        pathlib.Path(name).write_text("1\n00:00:00,000 --> 00:00:09,000\nHello\n")

    def listed():
        return [(track["id"], track["external-filename"], track["selected"]) for track in client.get("track-list") if track["external"]]

    client("set_property", "pause", True)
    client("loadfile", str(FIXTURES / "two-languages.mkv"))
    client.wait("file-loaded")
    check("sub-add", error(client("sub-add", first)), "success")
    check("the track of a file", (client.get("sid"), listed()), (2, [(2, first, True)]))
    check("sub-add without selecting", error(client("sub-add", second, "auto", "Title", "de")), "success")
    check("the track of another file", (client.get("sid"), listed()), (2, [(2, first, True), (3, second, False)]))
    track = client.get("track-list")[-1]
    check("its type, title and language", (track["type"], track["title"], track["lang"]), ("sub", "Title", "de"))
    check("an unknown flag of sub-add", error(client("sub-add", second, "nope")), "invalid parameter")
    for direction, values in (("up", [3, False, 1, 2]), ("down", [1, False, 3])):
        for value in values:
            client("cycle", "sub", direction)
            check(f"the tracks of files are cycled {direction}", client.get("sid"), value)
    client("set_property", "sid", "no")
    check("they are hidden", (client.get("sid"), [entry[2] for entry in listed()]), (False, [False, False]))
    client("set_property", "sid", 2)
    check("one is selected", (client.get("sid"), [entry[2] for entry in listed()]), (2, [True, False]))
    check("sub-add of a track", error(client("sub-add", second, "cached")), "success")
    check("it is selected", (client.get("sid"), [entry[2] for entry in listed()]), (3, [False, True]))
    check("a track is removed", error(client("sub-remove", 2)), "success")
    check("the other one keeps its number", (client.get("sid"), listed()), (3, [(3, second, True)]))
    check("a track that is gone", error(client("sub-remove", 2)), "error running command")
    check("the selected track is removed", error(client("sub-remove")), "success")
    check("none is selected", (client.get("sid"), listed()), (False, []))
    check("sub-remove without a selected track", error(client("sub-remove")), "error running command")
    client("sub-add", first)
    client("loadfile", CLIP)
    client.wait("file-loaded")
    check("the next file", (client.get("sid"), listed()), (False, []))
    client("set_property", "sid", "auto")
    client("stop")
    client.wait("idle")
    client("set_property", "pause", False)


def messages(client, path):
    """What clients say to one another, and the end."""
    for words in (["show-text", "hello"], ["keybind", "x", "quit"]):
        check(words[0], error(client(*words)), "success")
    other = Client(path)
    other("script-message", "a", "b")
    check("script-message", client.wait("client-message")["args"], ["a", "b"])
    client("disable_event", "client-message")
    other("script-message", "c")
    client.events.clear()
    other("get_property", "pause")
    client("get_property", "pause")
    check("disable_event", [event for event in client.events if event["event"] == "client-message"], [])
    client("disable_event", "all")
    client("enable_event", "client-message")
    other("script-message", "d")
    check("an event that is enabled alone", client.wait("client-message")["args"], ["d"])
    client("enable_event", "all")
    closing = Client(path)
    closing.send(json.dumps({"command": ["loadfile", CLIP, "append"], "request_id": 9}))
    closing.socket.shutdown(socket.SHUT_WR)
    check("the reply to a client that has ended its input", error(closing.reply(9)), "success")
    check("quit", error(client("quit", 4)), "success")


def sockets(command, folder):
    """The socket of vplay, and clients that misbehave."""
    path = folder / "own"
    start = [*command, "--audio", "null", "--video", "null", "--idle", f"--input-ipc-server={path}"]
    first = subprocess.Popen(start, stderr=subprocess.DEVNULL)
    client = Client(path)
    check("the mode of the socket", path.stat().st_mode & 0o777, 0o600)
    second = subprocess.run(start, capture_output=True, text=True, timeout=TIMEOUT)
    check("a socket with a listener", (second.returncode, second.stderr.count("another process listens")), (1, 1))
    for words, expected in ((["set_property", "fullscreen", True], "property unavailable"), (["set", "fullscreen", "yes"], "property unavailable"),
                            (["cycle", "fullscreen"], "error running command"), (["set_property", "fullscreen", False], "success")):
        check(f"without a window {words}", error(client(*words)), expected)
    check("fullscreen without a window", client.get("fullscreen"), False)
    client("set_property", "loop-file", "inf")
    client("loadfile", CLIP)
    client.wait("file-loaded")
    client("set_property", "loop-file", "inf")
    fifo = folder / "pipe"
    os.mkfifo(fifo)
    for words in (["add", "playlist-pos", 1e30], ["multiply", "chapter", 1e300], ["loadfile", CLIP, "append", "="], ["loadfile", CLIP, "append", "a=,="],
                  ["set_property", "playlist-pos-1", -(1 << 63)], ["seek", 1e300, "absolute"], ["add", "aid", 1e30], ["loadlist", str(fifo)],
                  ["playlist-move", 0, -(1 << 63)], ["quit", "x"]):
        reply = client(*words)
        check(f"hostile {words[:3]}", "request_id" in reply)
    check("an index beyond the list", error(client("loadfile", CLIP, "insert-at", (1 << 63) - 1)), "success")
    deaf = Client(path)
    deaf("observe_property", 1, "time-pos")
    deaf.socket.shutdown(socket.SHUT_RD)
    client("seek", 0, "absolute")
    # 300 clients come and go, some in the middle of a line.
    for number in range(300):
        visitor = Client(path)
        if number % 3 == 0:
            visitor.send('{"command": ["observe_property", 1, "time-pos"]}')
        elif number % 3 == 1:
            visitor.socket.sendall(b'{"command": ["get_pro')
        else:
            visitor("get_property", "volume")
        visitor.socket.close()
    # A client that never reads is disconnected when too much is pending.
    silent = socket.socket(socket.AF_UNIX)
    silent.connect(str(path))
    silent.settimeout(TIMEOUT)
    request = b'{"command": ["get_property", "property-list"]}\n' * 100
    sent = 0
    try:
        while sent < 1 << 26:
            silent.sendall(request)
            sent += len(request)
        faults.append("a client that does not read is not disconnected")
    except OSError:
        check("a client that does not read", sent < 1 << 26)
    check("the others are served", client.get("pause"), False)
    check("dropped frames", type(client.get("frame-drop-count")), int)
    # Not in mpv: a file interrupts what plays, which continues where it was.
    # The files that interrupt are slow, so that they do not end before they are noticed.
    client("set_property", "speed", 0.25)
    client("loadfile", CLIP)
    client.wait("file-loaded")
    client("set_property", "pause", True)
    client("seek", 0.5, "absolute", "exact")
    client.until("time-pos", lambda value: value is not None and abs(value - 0.5) < 0.05)
    check("an interruption", error(client("loadfile", OTHER, "interrupt")), "success")
    client.until("time-pos", lambda value: value is not None and value > 0.6)
    check("the playlist during it", client.get("playlist-count"), 1)
    client("seek", 99, "absolute-percent")
    client.until("time-pos", lambda value: value is not None and abs(value - 0.5) < 0.001)
    # The time can be that of the entry a moment before the interruption has ended for the other properties.
    check("the pause after it", client.until("pause", lambda value: value), True)
    # Not in mpv either: the properties of the media are those of the file that interrupts.
    client("set_property", "pause", False)
    client("loadfile", str(FIXTURES / "two-languages.mkv"), "interrupt")
    check("the tracks during an interruption", client.until("track-list/count", lambda value: value == 4), 4)
    client("seek", 99, "absolute-percent")
    client.until("track-list/count", lambda value: value == 2)
    client("set_property", "pause", True)
    client("seek", 0.5, "absolute", "exact")
    check("an interruption by a missing file", error(client("loadfile", str(folder / "none.mp4"), "interrupt")), "success")
    check("the position after it", round(client.get("time-pos"), 3), 0.5)
    client("set_property", "pause", False)
    client("stop")
    client.until("idle-active", lambda value: value is True)
    check("an interruption while idle", error(client("loadfile", OTHER, "interrupt")), "success")
    client.until("time-pos", lambda value: value is not None)
    client("set_property", "pause", True)
    check("idle-active during it", client.get("idle-active"), False)
    image = folder / "interruption.png"
    check("a frame of it", (error(client("screenshot-to-file", str(image), "video")), image.exists()), ("success", True))
    closing = Client(path)
    image = folder / "closing.png"
    closing.send(json.dumps({"command": ["screenshot-to-file", str(image), "video"], "request_id": 9}))
    closing.socket.shutdown(socket.SHUT_WR)
    check("a frame for a client that has ended its input", (error(closing.reply(9)), image.exists()), ("success", True))
    subtitles = folder / "interruption.srt"
    subtitles.write_text("1\n00:00:00,000 --> 00:00:09,000\nHello\n")
    check("subtitles of it", error(client("sub-add", str(subtitles))), "success")
    check("its subtitles are removed", error(client("sub-remove")), "success")
    client("set_property", "speed", 1)
    client("set_property", "pause", False)
    client.until("idle-active", lambda value: value is True)
    first.kill()
    first.wait()
    check("a socket without a listener", path.exists(), True)
    third = subprocess.Popen(start, stderr=subprocess.DEVNULL)
    client = Client(path)
    check("a socket without a listener is replaced", client.get("idle-active"), True)
    client("quit")
    check("exit status of quit", third.wait(TIMEOUT), 0)
    check("the socket is removed", path.exists(), False)
    # The longest path of a socket, and a file of others at the path at the end.
    path = folder / ("s" * (106 - len(str(folder))))
    fourth = subprocess.Popen([*command, "--audio", "null", "--video", "null", "--idle", f"--input-ipc-server={path}"], stderr=subprocess.DEVNULL)
    client = Client(path)
    check("a path of 107 bytes", (len(str(path)), client.get("idle-active"), path.stat().st_mode & 0o777), (107, True, 0o600))
    path.rename(folder / "moved")
    path.write_text("of others")
    client("quit")
    check("exit status", fourth.wait(TIMEOUT), 0)
    check("a file of others is kept", path.read_text(), "of others")


@contextlib.contextmanager
def started(start, path, output=os.devnull):
    """The process of a command and a client of it. The process is killed in the end, if it has not ended."""
    with open(output, "w", encoding="utf-8") as file:
        process = subprocess.Popen([*start, f"--input-ipc-server={path}"], stdout=file, stderr=subprocess.DEVNULL)
    try:
        yield process, Client(path)
    finally:
        process.kill()
        process.wait()


def paused(start, path):
    """A file that begins paused."""
    with started([*start, "--pause", "--loop", CLIP], path) as (process, client):
        client.until("time-pos", lambda value: value is not None)
        check("pause of --pause", client.get("pause"), True)
        check("core-idle of --pause", client.get("core-idle"), True)
        check("time-pos of --pause", round(client.get("time-pos"), 2), 0)
        client("set_property", "pause", False)
        client.until("time-pos", lambda value: value is not None and value > 0.1)
        client("quit")
        check("exit status", process.wait(TIMEOUT), 0)


def backward(command, path):
    """The speed of reverse playback, and a file that interrupts it, which plays forward from its start."""
    start = [*command, "--audio", "null", "--video", "null", "--rate", "-1", "--pause", "--loop", CLIP]
    with started(start, path) as (process, client):
        client.until("time-pos", lambda value: value is not None)
        check("speed of reverse playback", client.get("speed"), 1)
        client("set_property", "speed", 0.5)
        check("another speed", client.get("speed"), 0.5)
        begin = client.get("time-pos")
        client("set_property", "pause", False)
        client.until("time-pos", lambda value: value is not None and abs(value - begin) > 0.2)
        check("it plays in reverse", client.get("time-pos") < begin)
        client("set_property", "ab-loop-a", 1)
        client("set_property", "ab-loop-b", 2)
        client.until("time-pos", lambda value: value is not None and value < 1.4)
        check("an A-B loop in reverse", client.until("time-pos", lambda value: value is None or value > 1.6) < 2.1)
        client("set_property", "ab-loop-a", "no")
        client("set_property", "pause", True)
        # The file is slow, so that it does not end before it has been checked.
        client("set_property", "speed", 0.25)
        client("loadfile", str(FIXTURES / "two-languages.mkv"), "interrupt")
        client.until("track-list/count", lambda value: value == 4)
        check("an interruption of reverse playback begins at its start", client.get("time-pos") < 2.5)
        client("set_property", "pause", True)
        begin = client.get("time-pos")
        client("set_property", "pause", False)
        client.until("time-pos", lambda value: value is not None and abs(value - begin) > 0.2)
        check("it continues forward", client.get("time-pos") > begin and client.get("track-list/count") == 4)
        client("seek", 99, "absolute-percent")
        client.until("track-list/count", lambda value: value == 2)
        client("quit")
        check("exit status", process.wait(TIMEOUT), 0)


def faster(command, path):
    """An interruption, which is played at the speed that a client has set."""
    start = [*command, "--audio", "null", "--video", "null", "--pause", str(FIXTURES / "two-languages.mkv")]
    with started(start, path) as (_, client):
        client.until("time-pos", lambda value: value is not None)
        client("set_property", "speed", 0.25)
        client("loadfile", CLIP, "interrupt")
        client.until("track-list/count", lambda value: value == 2)
        client.until("time-pos", lambda value: value is not None and value > 0.05)
        begin, position = time.monotonic(), client.get("time-pos")
        played = client.until("time-pos", lambda value: value is not None and value > position + 0.2) - position
        check("the speed of an interruption", played < 0.6 * (time.monotonic() - begin))


def silent(command, path):
    """Files that interrupt nothing: one of which nothing is played without video, and one that does not exist."""
    start = [*command, "--audio", "null", "--video", "none", "--loop", CLIP]
    with started(start, path) as (_, client):
        client("request_log_messages", "error")
        client.until("time-pos", lambda value: value is not None)
        for _ in range(2):
            client("loadfile", str(FIXTURES / "video-only.mp4"), "interrupt")
            check("it is reported", "tracks are disabled" in client.wait("log-message")["text"])
            check("the file that plays", client.get("track-list/count"), 2)
        # It is slow, so that it does not end before it is paused.
        client("set_property", "speed", 0.25)
        client("loadfile", str(FIXTURES / "two-languages.mkv"), "interrupt")
        client.until("track-list/count", lambda value: value == 4)
        client("set_property", "pause", True)
        client("loadfile", str(FIXTURES / "nothing.mp4"), "interrupt")
        client.wait("log-message")
        check("an interruption that another one has not replaced", client.get("track-list/count"), 4)


def retried(command, path):
    """A file that appears after it could not be opened, and before its turn."""
    start = [*command, "--audio", "null", "--video", "null", "--pause", CLIP]
    with started(start, path) as (_, client):
        client("request_log_messages", "error")
        client.until("time-pos", lambda value: value is not None)
        # The next file is opened when this one has been read to its end.
        client("set_property", "time-pos", 2.8)
        file = path.with_suffix(".mp4")
        entry = client("loadfile", str(file), "append")["data"]["playlist_entry_id"]
        client.wait("log-message")
        shutil.copyfile(CLIP, file)
        client("loadfile", OTHER, "append")
        # The files are slow, so that the one that has appeared does not end before the next one is requested.
        client("set_property", "speed", 0.25)
        client("set_property", "pause", False)
        check("the end before a file that has appeared", client.wait("end-file")["reason"], "eof")
        check("a file that has appeared", client.wait("start-file")["playlist_entry_id"], entry)
        client("playlist-next")
        check("the end of a file that has appeared", client.wait("end-file")["reason"], "stop")


def ends(path):
    """The lines of `--events text` for the ends of items: the time, and the words after the name of the event."""
    lines = [line.split() for line in path.read_text().splitlines()]
    return [(float(line[0]), line[2:]) for line in lines if line[1] == "didPlayToEndTime"]


def remainder(command, path):
    """The remainder of --duration, which an interruption does not use."""
    long = str(FIXTURES / "two-languages.mkv")
    start = [*command, "--audio", "null", "--video", "null", "--events", "text", "--pause", "--duration", "4", CLIP, long]
    events = path.with_suffix(".events")
    with started(start, path, events) as (process, client):
        client.until("time-pos", lambda value: value is not None)
        # It is slow, so that it does not end before it is paused.
        client("set_property", "speed", 0.25)
        client("loadfile", long, "interrupt")
        client.until("track-list/count", lambda value: value == 4)
        client("set_property", "pause", True)
        client("set_property", "speed", 1)
        client("seek", 2.5, "absolute")
        client.until("time-pos", lambda value: value is not None and value > 2.4)
        client("playlist-next")
        client.until("time-pos", lambda value: value is not None and value < 1)
        client("set_property", "pause", False)
        check("exit status", process.wait(TIMEOUT), 0)
        check("the time of the next file", [time > 2 for time, words in ends(events) if words == ["item=1"]], [True])


def stopped(command, path):
    """The remainder of --duration after an entry that was stopped."""
    start = [*command, "--audio", "null", "--video", "null", "--pause", "--idle", "--duration", "4"]
    with started([*start, str(FIXTURES / "two-languages.mkv")], path) as (process, client):
        client.until("time-pos", lambda value: value is not None)
        client("seek", 2.5, "absolute")
        client.until("time-pos", lambda value: value is not None and value > 2.4)
        client("stop")
        client.until("idle-active", lambda value: value is True)
        client("set_property", "pause", False)
        client("loadfile", CLIP)
        check("exit status", process.wait(TIMEOUT), 0)


def boundaries(command, path):
    """The end of an A-B loop and of --duration, which are times of the interrupted file."""
    long = str(FIXTURES / "two-languages.mkv")
    start = [*command, "--audio", "null", "--video", "null", "--events", "text", "--pause", "--loop", "--duration", "2", CLIP]
    events = path.with_suffix(".events")
    with started(start, path, events) as (process, client):
        client.until("time-pos", lambda value: value is not None)
        client("set_property", "ab-loop-a", 0.5)
        client("set_property", "ab-loop-b", 1)
        # It is slow, so that it does not end before it is noticed.
        client("set_property", "speed", 0.25)
        client("loadfile", long, "interrupt")
        client.until("track-list/count", lambda value: value == 4)
        client("set_property", "speed", 1)
        client.until("track-list/count", lambda value: value == 2)
        client("set_property", "ab-loop-b", "no")
        client("set_property", "pause", False)
        check("exit status", process.wait(TIMEOUT), 0)
        # A file that interrupts has no index.
        check("the time of an interruption", [time > 2.2 for time, words in ends(events) if words == []], [True])


def resumed(command, path):
    """A pause that ends during an interruption, and so does not continue after it."""
    start = [*command, "--audio", "null", "--video", "null", "--pause", "--loop", CLIP]
    with started(start, path) as (_, client):
        client.until("time-pos", lambda value: value is not None)
        # It is slow, so that it does not end before the pause does.
        client("set_property", "speed", 0.25)
        client("loadfile", str(FIXTURES / "two-languages.mkv"), "interrupt")
        client.until("track-list/count", lambda value: value == 4)
        client("set_property", "pause", False)
        client("seek", 99, "absolute-percent")
        client.until("track-list/count", lambda value: value == 2)
        check("it continues", client.until("time-pos", lambda value: value is not None and value > 0.1) > 0.1)


def interrupted(command, path):
    """The pause of an entry, which does not concern a file that interrupts it."""
    # It is slow, so that nothing ends before it has been checked.
    start = [*command, "--audio", "null", "--video", "null", "--pause", "--rate", "0.1", CLIP]
    with started(start, path) as (_, client):
        client("observe_property", 1, "pause")
        check("the pause before an interruption", client.wait("property-change", id=1)["data"])
        client.until("time-pos", lambda value: value is not None)
        client("loadfile", str(FIXTURES / "two-languages.mkv"), "interrupt")
        check("the pause of an interruption", client.wait("property-change", id=1)["data"], False)
        client.until("track-list/count", lambda value: value == 4)
        client("seek", 99, "absolute-percent")
        client.until("track-list/count", lambda value: value == 2)
        check("the pause after it", client.wait("property-change", id=1)["data"])
        client("loadfile", str(FIXTURES / "two-languages.mkv"), "interrupt")
        client.until("track-list/count", lambda value: value == 4)
        client.wait("property-change", id=1, data=False)
        client("cycle", "pause")
        check("an interruption that is paused", (client.get("pause"), client.get("core-idle")), (True, True))
        client.wait("property-change", id=1, data=True)
        # One that follows is not paused, and has another duration than the entry.
        client("loadfile", OTHER, "interrupt")
        check("the pause of the next interruption", client.wait("property-change", id=1)["data"], False)
        client.until("duration", lambda value: value is not None and value < 2)
        client("seek", 99, "absolute-percent")
        client.until("duration", lambda value: value is not None and value > 2)
        check("the pause after both", client.wait("property-change", id=1)["data"])


def skipped(command, path):
    """The entry that a client chooses during an interruption of a paused entry, and that is paused as well."""
    start = [*command, "--audio", "null", "--video", "null", "--pause", "--rate", "0.1", CLIP, OTHER]
    with started(start, path) as (_, client):
        client.until("time-pos", lambda value: value is not None)
        client("loadfile", str(FIXTURES / "two-languages.mkv"), "interrupt")
        client.until("track-list/count", lambda value: value == 4)
        client.until("core-idle", lambda value: value is False)
        client("playlist-next")
        client.wait("start-file", playlist_entry_id=2)
        client.wait("playback-restart")
        check("the next entry is paused", (client.get("path"), client.get("pause"), client.get("core-idle")), (OTHER, True, True))


def left(command, path):
    """An entry that is removed while it is interrupted. The next one, or the end, follows the interruption."""
    start = [*command, "--audio", "null", "--video", "null", "--pause", "--rate", "0.1", CLIP, OTHER]
    with started(start, path) as (process, client):
        for name in (CLIP, OTHER):
            client.until("path", lambda value, name=name: value == name)
            client.until("duration", lambda value: value is not None)
            client("loadfile", str(FIXTURES / "two-languages.mkv"), "interrupt")
            client.until("track-list/count", lambda value: value == 4)
            check("the interrupted entry is removed", error(client("playlist-remove", "current")), "success")
            check("its end", client.wait("end-file")["reason"], "stop")
            check("it is removed once", error(client("playlist-remove", "current")), "error running command")
            check("the interruption after the removal", client.get("track-list/count"), 4)
            check("the list after the removal", [entry["filename"] for entry in client.get("playlist")], [OTHER] if name == CLIP else [])
            client("seek", 99, "absolute-percent")
        check("exit status after the last entry", process.wait(TIMEOUT), 0)


def stepped(command, path):
    """A step during an interruption, which pauses the interrupted entry as well, also if another file interrupts then."""
    with started([*command, "--audio", "null", "--video", "null", "--loop", CLIP], path) as (_, client):
        client.until("time-pos", lambda value: value is not None)
        # It is slow, so that it does not end before the step.
        client("set_property", "speed", 0.5)
        client("loadfile", str(FIXTURES / "two-languages.mkv"), "interrupt")
        client.until("track-list/count", lambda value: value == 4)
        client("frame-step")
        client("loadfile", str(FIXTURES / "two-languages.mkv"), "interrupt")
        client.until("track-list/count", lambda value: value == 2)
        client.until("core-idle", lambda value: value is True)
        check("it is paused", client.get("pause"))


def awaited(command, path):
    """A file that interrupts a session that waits for files, and is not replaced by those that appear."""
    folder = path.with_suffix(".folder")
    folder.mkdir()
    # A container without content.
    (folder / "a.mp4").write_bytes(pathlib.Path(CLIP).read_bytes()[:64])
    with started([*command, "--audio", "null", "--video", "null", "--watch", str(folder)], path) as (_, client):
        client.until("playlist-count", lambda value: value == 1)
        client.until("idle-active", lambda value: value is True)
        # It is slow, so that it does not end before it has been checked.
        client("set_property", "speed", 0.25)
        client("loadfile", str(FIXTURES / "two-languages.mkv"), "interrupt")
        client.until("track-list/count", lambda value: value == 4)
        (folder / ".b").write_bytes(pathlib.Path(CLIP).read_bytes())
        (folder / ".b").rename(folder / "b.mp4")
        client.until("playlist-count", lambda value: value == 2)
        position = client.get("time-pos")
        check("the interruption continues", client.until("time-pos", lambda value: value is None or value > position + 0.5) is not None)
        check("it is the interruption", client.get("track-list/count"), 4)
        client("set_property", "speed", 1)
        client.until("path", lambda value: value == str(folder / "b.mp4"))
        client.until("track-list/count", lambda value: value == 2)


def halted(command, path):
    """A session that is stopped while it waits for files, and plays none that appear."""
    folder = path.with_suffix(".folder")
    folder.mkdir()
    # A container without content.
    (folder / "a.mp4").write_bytes(pathlib.Path(CLIP).read_bytes()[:64])
    start = [*command, "--audio", "null", "--video", "null", "--idle", "--watch", str(folder)]
    with started(start, path) as (_, client):
        client.until("playlist-count", lambda value: value == 1)
        client.until("idle-active", lambda value: value is True)
        client("stop")
        (folder / ".b").write_bytes(pathlib.Path(CLIP).read_bytes())
        (folder / ".b").rename(folder / "b.mp4")
        client.until("playlist-count", lambda value: value == 1)
        check("it is idle", client.get("idle-active"), True)


def finished(command, path):
    """The saved position of a list that has been played to its end while the command keeps running."""
    saved = path.with_suffix(".json")
    state = {"format": "vplay-resume-1", "location": CLIP, "index": 0, "position": 1, "round": 1, "seed": None}
    saved.write_text(json.dumps(state))
    start = [*command, "--audio", "null", "--video", "null", "--idle", f"--resume={saved}", CLIP]
    with started(start, path) as (process, client):
        client.until("idle-active", lambda value: value is True)
        client("quit")
        check("exit status", process.wait(TIMEOUT), 0)
        check("a saved position after the end", saved.exists(), False)


def selected(command, path):
    """A file that is played as soon as it is loaded, with the track that the command line selects."""
    long = str(FIXTURES / "two-languages.mkv")
    start = [*command, "--audio", "null", "--video", "none", "--idle", "--audio-track", "de"]
    with started(start, path) as (process, client):
        # No file ends before the next one has been added.
        client("set_property", "pause", True)
        client("loadfile", long, "append-play")
        client.wait("file-loaded")
        for mode in ("append", "insert-next"):
            client("loadfile", long, mode)
            client("playlist-next")
            client.wait("file-loaded")
            check(f"the track of a file, {mode}", client.get("aid"), 2)
        client("quit")
        check("exit status", process.wait(TIMEOUT), 0)


def added(command, path):
    """The cues of a file that a client adds, which are among the events."""
    subtitles = path.with_suffix(".srt")
    # A file is read after the reply. The cue is due for almost five seconds, so that it is not missed if that takes a while.
    subtitles.write_text("1\n00:00:00,500 --> 00:00:02,900\nHello\n")
    start = [*command, "--audio", "null", "--video", "null", "--pause", "--idle", "--events", "text", CLIP]
    with open(path.with_suffix(".events"), "w+", encoding="utf-8") as events:
        process = subprocess.Popen([*start, f"--input-ipc-server={path}"], stdout=events, stderr=subprocess.DEVNULL)
        try:
            client = Client(path)
            client.until("time-pos", lambda value: value is not None)
            check("sub-add", error(client("sub-add", str(subtitles))), "success")
            client("set_property", "sid", "no")
            check("it is selected again", error(client("set_property", "sid", 1)), "success")
            client("set_property", "speed", 0.5)
            client("set_property", "pause", False)
            client.until("idle-active", lambda value: value is True)
            client("quit")
            check("exit status", process.wait(TIMEOUT), 0)
        finally:
            process.kill()
            process.wait()
        events.seek(0)
        cues = [line.split()[1:4] for line in events if " cue " in line]
    check("the cues of a file that is added", cues, [["cue", "item=0", "text=Hello"]])


def subtitled(command, path):
    """The file of an option, which is a track like those that clients add."""
    subtitles = path.with_suffix(".srt")
    subtitles.write_text("1\n00:00:00,000 --> 00:00:09,000\nHello\n")
    start = [*command, "--audio", "null", "--video", "null", "--pause", "--idle", "--subtitle-file", str(subtitles), CLIP]
    with started(start, path) as (process, client):
        client.until("track-list/count", lambda value: value == 3)
        check("the track of an option", (client.get("sid"), client.get("track-list/2/external-filename")), (1, str(subtitles)))
        client("set_property", "sid", "no")
        check("it is hidden", (client.get("sid"), client.get("track-list/2/selected")), (False, False))
        client("cycle", "sid")
        check("it is cycled", (client.get("sid"), client.get("track-list/2/selected")), (1, True))
        check("it is removed", (error(client("sub-remove", 1)), client.get("track-list/count")), ("success", 2))
        client("quit")
        check("exit status", process.wait(TIMEOUT), 0)


def removed(command, path):
    """The last entry of a list that is repeated, which is removed while it plays."""
    start = [*command, "--audio", "null", "--video", "null", "--pause", "--loop", OTHER, CLIP, CLIP]
    with started(start, path) as (process, client):
        client("playlist-play-index", 2)
        client.until("playlist-pos", lambda value: value == 2)
        check("the last entry is removed", error(client("playlist-remove", "current")), "success")
        check("the first one follows", client.until("path", lambda value: value == OTHER), OTHER)
        client("quit")
        check("exit status", process.wait(TIMEOUT), 0)


def chaptered(command, path):
    """The chapters of a file: before the first one is the start, and after the last one the end."""
    file, metadata = str(path.with_suffix(".mkv")), path.with_suffix(".txt")
    metadata.write_text(";FFMETADATA1\n" + "".join(f"[CHAPTER]\nTIMEBASE=1/1\nSTART={begin}\nEND={end}\n" for begin, end in ((0, 1), (1, 3))))
    make = ["ffmpeg", "-nostdin", "-v", "error", "-i", CLIP, "-f", "ffmetadata", "-i", str(metadata), "-map", "0:v", "-map_metadata", "1", "-c", "copy", file]
    subprocess.run(make, check=True, timeout=TIMEOUT)
    # An interruption is slow, so that it does not end before it has been checked.
    start = [*command, "--audio", "null", "--video", "null", "--pause", "--idle", "--rate", "0.1", file, OTHER]
    with started(start, path) as (process, client):
        client.until("chapter", lambda value: value == 0)
        check("a negative number in the first chapter", error(client("add", "chapter", -1)), "success")
        client.until("chapter", lambda value: value == 0)
        client("add", "chapter", 1)
        client.until("chapter", lambda value: value == 1)
        check("the start of a chapter", round(client.get("time-pos"), 1), 1)
        check("the chapter -1", error(client("set_property", "chapter", -1)), "success")
        client.until("time-pos", lambda value: value == 0)
        client("set_property", "chapter", 1)
        client.until("chapter", lambda value: value == 1)
        check("a chapter after the last one", error(client("add", "chapter", 1)), "success")
        client.until("path", lambda value: value == OTHER)
        client.until("duration", lambda value: value is not None)
        check("a chapter of a file without any", error(client("set_property", "chapter", -1)), "property unavailable")
        client("loadfile", file, "interrupt")
        client.until("chapters", lambda value: value == 2)
        check("a chapter after the last one of an interruption", error(client("set_property", "chapter", 2)), "success")
        client.until("chapters", lambda value: value == 0)
        check("the entry after it", client.get("path"), OTHER)
        client("loadfile", file)
        client.until("chapters", lambda value: value == 2)
        check("a chapter after that of the last file", error(client("set_property", "chapter", 2)), "success")
        client.until("idle-active", lambda value: value is True)
        client("quit")
        check("exit status", process.wait(TIMEOUT), 0)


def synchronized(command, path):
    """The position of the wall clock in a playlist that a client changes."""
    files = [CLIP, OTHER, str(FIXTURES / "two-languages.mkv")]
    lengths = {}
    for name in files:
        found = subprocess.run([command[0], "probe", "--json", name], capture_output=True, check=True, timeout=TIMEOUT)
        lengths[name] = json.loads(found.stdout)["duration"]
    start = [*command, "--audio", "null", "--video", "null", "--sync-clock", "wall", *files]
    with started(start, path) as (_, client):

        def distance():
            """The distance from the position of the wall clock, or None if both were not read at the same time."""
            names = [entry["filename"] for entry in client.get("playlist")]
            index = client.get("playlist-pos")
            begin = time.time()
            time_pos = client.get("time-pos")
            end = time.time()
            if time_pos is None or index is None or index < 0 or end - begin > 0.1 or client.get("playlist-pos") != index:
                return None
            position = sum(lengths[name] for name in names[:index]) + time_pos
            length = sum(lengths[name] for name in names)
            found = (begin - position) % length
            return min(found, length - found)

        def stays_in_step():
            """Whether 18 of 20 readings are in step, if not at once, then later. At a seam one may be out of step."""
            deadline = time.monotonic() + TIMEOUT
            readings = []
            while time.monotonic() < deadline:
                found = distance()
                if found is not None:
                    readings = [*readings[-19:], found < 0.2]
                if len(readings) == 20 and sum(readings) >= 18:
                    return True
                time.sleep(0.15)
            return False

        check("in step", stays_in_step())
        client("playlist-remove", 0)
        check("in step after an entry was removed", stays_in_step())
        client("loadfile", CLIP, "append")
        client.until("playlist-count", lambda value: value == 3)
        check("in step after an entry was added", stays_in_step())
        client("playlist-move", 0, 3)
        check("in step after an entry was moved", stays_in_step())


def live(command, path):
    """Steps in a live stream, whose offset from the edge is longer than the window."""
    folder = path.with_suffix(".folder")
    folder.mkdir()
    encode = ["-an", "-c:v", "mpeg2video", "-g", "30", "-f", "hls", "-hls_time", "1", "-hls_list_size", "0"]
    subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-i", CLIP, *encode, "all.m3u8"], cwd=folder, check=True)
    lines = (folder / "all.m3u8").read_text().replace("#EXT-X-ENDLIST", "").splitlines()
    tags = ["#EXT-X-PLAYLIST-TYPE:EVENT", "#EXT-X-SERVER-CONTROL:HOLD-BACK=10000"]
    (folder / "live.m3u8").write_text("\n".join([lines[0], *tags, *lines[1:]]))

    class Handler(http.server.SimpleHTTPRequestHandler):
        def __init__(self, *arguments):
            super().__init__(*arguments, directory=folder)

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}/live.m3u8"

    def position():
        return round(client.get("time-pos"), 2)

    with started([*command, "--audio", "null", "--video", "null", "--pause", url], path) as (_, client):
        client.until("time-pos", lambda value: value is not None)
        check("an absolute seek in the window", error(client("seek", 2, "absolute")), "success")
        check("the position in it", position(), 2)
        check("a step past the edge", error(client("seek", 5)), "success")
        check("it does not move back", position(), 2)
        client("seek", -1)
        check("a step back", position(), 1)
        client("seek", 100, "absolute")
        check("an absolute seek past the edge", position(), 0)
    server.shutdown()


def main(command):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "socket"
        own = ["--video", "null", "--audio", "null"] if "vplay" in command[0] else ["--vo=null", "--ao=null", "--no-terminal"]
        process = subprocess.Popen([*command, *own, "--idle", f"--input-ipc-server={path}"], stderr=subprocess.DEVNULL)
        try:
            client = Client(path)
            for part in (idle, refusals, named, properties, observing, playing, lists, tracks):
                part(client)
            external(client, pathlib.Path(folder))
            messages(client, path)
            check("exit status", process.wait(TIMEOUT), 4)
            paused([*command, *own], pathlib.Path(folder) / "paused")
            if "vplay" in command[0]:
                sockets(command, pathlib.Path(folder))
                backward(command, pathlib.Path(folder) / "backward")
                faster(command, pathlib.Path(folder) / "faster")
                silent(command, pathlib.Path(folder) / "silent")
                retried(command, pathlib.Path(folder) / "retried")
                remainder(command, pathlib.Path(folder) / "remainder")
                stopped(command, pathlib.Path(folder) / "stopped")
                boundaries(command, pathlib.Path(folder) / "boundaries")
                resumed(command, pathlib.Path(folder) / "resumed")
                interrupted(command, pathlib.Path(folder) / "interrupted")
                skipped(command, pathlib.Path(folder) / "skipped")
                left(command, pathlib.Path(folder) / "left")
                stepped(command, pathlib.Path(folder) / "stepped")
                awaited(command, pathlib.Path(folder) / "awaited")
                halted(command, pathlib.Path(folder) / "halted")
                finished(command, pathlib.Path(folder) / "finished")
                selected(command, pathlib.Path(folder) / "selected")
                added(command, pathlib.Path(folder) / "added")
                subtitled(command, pathlib.Path(folder) / "subtitled")
                removed(command, pathlib.Path(folder) / "removed")
                chaptered(command, pathlib.Path(folder) / "chaptered")
                synchronized(command, pathlib.Path(folder) / "synchronized")
                live(command, pathlib.Path(folder) / "live")
        except Exception as failure:  # What was found before it is printed as well.
            faults.append(f"after {count} checks: {type(failure).__name__}: {failure}")
        finally:
            process.kill()
            process.wait()
    for fault in faults:
        print(fault, file=sys.stderr)
    print(f"{count} checks, {len(faults)} failed")
    sys.exit(1 if faults else 0)


if len(sys.argv) < 2:
    sys.exit(__doc__)
main(sys.argv[1:])
