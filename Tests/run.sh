#!/usr/bin/env bash
# Runs the whole suite with the flags of `swift test` that are given; it was built before. A target uses little more than
# one core, so two run side by side, the long ones first. They simulate time. Those that start processes or play in real
# time have the machine for themselves afterwards.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

long=(FFmpegTests PlaybackEngineTests)
real=(CommandTests PulseAudioTests)
short=()
for folder in Tests/*Tests; do
    target=${folder#Tests/}
    [[ " ${long[*]} ${real[*]} " == *" $target "* ]] || short+=("$target")
done

logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT
export logs SWIFT=${SWIFT:-swift}

# What it says comes in one piece, when it has ended.
run() {
    local target=$1 result=0
    shift
    $SWIFT test --skip-build --no-parallel --ignore-lock --filter "^$target\\." "$@" \
        >"$logs/$target" 2>&1 || result=$?
    printf '\n=== %s\n' "$target"
    cat "$logs/$target"
    return "$result"
}
export -f run

result=0
printf '%s\n' "${long[@]}" "${short[@]}" | xargs -P 2 -I TARGET bash -c 'run "$@"' run TARGET "$@" || result=1
printf '%s\n' "${real[@]}" | xargs -P 1 -I TARGET bash -c 'run "$@"' run TARGET "$@" || result=1
exit "$result"
