#!/usr/bin/env bash
# Builds packages outside this one, with a git repository of this tree as their dependency.
# The first depends on the product Playhead alone: it must not see the modules AVFoundation, AVKit, CoreMedia, MediaPlayer
# and Combine. The second depends on AVFoundation. Its programs, written as for Apple's player, are compiled in the language
# modes of Swift 5 and Swift 6, play, and must print what is expected. Neither may resolve the packages of the traits, which
# check-apple-sources.sh enables. Arguments: flags of `swift build`.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source Tests/outside-packages.sh

media=$PWD/media-fixtures/generated
clip=$media/clip-h264-aac.mp4
code=$PWD/Tests/avfoundation
work=$(mktemp -d)
server=
finish() {
    [ -z "$server" ] || kill "$server" 2>/dev/null || true
    rm -rf "$work"
}
trap finish EXIT
unset PLAYHEAD_STRICT
publish build
flags=("${outside_flags[@]}" "$@")

fail() {
    printf 'check-avfoundation: %s\n' "$1" >&2
    exit 1
}

product() { echo ".product(name: \"$1\", package: \"playhead\")"; }
# name, products, language mode, definition
target() {
    echo ".executableTarget(name: \"$1\", dependencies: [$2], swiftSettings: [.swiftLanguageMode($3)${4:+, .define(\"$4\")}]),"
}

# An earlier run may have left the modules in the build folder.
rm -rf "$scratch"/debug/Modules/{AVFoundation,AVKit,CoreMedia,MediaPlayer,Combine}.swift*
mkdir -p "$work/alone/Sources/alone"
cp "$code/alone.swift" "$work/alone/Sources/alone/main.swift"
outside_manifest alone '' "$(target alone "$(product Playhead)" .v6)" >"$work/alone/Package.swift"
outside "$work/alone" build "${flags[@]}"
echo "check-avfoundation: a package that depends on Playhead alone does not see AVFoundation"

add() { mkdir -p "$work/user/Sources/$1" && cp "${@:2}" "$work/user/Sources/$1"; }
for mode in 5 6; do
    add "player$mode" "$code/Sources/player/main.swift"
    add "idioms$mode" "$code"/Sources/idioms/*.swift
done
for name in audio cache; do add $name "$code/Sources/$name"/*.swift; done
# The program of the page; check-examples.py compares them.
add page docs/examples/Sources/AVFoundationDemo/main.swift
av=$(product AVFoundation)
outside_manifest user '' "
    $(target player5 "$(product AVKit)" .v5 PLAYHEAD_AVKIT) $(target player6 "$av" .v6) $(target page "$av" .v6)
    $(target idioms5 "$av" .v5) $(target idioms6 "$av" .v6)
    $(target audio "$av, $(product MediaPlayer)" .v5) $(target cache "$av" .v5)
" >"$work/user/Package.swift"
outside "$work/user" build "${flags[@]}"
programs=$(outside "$work/user" build --show-bin-path)

run() { timeout 120 "$programs/$1" "${@:2}" 2>&1 || fail "$1 ends with status $?"; }
# name, expected output, arguments
check() {
    local printed
    # A program reports again that it plays if playback has waited for data meanwhile. It reports a value twice if an
    # observer is called so late that it reads the value after the next change.
    printed=$(run "$1" "${@:3}" | uniq)
    [ "$printed" = "$(cat "$code/$2")" ] || fail "$1 prints:
$printed"
}
for mode in 5 6; do
    check player$mode player.txt "$clip"
    timeout 120 "$programs/idioms$mode" "$clip" || fail "an idiom does not behave as expected"
done
echo "check-avfoundation: code for Apple's player compiles in Swift 5 and 6, and plays"

ffmpeg -nostdin -v error -i "$media/tone-44100.mp3" -f lavfi -i testsrc2=size=64x64:rate=1:duration=1 -map 0 -map 1 -c:a copy \
    -c:v png -frames:v 1 -disposition:v attached_pic -metadata title=Song -metadata artist=Band "$work/song.mp3"
check audio audio.txt "$work/song.mp3" "$media/tone-44100.m4a"
# Its first line names the port that the system chose.
exec {lines}< <(exec python3 -u -m http.server 0 --bind 127.0.0.1 --directory "$media" 2>/dev/null)
server=$!
read -r -t 60 line <&"$lines" && [[ $line =~ \ port\ ([0-9]+)\  ]] || fail "there is no server"
port=${BASH_REMATCH[1]}
check cache cache.txt "http://127.0.0.1:$port/clip-h264-aac.mp4"
echo "check-avfoundation: an audio player, and a player that downloads what it plays, do as expected"

if grep -qiE 'opencombine|swift-syntax' "$scratch/workspace-state.json"; then
    fail "packages of the traits are resolved without the traits"
fi
