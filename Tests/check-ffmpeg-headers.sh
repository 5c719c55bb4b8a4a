#!/bin/sh
# Checks that target FFmpeg compiles against the headers of FFmpeg 7.1, as shipped by Debian 13 (trixie), and that the
# declarations of CFFmpeg match the headers of libavfilter and libavdevice.
# Nothing is installed: a separate apt configuration with its own state downloads packages to
# .build-ffmpeg7/ and unpacks them there. Exits with 0 only if the target compiles.
set -eu

cd "$(dirname "$0")/.."
root="$PWD/.build-ffmpeg7"
apt="$root/apt"
sysroot="$root/root"
arch="$(dpkg --print-architecture)"

fail() {
    echo "check-ffmpeg-headers: $*" >&2
    exit 1
}

command -v apt-get >/dev/null || fail "apt-get is needed and not here"

# The mirror that the host uses, in either of apt's two formats.
mirror="$(
    cat /etc/apt/sources.list /etc/apt/sources.list.d/*.sources /etc/apt/sources.list.d/*.list 2>/dev/null |
        sed -n -e 's/^URIs:[[:space:]]*\([^[:space:]]*\).*/\1/p' \
            -e 's/^deb[[:space:]]\(\[[^]]*\][[:space:]]*\)\{0,1\}\([^[:space:]]*\).*/\2/p' |
        grep -E '/debian/?$' | head -n 1
)" || true
[ -n "$mirror" ] || mirror="http://deb.debian.org/debian"

mkdir -p "$apt/state/lists/partial" "$apt/cache/archives/partial" "$apt/etc" "$sysroot"
: >"$apt/state/status"
keyring="/usr/share/keyrings/debian-archive-keyring.gpg"
[ -r "$keyring" ] || fail "the Debian keyring $keyring is missing"
echo "deb [arch=$arch signed-by=$keyring] $mirror trixie main" >"$apt/etc/sources.list"

# The host's settings (proxies) are kept. Its lists, caches and package database are not changed.
run_apt() {
    apt-get -q \
        -o Dir::Etc::sourcelist="$apt/etc/sources.list" -o Dir::Etc::sourceparts=- \
        -o Dir::Etc::preferences=- -o Dir::Etc::preferencesparts=- \
        -o Dir::State="$apt/state" -o Dir::State::status="$apt/state/status" \
        -o Dir::Cache="$apt/cache" -o APT::Architecture="$arch" -o APT::Architectures="$arch" \
        -o APT::Sandbox::User="$(id -un)" -o Acquire::Languages=none -o Debug::NoLocking=1 "$@"
}

run_apt update >"$root/update.log" 2>&1 && [ -n "$(ls "$apt/state/lists" | grep trixie)" ] ||
    fail "Debian trixie cannot be reached at $mirror (see $root/update.log)"

packages="libavformat-dev libavcodec-dev libavutil-dev libswscale-dev libswresample-dev libavfilter-dev libavdevice-dev"
(cd "$apt/cache/archives" && run_apt download $packages >"$root/download.log" 2>&1) ||
    fail "the packages of trixie cannot be fetched (see $root/download.log)"
for package in $packages; do
    file="$(ls -t "$apt/cache/archives/${package}_"*.deb | head -n 1)"
    dpkg-deb -x "$file" "$sysroot" || fail "$file cannot be unpacked"
done

include="$sysroot/usr/include/$(dpkg-architecture -qDEB_HOST_MULTIARCH 2>/dev/null || gcc -dumpmachine)"
[ -r "$include/libavformat/avformat.h" ] || include="$(dirname "$(dirname "$(find "$sysroot" -name avformat.h | head -n 1)")")"
[ -r "$include/libavformat/version_major.h" ] || fail "no headers were unpacked"
version="$(sed -n 's/^#define LIBAVFORMAT_VERSION_MAJOR *//p' "$include/libavformat/version_major.h")"
[ "$version" -ge 61 ] || fail "these are headers of libavformat $version, not of FFmpeg 7"
echo "compiling against libavformat $version in $include"

# The compiler rejects a second declaration that differs from the first.
clang -fsyntax-only -Werror -I"$include" -ISources/CFFmpeg -x c - <<END || fail "libavfilter's functions are not as declared"
#include "shim.h"
#include <libavfilter/avfilter.h>
#include <libavfilter/buffersink.h>
#include <libavfilter/buffersrc.h>
_Static_assert(LIBAVFILTER_VERSION_MAJOR == LIBAVUTIL_VERSION_MAJOR - 49, "another libavfilter belongs to this libavutil");
_Static_assert((unsigned)AVFILTER_AUTO_CONVERT_NONE == (unsigned)-1, "another number");
END
echo "libavfilter's functions match our declarations"
clang -fsyntax-only -Werror -I"$include" -ISources/CFFmpeg -x c - <<END || fail "libavdevice's functions are not as declared"
#include "shim.h"
#include <libavdevice/avdevice.h>
_Static_assert(LIBAVDEVICE_VERSION_MAJOR == LIBAVUTIL_VERSION_MAJOR + 2, "another libavdevice belongs to this libavutil");
END
echo "libavdevice's functions match our declarations"

# A pkg-config path with only these headers, because the host's headers must not take precedence.
mkdir -p "$root/pkgconfig"
cat >"$root/pkgconfig/libavformat.pc" <<END
Name: libavformat
Description: headers of FFmpeg 7 for a compile check
Version: $version
Cflags: -I$include
Libs:
END

PKG_CONFIG_PATH="$root/pkgconfig" swift build --target FFmpeg --scratch-path "$root/build" \
    -Xcc "-I$include" -Xcc -DPLAYHEAD_REQUIRED_LIBAVFORMAT="$version" ||
    fail "target FFmpeg does not compile against FFmpeg 7"
echo "target FFmpeg compiles against libavformat $version"
