#!/usr/bin/env python3
"""Compares the generated fixtures with manifest.json, through ffprobe and ffmpeg. Called by `make.sh --check`."""

import array
import json
import pathlib
import subprocess
import sys
from fractions import Fraction

FOLDER = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent / "generated")
MANIFEST = json.loads((pathlib.Path(__file__).parent / "manifest.json").read_text())
PICTURE = MANIFEST["picture"]

# The number of samples after trimming, and a few container durations, are those of FFmpeg 5.1; later ones trim more.
FFMPEG_5 = "libavformat    59." in subprocess.run(["ffmpeg", "-version"], capture_output=True, text=True).stdout

# Matroska rounds times to milliseconds and moves picture and sound against each other by the encoder's delay.
HALF_A_FRAME = 1 / 60

faults = []


def run(*command):
    return subprocess.run(command, capture_output=True, timeout=60)


def decode(file, *arguments):
    return run("ffmpeg", "-nostdin", "-v", "error", "-noautorotate", "-i", str(file), *arguments, "-").stdout


def expect(file, what, found, wanted):
    if found != wanted:
        faults.append(f"{file}: {what} is {found}, the manifest says {wanted}")


def probe(file, *arguments):
    return json.loads(run("ffprobe", "-v", "error", "-of", "json", *arguments, str(file)).stdout or b"{}")


def numbers(file):
    """The number in each picture, or None where the two guard blocks are missing."""
    block, bits = PICTURE["blockSize"], PICTURE["bits"] + len(PICTURE["guards"])
    at = PICTURE["firstBlock"]
    width = block * bits
    crop = f"crop={width}:{block}:{at['x']}:{at['y']}"
    luma = decode(file, "-map", "0:v:0", "-fps_mode", "passthrough", "-vf", crop + ",format=gray", "-f", "rawvideo")
    found = []
    for frame in range(0, len(luma), width * block):
        values = []
        for index in range(bits):
            inner = [luma[frame + y * width + index * block + x] for y in range(4, 12) for x in range(4, 12)]
            values.append(int(sum(inner) / len(inner) > PICTURE["lumaThreshold"]))
        number = int("".join(map(str, values[:PICTURE["bits"]])), 2)
        found.append(number if values[PICTURE["bits"]:] == PICTURE["guards"] else None)
    return found


def check_light(name, track, side_data):
    found = {data.get("side_data_type"): data for data in side_data}
    display = found.get("Mastering display metadata")
    colors = {"red": "red", "green": "green", "blue": "blue", "whitePoint": "white_point"}
    told = display and {
        **{key: [display[f"{color}_x"], display[f"{color}_y"]] for key, color in colors.items()},
        "minimumLuminance": display["min_luminance"],
        "maximumLuminance": display["max_luminance"],
    }
    expect(name, "mastering display", told, track.get("masteringDisplay"))
    light = found.get("Content light level metadata")
    level = light and {"maximum": light["max_content"], "maximumFrameAverage": light["max_average"]}
    expect(name, "content light level", level, track.get("contentLightLevel"))


def check_video(file, name, index, track, stream):
    expect(name, "size", [stream["width"], stream["height"]], [track["width"], track["height"]])
    if "frameRate" in track:
        expect(name, "frame rate", Fraction(stream["avg_frame_rate"]), Fraction(*track["frameRate"]))
    aspect = Fraction(stream.get("sample_aspect_ratio", "1:1").replace(":", "/"))
    expect(name, "pixel aspect ratio", aspect, Fraction(*track.get("pixelAspectRatio", [1, 1])))
    turned = [-data["rotation"] for data in stream.get("side_data_list", []) if "rotation" in data]
    expect(name, "rotation", turned[0] if turned else 0, track.get("clockwiseRotation", 0))

    if "fieldOrder" in track:
        expect(name, "field order", stream.get("field_order"), track["fieldOrder"])
    entries = "frame=pts,key_frame,interlaced_frame:frame_side_data_list"
    frames = probe(file, "-select_streams", f"{index}", "-show_entries", entries)["frames"]
    woven = [i for i, frame in enumerate(frames) if frame["interlaced_frame"]]
    expect(name, "interlaced frames", woven, list(range(track["frames"])) if "fieldOrder" in track else [])
    for i, frame in enumerate(frames):
        check_light(f"{name}, frame {i}", track, frame.get("side_data_list", []))
    base = Fraction(stream["time_base"])
    times = [frame["pts"] * base for frame in frames]
    first = Fraction(*track["firstPTS"])
    expect(name, "number of frames", len(frames), track["frames"])
    expect(name, "key frames", [i for i, frame in enumerate(frames) if frame["key_frame"]], track["keyFrames"])
    due, wanted = first, []
    for i in range(len(frames)):
        wanted.append(due)
        steps = track.get("intervals")
        due += Fraction(steps[i % len(steps)], track["firstPTS"][1]) if steps else 1 / Fraction(*track["frameRate"])
    exact = base < Fraction(1, 1000)
    late = [i for i, (a, b) in enumerate(zip(times, wanted)) if abs(a - b) > (0 if exact else base)]
    expect(name, "frames at other times", late, [])
    expect(name, "numbers in the pictures", numbers(file), list(range(track["frames"])))
    return first


def check_audio(file, name, nth, track, stream, origin):
    expect(name, "sample rate", int(stream["sample_rate"]), track["sampleRate"])
    expect(name, "channels", stream["channels"], track["channels"])
    if "firstPTS" in track:
        expect(name, "first time", stream["start_pts"] * Fraction(stream["time_base"]), Fraction(*track["firstPTS"]))
    samples = array.array("h", decode(file, "-map", f"0:a:{nth}", "-f", "s16le"))
    channels, rate = track["channels"], track["sampleRate"]
    if FFMPEG_5:
        expect(name, "number of decoded samples", len(samples) // channels, track["decodedSamples"])
    start = Fraction(*track.get("firstPTS", [0, 1])) - origin
    left = samples[::channels]
    if track["sound"] == "clicks":
        onsets, quiet = [], rate
        for i, value in enumerate(left):
            if abs(value) > 6000:
                if quiet > rate // 2:
                    onsets.append(float(start + Fraction(i, rate)))
                quiet = 0
            else:
                quiet += 1
        seconds = range((track["samples"] + rate - 1) // rate)
        if len(onsets) != len(seconds) or any(abs(a - b) > HALF_A_FRAME for a, b in zip(onsets, seconds)):
            faults.append(f"{name}: clicks at {onsets}, expected at each second of {track['samples'] / rate}")
    else:
        middle = left[rate // 40 : -rate // 40]
        rises = sum(1 for a, b in zip(middle, middle[1:]) if a < 0 <= b)
        found = rises * rate / len(middle)
        if abs(found - track["sound"]["tone"]) > max(2, rate / len(middle)):
            faults.append(f"{name}: a tone of {found:.1f} Hz, expected {track['sound']['tone']} Hz")


def check_subtitle(file, name, track):
    text = decode(file, "-copyts", "-map", "0:s:0", "-c", "copy", "-f", "srt").decode()

    def clock(time):
        milliseconds = int(Fraction(*time) * 1000)
        return f"00:00:{milliseconds // 1000:02},{milliseconds % 1000:03}"

    wanted = "".join(
        f"{i}\n{clock(cue['start'])} --> {clock(cue['end'])}\n{cue['text']}\n\n" for i, cue in enumerate(track["cues"], 1)
    )
    expect(name, "subtitles", text.replace("\r\n", "\n").strip(), wanted.strip())


for entry in MANIFEST["files"]:
    name = entry["file"]
    path = FOLDER / name
    if not path.exists():
        faults.append(f"{name}: missing")
        continue
    if entry["outcome"] == "fails":
        if run("ffmpeg", "-nostdin", "-v", "quiet", "-i", str(path), "-f", "null", "-").returncode == 0:
            faults.append(f"{name}: plays, the manifest says that it fails")
        continue
    information = probe(path, "-show_format", "-show_streams")
    expect(name, "container", information["format"]["format_name"], entry["container"])
    if "duration" in entry and abs(float(information["format"]["duration"]) - entry["duration"]) > 0.001:
        faults.append(f"{name}: {information['format']['duration']} s, the manifest says {entry['duration']} s")
    if "declaredSize" in entry:
        stream = information["streams"][0]
        expect(name, "declared size", [stream["width"], stream["height"]], entry["declaredSize"])
    if "framesAtLeast" in entry:
        found = numbers(path)
        if not entry["framesAtLeast"] <= len(found) <= entry["framesAtMost"]:
            faults.append(f"{name}: {len(found)} frames")
        expect(name, "numbers in the first pictures", found[:30], list(range(30)))
    tracks = entry.get("tracks", []) * entry.get("tracksAlike", 1)
    if tracks:
        expect(name, "number of tracks", len(information["streams"]), len(tracks))
    origin, sounds = Fraction(0), 0
    for index, (track, stream) in enumerate(zip(tracks, information["streams"])):
        expect(name, f"type of track {index}", stream["codec_type"], track["type"])
        expect(name, f"codec of track {index}", stream["codec_name"], track["codec"])
        if "language" in track:
            expect(name, f"language of track {index}", stream["tags"].get("language"), track["language"])
        if "default" in track:
            expect(name, f"default of track {index}", bool(stream["disposition"]["default"]), track["default"])
        if track["type"] == "video":
            origin = check_video(path, name, index, track, stream)
        elif track["type"] == "audio":
            if entry.get("tracksAlike", 1) == 1 or sounds < 2:
                check_audio(path, name, sounds, track, stream, origin)
            sounds += 1
        else:
            check_subtitle(path, name, track)

for fault in faults:
    print(f"media-fixtures: {fault}", file=sys.stderr)
print(f"media-fixtures: {len(MANIFEST['files'])} files checked, {len(faults)} faults")
sys.exit(1 if faults else 0)
