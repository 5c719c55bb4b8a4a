#!/usr/bin/env bash
# Runs the whole suite, or the targets that PLAYHEAD_TESTS names, with the flags of `swift test` that are given; it was built
# before. A target uses little more than
# one core, so two parts run side by side, the long ones first. They simulate time, or compare what files decode to. Those
# that play in real time come afterwards: both wait most of the time, and leave a core free for each other.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# A part is a target, or some suites of a target: TARGET.SUITES these, TARGET-SUITES all others.
live='CacheTests|PickTests|PictureTests|SignalTests|TerminalAttributeTests|TerminalTests|WindowTests|NoWindowTests'
long=(
    CommandTests.CorpusTests "CommandTests-(CorpusTests|$live)" PlaybackEngineTests HLSTests
    FFmpegTests.CorpusVideoTests FFmpegTests-CorpusVideoTests
)
real=("CommandTests.($live)" PulseAudioTests)
short=()
for folder in Tests/*Tests docs/examples/Tests/*Tests; do
    target=${folder##*/}
    [[ " ${long[*]} ${real[*]} " =~ " $target"[-\ .] ]] || short+=("$target")
done

# The parts of `$@` whose target is to run.
chosen() {
    local part
    for part in "$@"; do
        [ -z "${PLAYHEAD_TESTS-}" ] || [[ " $PLAYHEAD_TESTS " == *" ${part%%[-.]*} "* ]] || continue
        printf '%s\n' "$part"
    done
}

logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT
export logs SWIFT=${SWIFT:-swift}

# What it says comes in one piece, when it has ended.
run() {
    local part=$1 result=0 choice start=$SECONDS
    shift
    case $part in
        *.*) choice=(--filter "^${part%.*}\\.${part#*.}/") ;;
        *-*) choice=(--filter "^${part%-*}\\." --skip "^${part%-*}\\.${part#*-}/") ;;
        *) choice=(--filter "^$part\\.") ;;
    esac
    $SWIFT test --skip-build --disable-xctest --no-parallel --ignore-lock "${choice[@]}" "$@" >"$logs/$part" 2>&1 || result=$?
    printf '\n=== %s (%d s)\n' "$part" $((SECONDS - start))
    cat "$logs/$part"
    return "$result"
}
export -f run

result=0
chosen "${long[@]}" "${short[@]}" | xargs -r -P 2 -I PART bash -c 'run "$@"' run PART "$@" || result=1
chosen "${real[@]}" | xargs -r -P 2 -I PART bash -c 'run "$@"' run PART "$@" || result=1
exit "$result"
