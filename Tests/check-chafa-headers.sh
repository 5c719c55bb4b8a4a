#!/bin/sh
# Checks that the declarations of CChafa match libchafa's own headers (libchafa-dev, 1.12 or newer).
# The system's headers are used. If they are missing, their packages are downloaded to .build-chafa/ and unpacked there;
# nothing is installed.
set -eu

cd "$(dirname "$0")/.."

fail() {
    echo "check-chafa-headers: $*" >&2
    exit 1
}
. Tests/fetch-packages.sh

if command -v pkg-config >/dev/null && pkg-config --exists chafa; then
    flags="$(pkg-config --cflags chafa)"
else
    root="$PWD/.build-chafa"
    fetch_packages "$root" libchafa-dev libglib2.0-dev
    library="$root/usr/lib/$(architecture)"
    flags="-I$root/usr/include/chafa -I$library/chafa/include -I$root/usr/include/glib-2.0 -I$library/glib-2.0/include"
fi

# The compiler rejects a second declaration that differs from the first.
clang -fsyntax-only -Werror -ISources/CChafa $flags -x c - <<'END' || fail "libchafa is not as declared"
#include <chafa.h>
#include "shim.h"
#define SAME(ours, theirs) _Static_assert((long)(ours) == (long)(theirs), #theirs)
SAME(PH_CHAFA_TRUE_COLOR, CHAFA_CANVAS_MODE_TRUECOLOR);
SAME(PH_CHAFA_240_COLORS, CHAFA_CANVAS_MODE_INDEXED_240);
SAME(PH_CHAFA_16_COLORS, CHAFA_CANVAS_MODE_INDEXED_16);
SAME(PH_CHAFA_NO_COLORS, CHAFA_CANVAS_MODE_FGBG_BGFG);
SAME(PH_CHAFA_SYMBOLS, CHAFA_PIXEL_MODE_SYMBOLS);
SAME(PH_CHAFA_SIXELS, CHAFA_PIXEL_MODE_SIXELS);
SAME(PH_CHAFA_KITTY, CHAFA_PIXEL_MODE_KITTY);
SAME(PH_CHAFA_ITERM, CHAFA_PIXEL_MODE_ITERM2);
SAME(PH_CHAFA_RGBA, CHAFA_PIXEL_RGBA8_UNASSOCIATED);
SAME(PH_CHAFA_TAG_SPACE, CHAFA_SYMBOL_TAG_SPACE);
SAME(PH_CHAFA_TAG_SOLID, CHAFA_SYMBOL_TAG_SOLID);
SAME(PH_CHAFA_TAG_STIPPLE, CHAFA_SYMBOL_TAG_STIPPLE);
SAME(PH_CHAFA_TAG_BLOCK, CHAFA_SYMBOL_TAG_BLOCK);
SAME(PH_CHAFA_TAG_HALF, CHAFA_SYMBOL_TAG_HALF);
SAME(PH_CHAFA_TAG_ASCII, CHAFA_SYMBOL_TAG_ASCII);
SAME(PH_CHAFA_BEGIN_KITTY_IMAGE, CHAFA_TERM_SEQ_BEGIN_KITTY_IMMEDIATE_IMAGE_V1);
SAME(offsetof(ph_chafa_text, bytes), offsetof(GString, str));
SAME(offsetof(ph_chafa_text, count), offsetof(GString, len));
SAME(sizeof(((ph_chafa_text *)0)->count), sizeof(((GString *)0)->len));
END
echo "libchafa's functions and constants match our declarations"
