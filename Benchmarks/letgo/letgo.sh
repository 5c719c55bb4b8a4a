#!/usr/bin/env bash
# Lets go of servers that hang, at random moments of connecting, looking up a name, TLS, headers, body, back-off, Retry-After, a
# key and a second segment, and says what that takes: letgo.sh [COUNT [SEED]]. The tests
# are built before. All of it stays on this machine: the resolver is Tests/resolver/resolver.c, preloaded.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

count=${1:-1000}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
clang -shared -fPIC -O1 -o "$folder/resolver.so" Tests/resolver/resolver.c

export PLAYHEAD_SEED=${2:-0}
PLAYHEAD_MOMENTS=$count LD_PRELOAD="$folder/resolver.so" \
    ${SWIFT:-swift} test --skip-build --no-parallel --filter '^NetworkTests\.ClosingTests/anyMoment'
