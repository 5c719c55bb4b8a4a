#!/usr/bin/env python3
"""Many GStreamer playbins in one process, looping without audio: the reference for the benchmark `ManyPlayers`.

    Benchmarks/compare/playbins.py [--players 100] [--seconds 12] CLIP

It needs Debian's gstreamer1.0-libav, gstreamer1.0-plugins-good, python3-gi and gir1.2-gst-plugins-base-1.0. Each playbin has a
fakesink that synchronizes to the clock and drops frames that are more than 20 ms late, no audio, and a flushing seek to the start at its end.
It prints one line: the maximum number of threads, frames and dropped frames, CPU time of the process, and its peak memory."""
import argparse
import pathlib
import resource
import time

import gi

gi.require_version("Gst", "1.0")
from gi.repository import GLib, Gst  # noqa: E402

VIDEO_ONLY = 0x1  # GST_PLAY_FLAG_VIDEO


def threads():
    text = pathlib.Path("/proc/self/status").read_text()
    return int(text.split("Threads:")[1].split()[0])


def loop_back(_, message, player):
    if message.type == Gst.MessageType.EOS:
        player.seek_simple(Gst.Format.TIME, Gst.SeekFlags.FLUSH | Gst.SeekFlags.KEY_UNIT, 0)
    elif message.type == Gst.MessageType.ERROR:
        raise SystemExit(f"playbins: {message.parse_error()[0]}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--players", type=int, default=100)
    parser.add_argument("--seconds", type=float, default=12)
    parser.add_argument("clip", type=pathlib.Path)
    arguments = parser.parse_args()
    Gst.init(None)
    sinks, players = [], []
    for _ in range(arguments.players):
        player = Gst.ElementFactory.make("playbin")
        sink = Gst.ElementFactory.make("fakesink")
        for name, value in (("sync", True), ("qos", True), ("max-lateness", 20_000_000), ("enable-last-sample", False)):
            sink.set_property(name, value)
        player.set_property("uri", arguments.clip.resolve().as_uri())
        player.set_property("flags", VIDEO_ONLY)
        player.set_property("video-sink", sink)
        bus = player.get_bus()
        bus.add_signal_watch()
        bus.connect("message", loop_back, player)
        sinks.append(sink)
        players.append(player)
    before, most, start = time.process_time(), 0, time.monotonic()
    for player in players:
        player.set_state(Gst.State.PLAYING)
    loop = GLib.MainLoop()

    def look():
        nonlocal most
        most = max(most, threads())
        if time.monotonic() - start > arguments.seconds:
            loop.quit()
            return False
        return True

    GLib.timeout_add(20, look)
    loop.run()
    stats = [sink.get_property("stats") for sink in sinks]
    rendered = sum(s.get_value("rendered") for s in stats)
    dropped = sum(s.get_value("dropped") for s in stats)
    cpu = time.process_time() - before
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 // 1_000_000
    print(
        f"playbins {len(players)}; threads at most {most}; frames {rendered}; dropped {dropped};"
        f" CPU {cpu:.2f} s; peak memory {memory} MB",
        flush=True,
    )
    # The teardown is not measured.
    for player in players:
        player.set_state(Gst.State.NULL)


main()
