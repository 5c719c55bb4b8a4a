#!/usr/bin/env bash
# Creates the package that README.md shows from its code blocks alone, with a git repository of this tree as its dependency, by
# version: SwiftPM is stricter with releases than with branches, for example with unsafe flags. Builds it, plays a clip, and runs
# it with a missing file. Arguments: flags of `swift build`.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source Tests/outside-packages.sh

clip=$PWD/media-fixtures/generated/clip-h264-aac.mp4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
publish build
mkdir -p "$work/clips/Sources/clips"

# The last two blocks: the manifest and the program. Those before them are snippets, which docs/examples compiles.
awk -v folder="$work/clips" '
    /^```swift$/ { block = ""; inside = 1; next }
    /^```$/ { if (inside) { before = last; last = block; blocks++ }; inside = 0; next }
    inside { block = block $0 "\n" }
    END {
        if (blocks < 2) { print "README.md: expected a manifest and a program" > "/dev/stderr"; exit 1 }
        printf "%s", before > (folder "/Package.swift")
        printf "%s", last > (folder "/Sources/clips/main.swift")
    }
' README.md
grep -q '<this repository>' "$work/clips/Package.swift"
sed -i -e "s|<this repository>|file://$packages/playhead|" -e "s|branch: \"main\"|from: \"$release\"|" "$work/clips/Package.swift"
grep -q 'from: "[0-9]' "$work/clips/Package.swift"

# A user has none of these variables set.
unset PLAYHEAD_STRICT
outside "$work/clips" build "${outside_flags[@]}" "$@"
program="$(outside "$work/clips" build --show-bin-path)/clips"

frames=$(timeout 120 "$program" "$clip" | wc -l)
[ "$frames" -gt 0 ] || { echo "README.md: the program shows no frame" >&2; exit 1; }

status=0
message=$(timeout 120 "$program" "$work/missing.mp4" 2>&1) || status=$?
[ "$status" = 1 ] && [[ $message == *missing.mp4* ]] || {
    echo "README.md: a missing file ends with status $status: $message" >&2
    exit 1
}
echo "README.md: the package builds, plays $frames frames and reports a missing file: $message"
