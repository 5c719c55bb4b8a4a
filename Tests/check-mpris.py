#!/usr/bin/env python3
"""check-mpris.py VPLAY: checks MPRIS on a session bus of its own, with playerctl and dbus-send as clients."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import threading
import time

FIXTURES = pathlib.Path(__file__).resolve().parent.parent / "media-fixtures/generated"
CLIP, OTHER = FIXTURES / "clip-h264-aac.mp4", FIXTURES / "clip-av1-aac.mp4"
TIMEOUT = 60
NAME = "org.mpris.MediaPlayer2.vplay"
count, faults = 0, []


def check(words, actual, expected=True):
    global count
    count += 1
    if actual != expected:
        faults.append(f"{words}: {actual!r}, expected {expected!r}")


def until(words, body, wanted):
    """Returns when `body()` has a value that is wanted."""
    deadline = time.monotonic() + TIMEOUT
    while True:
        value = body()
        if wanted(value):
            return value
        if time.monotonic() > deadline:
            raise TimeoutError(f"{words} stays {value!r}")
        time.sleep(0.02)


class Player:
    def __init__(self, vplay, *arguments, **environment):
        self.errors = tempfile.TemporaryFile()
        command = [vplay, "--video", "null", "--audio", "null", "--mpris", *map(str, arguments)]
        self.process = subprocess.Popen(
            command, stderr=self.errors, stdout=subprocess.DEVNULL, env={**os.environ, **environment}
        )

    def text(self):
        self.errors.seek(0)
        return self.errors.read().decode()

    def end(self):
        if self.process.poll() is None:
            self.process.terminate()
        return self.process.wait(TIMEOUT)


def playerctl(*arguments, player="vplay"):
    done = subprocess.run(
        ["playerctl", "-p", player, *map(str, arguments)], capture_output=True, text=True, timeout=TIMEOUT
    )
    return done.stdout.strip()


def call(method, *arguments, name=NAME, path="/org/mpris/MediaPlayer2"):
    done = subprocess.run(
        ["dbus-send", "--session", "--print-reply", f"--dest={name}", path, method, *arguments],
        capture_output=True, text=True, timeout=TIMEOUT,
    )
    return done.stdout + done.stderr


def get(name, interface="org.mpris.MediaPlayer2.Player"):
    return call("org.freedesktop.DBus.Properties.Get", f"string:{interface}", f"string:{name}")


def put(name, value, interface="org.mpris.MediaPlayer2.Player"):
    return call("org.freedesktop.DBus.Properties.Set", f"string:{interface}", f"string:{name}", f"variant:{value}")


def owners():
    return call("org.freedesktop.DBus.ListNames", name="org.freedesktop.DBus", path="/org/freedesktop/DBus")


class Monitor:
    """The signals of the player, as dbus-monitor prints them."""

    def __init__(self):
        self.process = subprocess.Popen(
            ["dbus-monitor", "--session", "type='signal',path='/org/mpris/MediaPlayer2'",
             "type='signal',member='NameOwnerChanged'"],
            stdout=subprocess.PIPE, text=True,
        )
        self.lines = []
        threading.Thread(target=self.read, daemon=True).start()
        # Each client that comes and goes makes a signal.
        until("the monitor", lambda: (owners(), "NameOwnerChanged" in self.text())[1], bool)

    def read(self):
        for line in self.process.stdout:
            self.lines.append(line)

    def text(self):
        return re.sub(r"\s+", " ", "".join(self.lines))

    def wait(self, words, pattern):
        until(words, self.text, lambda text: re.search(pattern, text))

    def end(self):
        self.process.kill()
        self.process.wait()


def status(wanted):
    return until("the status", lambda: playerctl("status"), lambda value: value == wanted)


def playing(vplay):
    """What playerctl and desktops do with a player."""
    # sd-bus refuses text with a noncharacter of Unicode, which file names may contain.
    folder = tempfile.TemporaryDirectory()
    odd = pathlib.Path(folder.name) / "odd\ufdd0\U0001ffff.mp4"
    odd.symlink_to(OTHER)
    # Slowly, so that the clip does not end before it is paused.
    player = Player(vplay, "--loop", "--rate", "0.05", CLIP, odd)
    until("the name", owners, lambda text: f'"{NAME}"' in text)
    status("Playing")
    monitor = Monitor()
    check("the list of players", "vplay" in subprocess.run(["playerctl", "-l"], capture_output=True, text=True).stdout)
    until("the title", lambda: playerctl("metadata", "xesam:title"), lambda title: title == CLIP.name)
    length = until("the length", lambda: playerctl("metadata", "mpris:length"), bool)
    check("the length", 2_900_000 < int(length) < 3_100_000)
    check("the URL", playerctl("metadata", "xesam:url"), f"file://{CLIP}")
    first = playerctl("metadata", "mpris:trackid").strip("'")
    check("the track", first, "/org/playhead/vplay/track/1")

    playerctl("pause")
    status("Paused")
    monitor.wait("the signal of a pause", r'PropertiesChanged.*"PlaybackStatus" variant string "Paused"')
    playerctl("position", 2)
    monitor.wait("the signal of a seek", r"member=Seeked int64 2000000\b")
    until("the position", lambda: playerctl("position"), lambda text: abs(float(text) - 2) < 0.001)
    playerctl("position", "1-")
    until("a relative seek", lambda: playerctl("position"), lambda text: abs(float(text) - 1) < 0.001)
    call("org.mpris.MediaPlayer2.Player.SetPosition", "objpath:/org/playhead/vplay/track/99", "int64:500000")
    call("org.mpris.MediaPlayer2.Player.SetPosition", f"objpath:{first}", "int64:99000000")
    check("calls for another track or position", abs(float(playerctl("position")) - 1) < 0.001)
    call("org.mpris.MediaPlayer2.Player.SetPosition", f"objpath:{first}", "int64:500000")
    until("a position", lambda: playerctl("position"), lambda text: abs(float(text) - 0.5) < 0.001)

    playerctl("volume", 0.4)
    until("the volume", lambda: playerctl("volume"), lambda text: float(text) == 0.4)
    monitor.wait("the signal of the volume", r'"Volume" variant double 0\.4')
    check("loop", playerctl("loop"), "Playlist")
    playerctl("loop", "Track")
    until("loop", lambda: playerctl("loop"), lambda text: text == "Track")
    playerctl("loop", "None")
    until("loop", lambda: playerctl("loop"), lambda text: text == "None")
    playerctl("loop", "Playlist")
    until("loop", lambda: playerctl("loop"), lambda text: text == "Playlist")
    put("Rate", "double:2")
    until("the rate", lambda: get("Rate"), lambda text: "double 2" in text)
    put("Rate", "double:1")

    playerctl("next")
    until("the next track", lambda: playerctl("metadata", "xesam:title"), lambda title: title == "odd\ufffd\ufffd.mp4")
    monitor.wait("the signal of a track", r'"Metadata" .*"/org/playhead/vplay/track/2"')
    playerctl("previous")
    until("the previous track", lambda: playerctl("metadata", "xesam:title"), lambda title: title == CLIP.name)
    playerctl("play-pause")
    status("Playing")

    # Errors.
    check("a property that does not exist", "UnknownProperty" in get("Nope"))
    check("a property of another interface", "UnknownProperty" in get("Volume", "org.mpris.MediaPlayer2"))
    check("a read-only property", "PropertyReadOnly" in put("CanPlay", "boolean:false"))
    check("another type", "InvalidArgs" in put("Volume", "string:loud"))
    check("a rate out of range", "Failed" in put("Rate", "double:1000"))
    check("a method that does not exist", "UnknownMethod" in call("org.mpris.MediaPlayer2.Player.Nope"))
    check("a method without its argument", "InvalidArgs" in call("org.mpris.MediaPlayer2.Player.Seek"))
    check("an argument of another type", "InvalidArgs" in call("org.mpris.MediaPlayer2.Player.Seek", "string:x"))
    check("a URI that is none", "InvalidArgs" in call("org.mpris.MediaPlayer2.Player.OpenUri", "string:"))
    check("an interface that does not exist",
          "UnknownInterface" in call("org.freedesktop.DBus.Properties.GetAll", "string:org.nope"))
    check("the application", '"vplay"' in get("Identity", "org.mpris.MediaPlayer2"))
    description = call("org.freedesktop.DBus.Introspectable.Introspect")
    values = call("org.freedesktop.DBus.Properties.GetAll", "string:org.mpris.MediaPlayer2.Player")
    names = re.findall(r'^ {6}dict entry\(\n {9}string "(\w+)"', values, re.MULTILINE)
    check("every property is described", [name for name in names if f'property name="{name}"' not in description], [])
    check("the number of properties", len(names), 14)

    # A second player has a name of its own.
    other = Player(vplay, "--loop", OTHER)
    second = f"{NAME}.instance{other.process.pid}"
    until("the second name", owners, lambda text: f'"{second}"' in text)
    other.end()

    call("org.mpris.MediaPlayer2.Quit")
    check("Quit", player.process.wait(TIMEOUT), 0)
    until("the name is released", owners, lambda text: f'"{NAME}"' not in text)
    check("no messages", player.text(), "")
    monitor.end()


def idle(vplay):
    """A player that waits for something to play."""
    # The clip is slow, as above.
    player = Player(vplay, "--idle", "--rate", "0.05")
    until("the name", owners, lambda text: f'"{NAME}"' in text)
    status("Stopped")
    check("CanPlay", "false" in get("CanPlay"))
    check("no track", "dict entry" not in get("Metadata"))
    playerctl("open", f"file://{CLIP}")
    status("Playing")
    playerctl("stop")
    status("Stopped")
    playerctl("play")
    status("Playing")
    check("CanGoNext", "false" in get("CanGoNext"))
    playerctl("pause")
    status("Paused")
    playerctl("open", "file:///nonexistent/list.m3u")
    until("the message", player.text, lambda text: "list.m3u" in text)
    check("a list that cannot be read", playerctl("status"), "Paused")
    check("the end", player.end(), 143)


def without_bus(vplay):
    environment = {"DBUS_SESSION_BUS_ADDRESS": "unix:path=/nonexistent/playhead"}
    player = Player(vplay, "--untimed", CLIP, **environment)
    check("it plays without a bus", player.process.wait(TIMEOUT), 0)
    check("one warning", re.fullmatch(r"vplay: warning: no session bus: .*: playing without MPRIS\n", player.text()) is not None)


def lost_bus(vplay):
    """The bus ends while a player plays."""
    bus = subprocess.Popen(["dbus-daemon", "--session", "--nofork", "--print-address"], stdout=subprocess.PIPE, text=True)
    address = bus.stdout.readline().strip()
    environment = {"DBUS_SESSION_BUS_ADDRESS": address}
    player = Player(vplay, "--loop", CLIP, **environment)
    os.environ["DBUS_SESSION_BUS_ADDRESS"], own = address, os.environ["DBUS_SESSION_BUS_ADDRESS"]
    until("the name", owners, lambda text: f'"{NAME}"' in text)
    os.environ["DBUS_SESSION_BUS_ADDRESS"] = own
    bus.kill()
    bus.wait()
    until("the warning", player.text, lambda text: "no session bus" in text)
    check("it plays on", player.process.poll(), None)
    check("the end", player.end(), 143)
    check("one line", len(player.text().splitlines()), 1)


if __name__ == "__main__":
    if "--inside" not in sys.argv:
        # A bus of its own, which ends with this process.
        os.execvp("dbus-run-session", ["dbus-run-session", "--", sys.executable, *sys.argv, "--inside"])
    vplay = sys.argv[1]
    for part in (playing, idle, without_bus, lost_bus):
        try:
            part(vplay)
        except Exception as problem:
            faults.append(f"{part.__name__}: {problem!r}")
            break
    for fault in faults:
        print(fault, file=sys.stderr)
    print(f"{count} checks, {len(faults)} failed")
    sys.exit(1 if faults else 0)
