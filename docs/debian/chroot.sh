#!/usr/bin/env bash
# chroot.sh SUITE FOLDER: builds the command and its package in a chroot of another Debian (`bookworm`, `trixie`), with this machine's
# Swift toolchain and the packages that SwiftPM has fetched here.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
source docs/debian/chroots.sh

[ $# = 2 ] || { echo "usage: chroot.sh SUITE FOLDER" >&2; exit 64; }
suite=$1
folder=$2
swift=$(realpath "$(command -v "${SWIFT:-swift}")")
toolchain=${swift%/usr/bin/*}
# What the toolchain needs (its linker is in a package of its own since trixie), and what the command needs.
packages="ca-certificates dpkg-dev g++ git libc6-dev libcurl4-openssl-dev libncurses6 libsqlite3-0 libxml2 make pkg-config python3 xz-utils
    libavformat-dev libavcodec-dev libavutil-dev libswscale-dev libswresample-dev libpulse-dev"
if [ "$suite" != bookworm ]; then packages+=" binutils-gold"; fi
prepare "$suite" build $packages

cache=${XDG_CACHE_HOME:-$HOME/.cache}/org.swift.swiftpm/repositories
if [ -d "$cache" ]; then
    mkdir -p "$root/root/.cache/org.swift.swiftpm"
    cp -au "$cache" "$root/root/.cache/org.swift.swiftpm/"
fi
epoch=$(git log -1 --format=%ct)
shared="$PWD $toolchain" inside "$root" env -C "$PWD" PATH="${swift%/*}:/usr/sbin:/usr/bin:/sbin:/bin" \
    GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=safe.directory GIT_CONFIG_VALUE_0='*' \
    SOURCE_DATE_EPOCH="${SOURCE_DATE_EPOCH:-$epoch}" DEBFULLNAME="${DEBFULLNAME-}" DEBEMAIL="${DEBEMAIL-}" \
    make --no-print-directory deb RELEASE_BUILD=".build-deb/$suite" PACKAGES="$folder"
