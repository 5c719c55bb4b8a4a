#!/usr/bin/env bash
# Reports whether the compiler initializes a static `Mutex` with zeros instead of nil. With -O, Swift 6.3.1 does so
# if the struct in the mutex holds an optional of a struct with more than five stored values beside another property. The
# sources avoid that shape (`TerminalMode.State`), so the bug alone is not a failure.
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat >"$work/main.swift" <<'SWIFT'
import Glibc
import Synchronization

enum Terminal {
    struct State {
        var found: termios?
        var isWanted = false
    }
    static let state = Mutex(State())
}
print(Terminal.state.withLock { $0.found == nil } ? "nil" : "zeros")
SWIFT
swift=$(command -v "${SWIFT:-swift}")
compiler=$(dirname "$swift")/swiftc
[ -x "$compiler" ] || compiler=$(dirname "$(readlink -f "$swift")")/swiftc
"$compiler" -O "$work/main.swift" -o "$work/main"
version=$("$compiler" --version 2>/dev/null | sed -n 's/.*Swift version \([0-9][0-9.]*\).*/\1/p')
case $("$work/main") in
    nil) echo "check-static-mutex: Swift $version initializes a static mutex of a struct with an optional correctly" ;;
    zeros) echo "check-static-mutex: Swift $version initializes a static mutex with zeros instead of nil (known compiler bug)" ;;
    *) echo "check-static-mutex: unexpected output of the test program" >&2; exit 1 ;;
esac
