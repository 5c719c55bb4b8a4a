#!/usr/bin/env bash
# Builds a package outside this one that compiles files with Objective-C's forms by the plugin AppleSources, and plays a clip.
# Two of its targets must fail, with the expected messages of the translator and of the compiler at the expected lines. A package
# that depends on Playhead alone must not resolve swift-syntax. Runs the tests of the translator. Arguments: flags of `swift build`.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

clip=$PWD/media-fixtures/generated/clip-h264-aac.mp4
code=$PWD/Tests/avfoundation
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset PLAYHEAD_STRICT
user=$work/user

fail() {
    printf 'check-apple-sources: %s\n' "$1" >&2
    exit 1
}

mkdir -p "$work/playhead" "$work/alone/Sources/alone" "$user/AppleSources"
tar -c --exclude .build Package.swift Sources Tests docs | tar -x -C "$work/playhead"

# name, dependencies, targets
manifest() {
    cat <<END
// swift-tools-version: 6.1
import PackageDescription
let package = Package(name: "$1", dependencies: [$2], targets: [$3])
END
}

# SwiftPM prunes a dependency that only a disabled trait uses.
manifest alone '.package(path: "../playhead")' \
    '.executableTarget(name: "alone", dependencies: [.product(name: "Playhead", package: "playhead")])' >"$work/alone/Package.swift"
echo 'import Playhead' >"$work/alone/Sources/alone/main.swift"
tree=$(${SWIFT:-swift} package --package-path "$work/alone" show-dependencies)
[[ $tree == *playhead* && $tree == *swift-log* ]] || fail "unexpected dependencies: $tree"
[[ $tree != *swift-syntax* && ! -e $work/alone/.build/checkouts/swift-syntax ]] || fail "swift-syntax is resolved: $tree"
echo "check-apple-sources: a package that depends on Playhead alone does not resolve swift-syntax"

# The tests of the translator, which the build without the trait leaves empty.
mkdir -p "$work/translator/Sources" "$work/translator/Tests"
cp -r Sources/AppleSourceTranslator "$work/translator/Sources"
cp -r Tests/AppleSourceTranslatorTests "$work/translator/Tests"
syntax='.product(name: "SwiftParser", package: "swift-syntax"), .product(name: "SwiftSyntax", package: "swift-syntax")'
settings='swiftSettings: [.swiftLanguageMode(.v6), .define("AppleSources"), .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"), .enableUpcomingFeature("MemberImportVisibility"), .unsafeFlags(["-warnings-as-errors"])]'
manifest translator "$(grep -o '.package(url: "[^"]*swift-syntax".*)' Package.swift)" \
    ".target(name: \"AppleSourceTranslator\", dependencies: [$syntax], $settings),
    .testTarget(name: \"AppleSourceTranslatorTests\", dependencies: [\"AppleSourceTranslator\"], $settings)" >"$work/translator/Package.swift"
tested=$(${SWIFT:-swift} test --disable-xctest --package-path "$work/translator" "$@" 2>&1) || fail "the tests of the translator:
$tested"
echo "check-apple-sources: $(grep -o 'Test run with .* passed' <<<"$tested")"

target() {
    echo ".executableTarget(name: \"$1\", dependencies: [.product(name: \"AVKit\", package: \"playhead\")]," \
        "swiftSettings: [.swiftLanguageMode(.v5)], plugins: [.plugin(name: \"AppleSources\", package: \"playhead\")]),"
}
manifest user '.package(path: "../playhead", traits: ["AppleSources"])' \
    "$(target player) $(target untranslatable) $(target broken)" >"$user/Package.swift"
for name in player untranslatable broken; do
    mkdir -p "$user/Sources/$name"
    cp -r "$code/apple-$name" "$user/AppleSources/$name"
    echo 'import AVFoundation' >"$user/Sources/$name/main.swift"
done
cp "$code/apple-main.swift" "$user/Sources/player/main.swift"

build() { ${SWIFT:-swift} build --package-path "$user" "$@"; }

build "$@" --product player
printed=$(timeout 60 "$(build "$@" --show-bin-path)/player" "$clip" 2>&1) || fail "the program ends with status $?: $printed"
[ "$printed" = "$(cat "$code/apple-player.txt")" ] || fail "the program prints:
$printed"
echo "check-apple-sources: files with Objective-C's forms compile unchanged, and play"

# Each line with a comment '// error: TEXT' has an error that begins with the text, and no other line has one.
for name in untranslatable broken; do
    file=$user/AppleSources/$name/$name.swift
    expected=$(awk -F '// error: ' 'NF > 1 { print NR ": error: " $2 }' "$file")
    if output=$(build "$@" --product "$name" 2>&1); then fail "$name compiles"; fi
    found=$(sed -nE "s|^$file:([0-9]+):[0-9]+: error: (.*)|\1: error: \2|p" <<<"$output" | sort -nu)
    paste -d '\n' <(echo "$expected") <(echo "$found") | awk '
        NR % 2 { begin = $0; next }
        index($0, begin) != 1 { print "expected: " begin "\nfound:    " $0; bad = 1 }
        END { exit bad }
    ' >&2 || fail "$name: unexpected messages: $output"
    [ "$(wc -l <<<"$expected")" = "$(wc -l <<<"$found")" ] || fail "$name: unexpected messages: $found"
done
echo "check-apple-sources: errors name the lines of the originals"
