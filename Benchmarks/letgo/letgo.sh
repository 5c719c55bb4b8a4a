#!/usr/bin/env bash
# Closes connections to servers that hang, at random moments of connecting, name lookup, TLS, headers, body, back-off, Retry-After,
# a key and a second segment, and prints how long that takes: letgo.sh [COUNT [SEED]]. Build the tests first.
# No traffic leaves this machine: the resolver is Tests/resolver/resolver.c, preloaded.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

count=${1:-1000}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
clang -shared -fPIC -O1 -o "$folder/resolver.so" Tests/resolver/resolver.c

export PLAYHEAD_SEED=${2:-0}
PLAYHEAD_MOMENTS=$count LD_PRELOAD="$folder/resolver.so" \
    ${SWIFT:-swift} test --skip-build --no-parallel --filter '^NetworkTests\.ClosingTests/anyMoment'
