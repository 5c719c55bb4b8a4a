#!/bin/sh
# Checks that the declarations of CALSA match ALSA's own headers: functions and constants.
# The system's headers are used. If they are missing, their package is downloaded to .build-alsa/ and unpacked there;
# nothing is installed.
set -eu

cd "$(dirname "$0")/.."

fail() {
    echo "check-alsa-headers: $*" >&2
    exit 1
}
. Tests/fetch-packages.sh

flags=""
if [ ! -r /usr/include/alsa/asoundlib.h ]; then
    root="$PWD/.build-alsa"
    fetch_packages "$root" libasound2-dev
    flags="-I$root/usr/include"
fi

# The types of the functions differ from ours in the enumerations only, which are as large as int.
clang -fsyntax-only -Werror -std=gnu11 $flags -ISources/CALSA -x c - <<'END' || fail "ALSA is not as declared"
#include <alsa/asoundlib.h>
#include "alsa.h"
#define SAME(ours, theirs) _Static_assert((long)(ours) == (long)(theirs), #theirs);
SAME(PH_SND_PCM_STREAM_PLAYBACK, SND_PCM_STREAM_PLAYBACK) SAME(PH_SND_PCM_NONBLOCK, SND_PCM_NONBLOCK)
SAME(PH_SND_PCM_ACCESS_RW_INTERLEAVED, SND_PCM_ACCESS_RW_INTERLEAVED)
SAME(PH_SND_PCM_FORMAT_FLOAT, SND_PCM_FORMAT_FLOAT)
SAME(sizeof(snd_pcm_format_t), sizeof(int)) SAME(sizeof(snd_pcm_access_t), sizeof(int))
SAME(sizeof(snd_pcm_stream_t), sizeof(int))
static ph_alsa ours;
#define TYPE(name) __typeof__(ours.name)
#define EXACT(name) _Static_assert(__builtin_types_compatible_p(TYPE(name), __typeof__(&snd_##name)), #name);
EXACT(pcm_close) EXACT(pcm_get_params) EXACT(pcm_prepare) EXACT(pcm_start) EXACT(pcm_drop) EXACT(pcm_resume)
EXACT(pcm_recover) EXACT(pcm_avail) EXACT(pcm_delay) EXACT(pcm_writei) EXACT(strerror)
// With an enumeration among the parameters: each argument is as wide as ours.
static inline void check(snd_pcm_t **pcm, snd_local_error_handler_t handler) {
    snd_pcm_stream_t stream = 0; snd_pcm_format_t format = 0; snd_pcm_access_t access = 0;
    int (*open)(snd_pcm_t **, const char *, snd_pcm_stream_t, int) = &snd_pcm_open;
    int (*set)(snd_pcm_t *, snd_pcm_format_t, snd_pcm_access_t, unsigned int, unsigned int, int, unsigned int) =
        &snd_pcm_set_params;
    snd_local_error_handler_t (*local)(snd_local_error_handler_t) = &snd_lib_error_set_local;
    snd_local_error_handler_t ignore = &ph_alsa_ignore;
    (void)pcm; (void)handler; (void)stream; (void)format; (void)access; (void)open; (void)set; (void)local; (void)ignore;
}
END
echo "ALSA's functions and constants match our declarations"
