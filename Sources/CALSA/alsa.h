// Declarations of libasound. The library is opened when a device is first used, so it is not required to build or start a
// program. `make headers` checks all of this against ALSA's headers.
#ifndef PLAYHEAD_CALSA_ALSA_H
#define PLAYHEAD_CALSA_ALSA_H

#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <stddef.h>

typedef struct _snd_pcm snd_pcm_t;
#ifndef __ALSA_PCM_H
typedef unsigned long snd_pcm_uframes_t;
typedef long snd_pcm_sframes_t;
#endif

enum {
    PH_SND_PCM_STREAM_PLAYBACK = 0,
    PH_SND_PCM_NONBLOCK = 1,
    PH_SND_PCM_ACCESS_RW_INTERLEAVED = 3,
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    PH_SND_PCM_FORMAT_FLOAT = 14,
#else
    PH_SND_PCM_FORMAT_FLOAT = 15,
#endif
};

// The functions with the enumerations of ALSA as int, which they are in C's calling conventions.
typedef struct {
    int (*pcm_open)(snd_pcm_t **pcm, const char *name, int stream, int mode);
    int (*pcm_close)(snd_pcm_t *pcm);
    int (*pcm_set_params)(snd_pcm_t *pcm, int format, int access, unsigned int channels, unsigned int rate,
                          int soft_resample, unsigned int latency);
    int (*pcm_get_params)(snd_pcm_t *pcm, snd_pcm_uframes_t *buffer_size, snd_pcm_uframes_t *period_size);
    int (*pcm_prepare)(snd_pcm_t *pcm);
    int (*pcm_start)(snd_pcm_t *pcm);
    int (*pcm_drop)(snd_pcm_t *pcm);
    int (*pcm_resume)(snd_pcm_t *pcm);
    int (*pcm_recover)(snd_pcm_t *pcm, int err, int silent);
    snd_pcm_sframes_t (*pcm_avail)(snd_pcm_t *pcm);
    int (*pcm_delay)(snd_pcm_t *pcm, snd_pcm_sframes_t *delay);
    snd_pcm_sframes_t (*pcm_writei)(snd_pcm_t *pcm, const void *buffer, snd_pcm_uframes_t size);
    const char *(*strerror)(int errnum);
    void *(*lib_error_set_local)(void (*handler)(const char *file, int line, const char *function, int err,
                                                 const char *format, va_list arguments));
} ph_alsa;

#define PH_ALSA_FUNCTIONS(F) \
    F(pcm_open) F(pcm_close) F(pcm_set_params) F(pcm_get_params) F(pcm_prepare) F(pcm_start) F(pcm_drop) \
    F(pcm_resume) F(pcm_recover) F(pcm_avail) F(pcm_delay) F(pcm_writei) F(strerror) F(lib_error_set_local)

// Fills the table from an opened library. Returns NULL, or the name of the first function that the library lacks.
static inline const char *ph_alsa_load(void *library, ph_alsa *table) {
#define PH_ALSA_LOAD(name) \
    if (!(table->name = (__typeof__(table->name))dlsym(library, "snd_" #name))) return "snd_" #name;
    PH_ALSA_FUNCTIONS(PH_ALSA_LOAD)
#undef PH_ALSA_LOAD
    return NULL;
}

static inline void ph_alsa_ignore(const char *file, int line, const char *function, int err, const char *format,
                                  va_list arguments) {}

// libasound prints each failure on standard error. On the calling thread, it does not after this.
static inline void ph_alsa_silence(const ph_alsa *alsa) { alsa->lib_error_set_local(ph_alsa_ignore); }

#endif
