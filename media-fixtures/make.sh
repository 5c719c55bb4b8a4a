#!/usr/bin/env bash
# Makes the media fixtures of the tests into generated/, beside this script.
#
#   ./make.sh           make what is missing or out of date; does nothing when all is there
#   ./make.sh --force   make everything again
#   ./make.sh --check   make, then compare every file with manifest.json (needs python3)
#
# Needs FFmpeg's command and coreutils. The same FFmpeg makes the same bytes each time: one thread, no dates, no
# encoder names. What each file holds is written in manifest.json; README.md tells how to read the pictures.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
out=$here/generated

mode=make
case ${1-} in
    "") ;;
    --force) mode=force ;;
    --check) mode=check ;;
    *) sed -n '2,6p' "$0" | cut -c3- >&2; exit 64 ;;
esac

command -v ffmpeg >/dev/null || { echo "media-fixtures: ffmpeg is missing; 'make deps' installs it" >&2; exit 1; }

# Two runs at once (two test runs, say) take turns.
mkdir -p "$out"
if command -v flock >/dev/null; then
    exec 9>"$out/.lock"
    flock 9
fi

# ---------------------------------------------------------------------------------------------- up to date?

stamp=$( { cat "$0"; ffmpeg -version | head -n 1; } | sha256sum | cut -d' ' -f1)
files=$(sed -n 's/^ *"file": "\(.*\)",*$/\1/p' "$here/manifest.json")

up_to_date() {
    [ "$(cat "$out/.stamp" 2>/dev/null)" = "$stamp" ] || return 1
    local file
    for file in $files; do [ -e "$out/$file" ] || return 1; done
}

check() {
    command -v python3 >/dev/null || { echo "media-fixtures: --check needs python3" >&2; exit 1; }
    python3 "$here/check.py" "$out"
}

if [ $mode != force ] && up_to_date; then
    if [ $mode = check ]; then check; else echo "media-fixtures: up to date"; fi
    exit
fi

encoders=$(ffmpeg -hide_banner -encoders 2>/dev/null | awk '{ print $2 }')
missing=
for encoder in libx264 libx265 libvpx-vp9 libvpx libaom-av1 libmp3lame libopus aac srt; do
    grep -qx -- "$encoder" <<<"$encoders" || missing+=" $encoder"
done
if [ -n "$missing" ]; then
    echo "media-fixtures: this ffmpeg has no encoder$missing; Debian's and Ubuntu's ffmpeg has them all" >&2
    exit 1
fi

# -------------------------------------------------------------------------------------------------- helpers

rm -f "$out/.stamp"
tmp=$out/.tmp
rm -rf "$tmp"
mkdir -p "$tmp"
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"

exact=(-threads 1 -map_metadata -1 -fflags +bitexact -flags:v +bitexact -flags:a +bitexact)

ff() { ffmpeg -nostdin -hide_banner -v error -y -filter_threads 1 -filter_complex_threads 1 "$@"; }
keep() { mv "$1" "$out/$1"; }

# The last argument names the file: encode and keep it.
encode() {
    local file=${*: -1}
    ff "${@:1:$#-1}" "${exact[@]}" "$file"
    keep "$file"
}

# The picture's index in the file, in 16 blocks of 16x16 at (16, 160): most significant bit first, white is 1. Two more
# blocks follow, a white one and a black one, so that a grey or black picture is not mistaken for number 0.
number="split[picture][strip];
    [strip]crop=18:2:0:0,format=gray,geq=lum='255*if(lt(X,16),mod(floor(N/pow(2,15-X)),2),eq(X,16))',
        scale=288:16:flags=neighbor,format=yuv420p[blocks];
    [picture][blocks]overlay=16:160:format=yuv420"

# A click of 10 ms at each whole second: 1 kHz left, 2 kHz right.
clicks() { echo "aevalsrc=0.5*sin(2*PI*1000*t)*lt(mod(t\,1)\,0.01)|0.5*sin(2*PI*2000*t)*lt(mod(t\,1)\,0.01):s=48000:d=$1"; }
tone() { echo "aevalsrc=0.25*sin(2*PI*$1*t):s=$2:d=$3"; }

# A key frame each second, two B-frames between references, closed groups of pictures.
x264=(-c:v libx264 -preset veryfast -crf 27 -bf 2 -b_strategy 0 -g 30 -keyint_min 30 -sc_threshold 0 -pix_fmt yuv420p)
aac=(-c:a aac -b:a 64k)

poke() { printf "%b" "$3" | dd of="$1" bs=1 seek="$2" conv=notrunc status=none; }   # poke FILE OFFSET BYTES
cut_at() { head -c $(($(stat -c %s "$1") * $2 / 100)) "$1"; }                       # cut_at FILE PERCENT

# ------------------------------------------------------------------------------------------------ the clips

ff -f lavfi -i testsrc2=s=320x180:r=30:d=3 -f lavfi -i "$(clicks 3)" -vf "$number" \
    -c:v rawvideo -c:a pcm_s16le "${exact[@]}" source.nut
source=(-i source.nut)

encode "${source[@]}" "${x264[@]}" "${aac[@]}" -movflags +faststart clip-h264-aac.mp4
encode -i "$out/clip-h264-aac.mp4" -c copy clip-moov-at-end.mp4
encode -i "$out/clip-h264-aac.mp4" -c copy -movflags +frag_keyframe+delay_moov+default_base_moof clip-fragmented.mp4
encode "${source[@]}" -c:v libx265 -preset ultrafast -crf 30 -tag:v hvc1 \
    -x265-params pools=none:frame-threads=1:keyint=30:min-keyint=30:scenecut=0:bframes=2:b-adapt=0:open-gop=0:info=0:log-level=error \
    "${aac[@]}" -movflags +faststart clip-hevc-aac.mp4
encode "${source[@]}" -c:v libvpx-vp9 -deadline realtime -cpu-used 8 -b:v 300k -g 30 -keyint_min 30 \
    -c:a libopus -b:a 48k clip-vp9-opus.webm
encode -t 1 "${source[@]}" -c:v libaom-av1 -cpu-used 8 -usage realtime -crf 40 -b:v 0 -g 30 \
    "${aac[@]}" -movflags +faststart clip-av1-aac.mp4
# Frames that no other refers to, which the clip above has none of; frames shown before the key frame that they follow.
encode -t 2 "${source[@]}" -an -c:v libaom-av1 -cpu-used 8 -crf 40 -b:v 0 -g 30 -keyint_min 30 -lag-in-frames 19 \
    -movflags +faststart layers-av1.mp4
encode "${source[@]}" -an -c:v libx265 -preset ultrafast -crf 30 -tag:v hvc1 \
    -x265-params pools=none:frame-threads=1:keyint=30:min-keyint=30:scenecut=0:bframes=2:b-adapt=0:open-gop=1:info=0:log-level=error \
    -movflags +faststart open-groups-hevc.mp4
encode "${source[@]}" "${x264[@]}" "${aac[@]}" -f mpegts clip-h264-aac.ts
encode -i "$out/clip-h264-aac.mp4" -map 0:v -c copy -movflags +faststart video-only.mp4

# What the picture was graded on, and how bright it becomes; told with each key frame, not by the container.
encode -t 1 "${source[@]}" -an -pix_fmt yuv420p10le -c:v libx265 -preset ultrafast -crf 30 -tag:v hvc1 \
    -x265-params "pools=none:frame-threads=1:keyint=15:min-keyint=15:scenecut=0:bframes=2:b-adapt=0:open-gop=0:info=0:log-level=error:repeat-headers=1:hdr10=1:colorprim=bt2020:transfer=smpte2084:colormatrix=bt2020nc:master-display=G(13250,34500)B(7500,3000)R(34000,16000)WP(15635,16450)L(10000000,50):max-cll=1000,400" \
    hdr10-hevc.mp4

# Two fields of different times in each frame, the upper one first. Beside each clip lies what FFmpeg's bwdif makes of it.
ff -f lavfi -i testsrc2=s=320x180:r=50:d=2 -vf "tinterlace=interleave_top,$number" -c:v rawvideo "${exact[@]}" woven.nut
woven=(-i woven.nut -vf setfield=tff "${exact[@]}" -flags:v +bitexact+ilme+ildct)
ff "${woven[@]}" -c:v mpeg2video -q:v 10 -g 12 -bf 2 -sc_threshold 1000000000 -f mpegts interlaced-mpeg2.ts
ff "${woven[@]}" "${x264[@]}" -x264-params tff=1 -movflags +faststart interlaced-h264.mp4
for clip in interlaced-mpeg2.ts interlaced-h264.mp4; do
    keep "$clip"
    ff -i "$out/$clip" -map 0:v -vf bwdif=mode=send_frame:deint=interlaced -fps_mode passthrough -f framemd5 "$clip.bwdif.framemd5"
    keep "$clip.bwdif.framemd5"
done
# Sides that are no multiple of two, so that the last chroma samples stand for less than the others.
encode -f lavfi -i testsrc2=s=322x182:r=30:d=0.2 -vf "$number,crop=321:181:0:0:exact=1" -c:v libvpx-vp9 -deadline realtime -cpu-used 8 -b:v 300k \
    -g 30 -pix_fmt yuv420p odd-size-vp9.webm

# Uneven times: of a 60 fps source, the frames 0, 1, 3, 6 of each ten.
encode -f lavfi -i testsrc2=s=320x180:r=60:d=3 -f lavfi -i "$(clicks 3)" \
    -vf "select='eq(mod(n,10),0)+eq(mod(n,10),1)+eq(mod(n,10),3)+eq(mod(n,10),6)',$number" -fps_mode vfr -enc_time_base 1:60 \
    "${x264[@]}" "${aac[@]}" -video_track_timescale 600 -movflags +faststart vfr.mp4

# Shown turned a quarter clockwise: FFmpeg 6 has an option, older ones read a tag.
if [[ $(ffmpeg -hide_banner -h full 2>/dev/null) == *$'\n-display_rotation'* ]]; then
    encode -display_rotation:v:0 -90 -i "$out/clip-h264-aac.mp4" -c copy -movflags +faststart rotated-90.mp4
else
    encode -i "$out/clip-h264-aac.mp4" -c copy -metadata:s:v:0 rotate=270 -movflags +faststart rotated-90.mp4
fi

encode "${source[@]}" -vf setsar=4/3 "${x264[@]}" "${aac[@]}" -movflags +faststart anamorphic.mp4
encode "${source[@]}" -af atrim=end=1.5 "${x264[@]}" "${aac[@]}" -movflags +faststart short-audio.mp4

cat > cues.srt <<'SRT'
1
00:00:00,500 --> 00:00:01,000
First

2
00:00:01,000 --> 00:00:02,000
Second
in two lines

3
00:00:02,250 --> 00:00:02,750
<i>Third</i>, with ä and ß
SRT
encode -i "$out/clip-h264-aac.mp4" -f lavfi -i "$(tone 480 48000 3)" -f lavfi -i "$(tone 960 48000 3)" -i cues.srt \
    -map 0:v -map 1:a -map 2:a -map 3:s -c:v copy -c:a:0 aac -b:a:0 64k -ac:a:0 2 -c:a:1 libopus -b:a:1 32k -c:s srt \
    -metadata:s:a:0 language=eng -metadata:s:a:1 language=deu -metadata:s:s:0 language=eng \
    -disposition:a:0 default -disposition:a:1 0 two-languages.mkv

# ------------------------------------------------------------------------------------------- sound by itself

# Two seconds, each a whole number of periods of 100 samples: looped without a gap, the sine has no seam.
encode -f lavfi -i "$(tone 480 48000 2)" -c:a pcm_s16le tone-48000.wav
encode -f lavfi -i "$(tone 441 44100 2)" -c:a aac -b:a 64k tone-44100.m4a
encode -f lavfi -i "$(tone 441 44100 2)" -c:a libmp3lame -b:a 64k tone-44100.mp3
encode -f lavfi -i "$(tone 480 48000 2)" -c:a libopus -b:a 48k tone-48000.opus
encode -i "$out/tone-48000.opus" -c copy tone-48000-opus.webm
# Without that header nothing tells of delay and padding.
encode -i "$out/tone-44100.mp3" -c copy -write_xing 0 -id3v2_version 0 tone-no-header.mp3

# A second of black, one of a picture, one of gray: a poster is neither black nor plain.
encode -f lavfi -i color=black:s=320x180:r=30:d=1 -f lavfi -i testsrc2=s=320x180:r=30:d=1 \
    -f lavfi -i color=gray:s=320x180:r=30:d=1 -lavfi "concat=n=3,$number" "${x264[@]}" -movflags +faststart black-picture-gray.mp4

tracks=()
for _ in $(seq 100); do tracks+=(-map 0:a); done
encode -f lavfi -i "$(tone 400 8000 0.1)" "${tracks[@]}" -c:a pcm_u8 many-streams.mka

# ---------------------------------------------------------------------------------------------- broken files

cut_at "$out/clip-h264-aac.mp4" 60 > broken-cut-faststart.mp4
cut_at "$out/clip-moov-at-end.mp4" 60 > broken-cut-moov-at-end.mp4
: > broken-empty.mp4
printf 'This is a text, whatever its name says.\n' > broken-text.mp4
printf '#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\nfile:///etc/hostname\n#EXT-X-ENDLIST\n' > broken-playlist.mp4

# A few hundred bytes that ask for a picture of 16000x16000 (384 MB): VP8 has the size in the first bytes of its frame.
# In one file the container says so too, in the other it says 16x16.
ff -f lavfi -i color=black:s=16x16:r=1:d=1 -c:v libvpx -b:v 10k "${exact[@]}" small.ivf
poke small.ivf 50 '\x80\x3e\x80\x3e'
cp small.ivf huge.ivf
poke huge.ivf 12 '\x80\x3e\x80\x3e'
ff -i huge.ivf -c copy "${exact[@]}" broken-huge-picture.webm
ff -i small.ivf -c copy "${exact[@]}" broken-huge-picture-hidden.webm

for file in broken-*; do keep "$file"; done

cd "$here"
rm -rf "$tmp"
echo "$stamp" > "$out/.stamp"
echo "media-fixtures: $(ls "$out" | wc -l) files, $(du -sh "$out" | cut -f1), in $out"
if [ $mode = check ]; then check; fi
