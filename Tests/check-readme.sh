#!/usr/bin/env bash
# Makes the package that README.md shows, as a stranger would: from its blocks of code alone, with this tree as a git
# repository to depend on. Builds it, plays a clip, and gives it a file that is not there. Arguments: flags of `swift build`.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

clip=$PWD/media-fixtures/generated/clip-h264-aac.mp4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

mkdir -p "$work/playhead" "$work/clips/Sources/clips"
tar -c --exclude .build Package.swift Sources Tests docs | tar -x -C "$work/playhead"
git -C "$work/playhead" init -q -b main
git -C "$work/playhead" add --all --force
git -C "$work/playhead" -c user.name=check -c user.email=check@localhost -c commit.gpgsign=false commit -q -m "this tree"

# The blocks stand in this order: the manifest, the program.
awk -v folder="$work/clips" '
    /^```swift$/ { file = folder (++blocks == 1 ? "/Package.swift" : "/Sources/clips/main.swift"); next }
    /^```$/ { file = ""; next }
    file != "" { print > file }
    END { if (blocks != 2) { print "README.md: expected two blocks of Swift, not " blocks > "/dev/stderr"; exit 1 } }
' README.md
grep -q '<this repository>' "$work/clips/Package.swift"
sed -i "s|<this repository>|file://$work/playhead|" "$work/clips/Package.swift"

# A stranger has none of this set.
unset PLAYHEAD_STRICT
${SWIFT:-swift} build --package-path "$work/clips" "$@"
program="$(${SWIFT:-swift} build --package-path "$work/clips" --show-bin-path)/clips"

pictures=$(timeout 60 "$program" "$clip" | wc -l)
[ "$pictures" -gt 0 ] || { echo "README.md: its program shows no picture" >&2; exit 1; }

status=0
words=$(timeout 20 "$program" "$work/missing.mp4" 2>&1) || status=$?
[ "$status" = 1 ] && [[ $words == *missing.mp4* ]] || {
    echo "README.md: a missing file ends with status $status: $words" >&2
    exit 1
}
echo "README.md: its package builds, plays $pictures pictures and tells of a missing file: $words"
