#!/usr/bin/env bash
# Builds packages outside this one, with a copy of this tree as their dependency.
# The first depends on AVFoundation without the trait Combine: OpenCombine must not be resolved. It is not built, which the
# other suites do. The others enable the trait, so that all of them share one build.
# The second depends on the product Playhead alone: it must not see the modules AVFoundation, AVKit, CoreMedia and Combine.
# The third depends on AVFoundation. One file, with code as it is written for Apple's player, is compiled in the language modes
# of Swift 5 and Swift 6, and plays a clip on the main queue. A second program uses Combine. Arguments: flags of `swift build`.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

clip=$PWD/media-fixtures/generated/clip-h264-aac.mp4
code=$PWD/Tests/avfoundation
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset PLAYHEAD_STRICT

mkdir -p "$work/playhead" "$work/user/Sources/alone"
tar -c --exclude .build Package.swift Sources Tests docs | tar -x -C "$work/playhead"

manifest() {
    cat <<END
// swift-tools-version: 6.1
import PackageDescription
let package = Package(
    name: "user",
    dependencies: [.package(path: "../playhead", traits: ["Combine"])],
    targets: [$1]
)
END
}
target() {
    echo ".executableTarget(name: \"$1\", dependencies: [.product(name: \"$2\", package: \"playhead\")], swiftSettings: [.swiftLanguageMode($3)]),"
}
build() { ${SWIFT:-swift} build --package-path "$work/user" "$@"; }

mkdir -p "$work/user/Sources/page"
manifest "$(target page AVFoundation .v6)" | sed 's/, traits: \["Combine"\]//' >"$work/user/Package.swift"
${SWIFT:-swift} package --package-path "$work/user" resolve
if grep -qi opencombine "$work/user/.build/workspace-state.json" "$work/user/Package.resolved"; then
    echo "check-avfoundation: OpenCombine is resolved without the trait Combine" >&2
    exit 1
fi
rm -r "$work/user/Sources/page"
echo "check-avfoundation: a package that does not enable the trait Combine does not resolve OpenCombine"

cp "$code/alone.swift" "$work/user/Sources/alone/main.swift"
manifest "$(target alone Playhead .v6)" >"$work/user/Package.swift"
build "$@"
echo "check-avfoundation: a package that depends on Playhead alone does not see AVFoundation"

for mode in 5 6; do
    mkdir -p "$work/user/Sources/player$mode"
    cp "$code/Sources/player/main.swift" "$work/user/Sources/player$mode/main.swift"
done
mkdir -p "$work/user/Sources/combine"
cp "$code/Sources/combine/main.swift" "$work/user/Sources/combine/main.swift"
# The program of the page.
mkdir -p "$work/user/Sources/page"
awk '/^```$/ { inside = 0 } inside { block = block $0 "\n" } /^```swift$/ { block = ""; inside = 1 } END { printf "%s", block }' \
    docs/avfoundation.md >"$work/user/Sources/page/main.swift"
grep -q '^import AVFoundation' "$work/user/Sources/page/main.swift"
rm -r "$work/user/Sources/alone"
manifest "$(target player5 AVKit .v5 | sed "s/swiftSettings: \[/&.define(\"PLAYHEAD_AVKIT\"), /") $(target player6 AVFoundation .v6) $(target page AVFoundation .v6) $(target combine Combine .v6)" >"$work/user/Package.swift"
build "$@"
check() {
    local printed
    printed=$(timeout 60 "$(build "${@:3}" --show-bin-path)/$1" "$clip" 2>&1)
    [ "$printed" = "$(cat "$code/$2")" ] || {
        printf 'check-avfoundation: %s prints:\n%s\n' "$1" "$printed" >&2
        exit 1
    }
}
for mode in 5 6; do check player$mode player.txt "$@"; done
check combine combine.txt "$@"
echo "check-avfoundation: code for Apple's player compiles in Swift 5 and 6, and plays"
