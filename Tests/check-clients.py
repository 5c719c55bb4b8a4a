#!/usr/bin/env python3
"""check-clients.py COMMAND: drives a player with clients of mpv that are written by others, unchanged and under the name "mpv".

    check-clients.py .build/release/vplay
    check-clients.py /usr/bin/mpv

The clients are Anki's aqt/mpv.py and python-mpv-jsonipc, from PyPI, and Node-MPV, from npm or the folder NODE_MPV. A client that cannot be
installed is reported and skipped.
"""
import os
import pathlib
import queue
import re
import subprocess
import sys
import tempfile
import threading
import time
import types
import zipfile

FIXTURES = pathlib.Path(__file__).resolve().parent.parent / "media-fixtures/generated"
CLIP, OTHER = str(FIXTURES / "clip-h264-aac.mp4"), str(FIXTURES / "clip-av1-aac.mp4")
TIMEOUT = 60
count, faults = 0, []


def check(words, actual, expected=True):
    global count
    count += 1
    if actual != expected:
        faults.append(f"{words}: {actual!r}, expected {expected!r}")


def until(words, condition):
    """Waits for what another program does."""
    deadline = time.monotonic() + TIMEOUT
    while not condition():
        if time.monotonic() > deadline:
            raise TimeoutError(words)
        time.sleep(0.02)
    check(words, True)


def accepted(command, error):
    """Returns whether a command is accepted. A seek is refused until the file is open."""
    try:
        command()
        return True
    except error:
        return False


def anki(folder, player):
    """What Anki's MpvManager does with aqt/mpv.py. The module imports Anki's main window for one thread, which is replaced."""
    wheel = install_wheel(folder, "aqt")
    with zipfile.ZipFile(wheel) as archive:
        source = archive.read("aqt/mpv.py").decode()
    aqt, utils, module = types.ModuleType("aqt"), types.ModuleType("anki.utils"), types.ModuleType("aqt.mpv")
    utils.is_mac = utils.is_win = False
    aqt.mw = types.SimpleNamespace(taskman=types.SimpleNamespace(run_in_background=lambda task, done: threading.Thread(target=task, daemon=True).start()))
    sys.modules.update({"aqt": aqt, "aqt.mpv": module, "anki": types.ModuleType("anki"), "anki.utils": utils})
    exec(compile(source, "aqt/mpv.py", "exec"), module.__dict__)
    idle, started = queue.Queue(), threading.Event()

    class Manager(module.MPV):
        executable = str(player)
        default_argv = [*module.MPVBase.default_argv, f"--config-dir={folder}", "--ao=null", "--vo=null"]

        def on_init(self):
            started.set()

        def on_property_idle_active(self, value):
            idle.put(value)

    manager = Manager()
    check("Anki: all callbacks are registered", started.wait(TIMEOUT))
    version = tuple(map(int, re.search(r"(\d+)\.(\d+)\.(\d+)", manager.get_property("mpv-version")).groups()))
    for key in ("q", "Q", "CLOSE_WIN", "ctrl+w", "ctrl+c"):
        manager.command("keybind", key, "stop")

    def play(path):
        arguments = [-1, "pause=no"] if version >= (0, 38, 0) else ["pause=no"]
        manager.command("loadfile", path, "replace", *arguments)

    check("Anki: idle at the start", idle.get(timeout=TIMEOUT))
    play(CLIP)
    check("Anki: not idle", idle.get(timeout=TIMEOUT), False)
    manager.command("cycle", "pause")
    check("Anki: a pause", manager.get_property("pause"))
    play(OTHER)
    until("Anki: the next file is not paused", lambda: manager.get_property("pause") is False)
    until("Anki: the next file", lambda: manager.get_property("filename") == pathlib.Path(OTHER).name)

    until("Anki: a seek", lambda: accepted(lambda: manager.command("seek", 1, "relative"), module.MPVCommandError))
    while not idle.get(timeout=TIMEOUT):  # mpv may report that it is idle between two files.
        pass
    check("Anki: the end of the file", manager.get_property("idle-active"))
    play(CLIP)
    manager.command("stop")
    until("Anki: stopped", lambda: manager.get_property("idle-active"))
    manager.close()
    check("Anki: the player has ended", manager.is_running(), False)


def python_mpv_jsonipc(folder, player):
    with zipfile.ZipFile(install_wheel(folder, "python-mpv-jsonipc")) as archive:
        archive.extractall(folder / "jsonipc")
    sys.path.insert(0, str(folder / "jsonipc"))
    from python_mpv_jsonipc import MPV, MPVError

    ended, positions = threading.Event(), queue.Queue()
    mpv = MPV(mpv_location=str(player), vo="null", ao="null")
    mpv.bind_event("end-file", lambda event: ended.set() if event["reason"] == "eof" else None)
    mpv.bind_property_observer("time-pos", lambda name, value: positions.put(value))
    check("jsonipc: properties are attributes", (mpv.pause, mpv.volume), (False, 100))
    mpv.volume = 40
    check("jsonipc: volume", mpv.volume, 40)
    mpv.pause = True
    mpv.loadfile(CLIP)
    until("jsonipc: a file", lambda: mpv.duration is not None)
    check("jsonipc: duration", round(mpv.duration), 3)
    until("jsonipc: a seek is accepted", lambda: accepted(lambda: mpv.seek(2, "absolute", "exact"), MPVError))
    until("jsonipc: a seek", lambda: round(mpv.time_pos or 0, 1) == 2)
    mpv.pause = False
    check("jsonipc: the end", ended.wait(TIMEOUT))
    while (positions.get(timeout=TIMEOUT) or 0) <= 2:
        pass
    check("jsonipc: positions", True)
    mpv.terminate()


NODE = """
const mpv = require('node-mpv');
const [player, socket, clip, other] = process.argv.slice(2);
const api = new mpv({binary: player, socket: socket, time_update: 0.2}, ['--vo=null', '--ao=null']);
const wait = (event) => new Promise((resolve) => api.once(event, resolve));
const say = (words, value) => console.log(words + '=' + JSON.stringify(value));
(async () => {
    await api.start();
    await api.load(clip);
    say('duration', Math.round(await api.getDuration()));
    await api.pause();
    say('paused', await api.isPaused());
    await api.goToPosition(2);
    say('position', Math.round(await api.getTimePosition()));
    await api.volume(30);
    say('volume', await api.getProperty('volume'));
    await api.append(other);
    say('count', await api.getPlaylistSize());
    say('first', await api.getProperty('playlist/0/filename') === clip);
    await api.next();
    say('next', await api.getProperty('filename'));
    await api.resume();
    await wait('timeposition');
    await api.stop();
    say('running', api.isRunning());
    await api.quit();
})().catch((error) => { console.error(error); process.exit(1); });
"""


def node_mpv(folder, player):
    modules = folder / "node_modules"
    if "NODE_MPV" in os.environ:
        modules.mkdir()
        (modules / "node-mpv").symlink_to(pathlib.Path(os.environ["NODE_MPV"]).resolve())
    else:
        install(["npm", "install", "--silent", "--no-audit", "--prefix", str(folder), "node-mpv@2.0.0-beta.2"])
    script = folder / "client.js"
    script.write_text(NODE)
    result = subprocess.run(["node", str(script), str(player), str(folder / "node.sock"), CLIP, OTHER], capture_output=True, text=True, timeout=2 * TIMEOUT)
    expected = ["duration=3", "paused=true", "position=2", "volume=30", "count=2", "first=true", f'next="{pathlib.Path(OTHER).name}"', "running=true"]
    check("Node-MPV", result.stdout.split(), expected)
    check("Node-MPV: exit status", (result.returncode, result.stderr[-500:]), (0, ""))


class NotInstalled(Exception):
    pass


def install(command):
    try:
        subprocess.run(command, check=True, capture_output=True, timeout=5 * TIMEOUT)
    except (OSError, subprocess.SubprocessError) as failure:
        raise NotInstalled(f"{command[0]}: {failure}") from failure


def install_wheel(folder, package):
    install([sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", str(folder / package), package])
    return next((folder / package).glob("*.whl"))


def main(command):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        player = folder / "mpv"
        player.symlink_to(pathlib.Path(command).resolve())
        for client in (anki, python_mpv_jsonipc, node_mpv):
            try:
                client(folder, player)
            except NotInstalled as reason:
                print(f"{client.__name__} is skipped: {reason}", file=sys.stderr)
            except Exception as failure:  # What was found before it is printed as well.
                faults.append(f"{client.__name__}, after {count} checks: {type(failure).__name__}: {failure}")
    for fault in faults:
        print(fault, file=sys.stderr)
    print(f"{count} checks, {len(faults)} failed")
    sys.stdout.flush()
    # Threads of the clients may wait for players that have ended.
    os._exit(1 if faults else 0)


if len(sys.argv) != 2:
    sys.exit(__doc__)
main(sys.argv[1])
