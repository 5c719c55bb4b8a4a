#!/usr/bin/env bash
# Builds a package outside this one that enables the traits AppleSources and Combine. Files with Objective-C's forms, which the
# plugin AppleSources translates, must compile unchanged and play; a program that uses Combine as well. Two targets must fail,
# with the expected messages of the translator and of the compiler at the expected lines. A package that depends on Playhead
# alone must not resolve the packages of the traits. Runs the tests of the translator.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source Tests/outside-packages.sh

clip=$PWD/media-fixtures/generated/clip-h264-aac.mp4
code=$PWD/Tests/avfoundation
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset PLAYHEAD_STRICT
publish build-traits
# Without whole modules: SwiftPM builds the tools of plugins twice, with two databases, and each of them finds the results of the
# other changed. The compiler then only skips what is up to date if it compiles incrementally.
flags=("${outside_flags[@]}")
user=$work/user

fail() {
    printf 'check-apple-sources: %s\n' "$1" >&2
    exit 1
}

# SwiftPM prunes a dependency that only a disabled trait uses.
mkdir -p "$work/alone/Sources/alone"
outside_manifest alone '' '.executableTarget(name: "alone", dependencies: [.product(name: "Playhead", package: "playhead")])' \
    >"$work/alone/Package.swift"
echo 'import Playhead' >"$work/alone/Sources/alone/main.swift"
tree=$(${SWIFT:-swift} package --package-path "$work/alone" show-dependencies)
[[ $tree == *playhead* && $tree == *swift-log* ]] || fail "unexpected dependencies: $tree"
[[ $tree != *swift-syntax* && ! -e $work/alone/.build/checkouts/swift-syntax ]] || fail "swift-syntax is resolved: $tree"
echo "check-apple-sources: a package that depends on Playhead alone does not resolve swift-syntax"

# name, product
target() {
    echo ".executableTarget(name: \"$1\", dependencies: [.product(name: \"$2\", package: \"playhead\")]," \
        "swiftSettings: [.swiftLanguageMode(.v5)]${3:+, plugins: [.plugin(name: \"$3\", package: \"playhead\")]}),"
}
targets=$(target combine Combine)
mkdir -p "$user/Sources/combine" "$user/AppleSources"
cp "$code/Sources/combine/main.swift" "$user/Sources/combine/main.swift"
for name in player view untranslatable broken; do
    targets+=$(target $name AVKit AppleSources)
    mkdir -p "$user/Sources/$name"
    cp -r "$code/apple-$name" "$user/AppleSources/$name"
    echo 'import AVFoundation' >"$user/Sources/$name/main.swift"
done
cp "$code/apple-main.swift" "$user/Sources/player/main.swift"
cp "$code/apple-view-main.swift" "$user/Sources/view/main.swift"
outside_manifest user '"AppleSources", "Combine"' "$targets" >"$user/Package.swift"

# name, expected output
check() {
    local printed
    outside "$user" build "${flags[@]}" --product "$1"
    printed=$(timeout 120 "$(outside "$user" build --show-bin-path)/$1" "$clip" 2>&1) || fail "$1 ends with status $?: $printed"
    # A program reports again that it plays if playback has waited for data meanwhile.
    printed=$(awk '!/^playing/ || !seen[$0]++' <<<"$printed")
    [ "$printed" = "$(cat "$code/$2")" ] || fail "$1 prints:
$printed"
}
check player apple-player.txt
check view apple-view.txt
echo "check-apple-sources: files with Objective-C's forms compile unchanged, and play"
check combine combine.txt
echo "check-apple-sources: publishers of the trait Combine publish"

# Each line with a comment '// error: TEXT' has an error that begins with the text, and no other line has one.
for name in untranslatable broken; do
    file=$user/AppleSources/$name/$name.swift
    if output=$(outside "$user" build "${flags[@]}" --product "$name" 2>&1); then fail "$name compiles"; fi
    awk -F ': error: ' '
        NR == FNR { text[$1] = $2; next }
        !($1 in text) { print "unexpected: " $0; bad = 1; next }
        index($2, text[$1]) == 1 { found[$1] = 1 }
        END { for (line in text) if (!found[line]) { print "missing: " line ": " text[line]; bad = 1 }; exit bad }
    ' <(awk -F '// error: ' 'NF > 1 { print NR ": error: " $2 }' "$file") \
        <(sed -nE "s|^$file:([0-9]+):[0-9]+: error: (.*)|\1: error: \2|p" <<<"$output") >&2 ||
        fail "$name: unexpected messages: $output"
done
echo "check-apple-sources: errors name the lines of the originals"

# The tests of the translator, which the build without the trait leaves empty.
mkdir -p "$work/translator/Sources" "$work/translator/Tests"
cp -r Sources/AppleSourceTranslator "$work/translator/Sources"
cp -r Tests/AppleSourceTranslatorTests "$work/translator/Tests"
settings='swiftSettings: [.swiftLanguageMode(.v6), .define("AppleSources"), .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"), .enableUpcomingFeature("MemberImportVisibility"), .unsafeFlags(["-warnings-as-errors"])]'
cat >"$work/translator/Package.swift" <<END
// swift-tools-version: 6.1
import PackageDescription
let package = Package(
    name: "translator",
    dependencies: [$(grep -o '.package(url: "[^"]*swift-syntax".*)' Package.swift)],
    targets: [
        .target(name: "AppleSourceTranslator", dependencies: [
            .product(name: "SwiftParser", package: "swift-syntax"), .product(name: "SwiftSyntax", package: "swift-syntax"),
        ], $settings),
        .testTarget(name: "AppleSourceTranslatorTests", dependencies: ["AppleSourceTranslator"], $settings),
    ]
)
END
scratch=$packages/build-translator
# SwiftPM finds the tests by the index.
tested=$(outside "$work/translator" test --disable-xctest --enable-index-store -Xswiftc -gnone 2>&1) || fail "the tests of the translator:
$tested"
echo "check-apple-sources: $(grep -o 'Test run with .* passed' <<<"$tested")"
