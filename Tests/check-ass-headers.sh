#!/bin/sh
# Checks that the declarations of CASS match libass's own headers: functions, constants and the fields of a mask.
# The system's headers are used. If they are missing, their package is downloaded to .build-ass/ and unpacked there;
# nothing is installed.
set -eu

cd "$(dirname "$0")/.."

fail() {
    echo "check-ass-headers: $*" >&2
    exit 1
}
. Tests/fetch-packages.sh

flags=""
if [ ! -r /usr/include/ass/ass.h ]; then
    root="$PWD/.build-ass"
    fetch_packages "$root" libass-dev
    flags="-I$root/usr/include"
fi

# The library's declarations come first, so the compiler compares ours with them.
clang -fsyntax-only -Werror -std=gnu11 $flags -ISources/CASS -x c - <<'END' || fail "libass is not as declared"
#include <ass/ass.h>
#include "ass.h"
#define SAME(ours, theirs) _Static_assert((long)(ours) == (long)(theirs), #theirs);
#define FIELD(ours, theirs) \
    SAME(offsetof(ph_ass_image, ours), offsetof(ASS_Image, theirs)) \
    SAME(sizeof(((ph_ass_image *)0)->ours), sizeof(((ASS_Image *)0)->theirs))
SAME(PH_ASS_FONTPROVIDER_AUTODETECT, ASS_FONTPROVIDER_AUTODETECT)
FIELD(width, w) FIELD(height, h) FIELD(bytes_per_row, stride) FIELD(mask, bitmap) FIELD(color, color)
FIELD(x, dst_x) FIELD(y, dst_y) FIELD(next, next)
END
echo "libass's functions, constants and fields match our declarations"
