#!/usr/bin/env bash
# check-size.sh VPLAY: fails if a release build of the command contains Unicode's tables, which come with the whole of Foundation,
# or if it has more than 25 MB without its symbols.
set -euo pipefail

limit=25000000
vplay=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
strip -o "$work/vplay" "$vplay"
size=$(stat -c %s "$work/vplay")
tables=$(nm "$vplay" | grep -c 30FoundationInternationalization || true)
if [ "$tables" != 0 ]; then
    echo "check-size: $vplay contains FoundationInternationalization: a module imports the whole of Foundation" >&2
    exit 1
fi
if [ "$size" -gt "$limit" ]; then
    echo "check-size: $vplay has $size bytes without symbols; the limit is $limit" >&2
    exit 1
fi
echo "check-size: $vplay has $size bytes without symbols"
