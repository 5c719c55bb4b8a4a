#!/usr/bin/env bash
# run.sh FOLDER [OPTION ...]: runs all tests, or the targets named by PLAYHEAD_TESTS, except those named by PLAYHEAD_SKIPPED_TESTS, of
# the build in a folder, with options of Swift Testing. The program is started without `swift test`, which reads the package for each part, and of which two that start
# at the same time can fail because the build database is locked.
# A target uses little more than one core, so two parts run in parallel, the long ones first. These simulate time, or compare
# decoded files. The parts that play in real time follow: they wait most of the time, so two of them leave a core for each other.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# A part is a target, the given suites of a target (TARGET.SUITES), or all its other suites (TARGET-SUITES).
live='CacheTests|EscapeKeyTests|PickTests|PictureTests|SignalTests|TerminalAttributeTests|TerminalTests|WindowTests|NoWindowTests'
# These take almost half of the time of the command's tests.
half='BrokenInputTests|ControlTests|HTTPTests'
decoding='CorpusAudioTests|CorpusVideoTests'
long=(
    "CommandTests-(CorpusTests|$half|$live)" "FFmpegTests-($decoding)" "FFmpegTests.($decoding)" PlayheadTests
    "CommandTests.($half)" HLSTests CommandTests.CorpusTests ContractTests PlaybackEngineTests
)
real=("CommandTests.($live)" PulseAudioTests)
short=()
for folder in Tests/*Tests docs/examples/Tests/*Tests; do
    target=${folder##*/}
    [[ " ${long[*]} ${real[*]} " =~ " $target"[-\ .] ]] || short+=("$target")
done

# Prints the parts of `$@` whose target is selected.
chosen() {
    local part
    for part in "$@"; do
        [ -z "${PLAYHEAD_TESTS-}" ] || [[ " $PLAYHEAD_TESTS " == *" ${part%%[-.]*} "* ]] || continue
        [[ " ${PLAYHEAD_SKIPPED_TESTS-} " != *" ${part%%[-.]*} "* ]] || continue
        printf '%s\n' "$part"
    done
}

bundle=$1/playheadPackageTests.xctest
shift
logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT
# Without NO_COLOR the output has escape sequences, also in a file.
export bundle logs NO_COLOR=1

# The output of a part is printed as a whole when the part has ended.
run() {
    local part=$1 result=0 choice start=$SECONDS
    shift
    case $part in
        *.*) choice=(--filter "^${part%.*}\\.${part#*.}/") ;;
        *-*) choice=(--filter "^${part%-*}\\." --skip "^${part%-*}\\.${part#*-}/") ;;
        *) choice=(--filter "^$part\\.") ;;
    esac
    # A part that hangs is ended, so that its output shows where. The longest takes a quarter of an hour on a busy machine.
    timeout --kill-after=10 2700 "$bundle" --testing-library swift-testing --no-parallel "${choice[@]}" "$@" >"$logs/$part" 2>&1 || result=$?
    # No test is selected, as of a module whose tests need a trait.
    if [ "$result" = 69 ]; then result=0; fi
    printf '\n=== %s (%d s)\n' "$part" $((SECONDS - start))
    cat "$logs/$part"
    return "$result"
}
export -f run

result=0
chosen "${long[@]}" "${short[@]}" | xargs -r -P 2 -I PART bash -c 'run "$@"' run PART "$@" || result=1
chosen "${real[@]}" | xargs -r -P 2 -I PART bash -c 'run "$@"' run PART "$@" || result=1
exit "$result"
