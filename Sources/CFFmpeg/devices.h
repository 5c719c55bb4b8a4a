// libavdevice, by declarations of our own: it is opened when somebody records, so that neither a build nor a start needs it,
// nor what comes with it. `make ffmpeg7` holds these lines against libavdevice's own headers.
#ifndef PLAYHEAD_CFFMPEG_DEVICES_H
#define PLAYHEAD_CFFMPEG_DEVICES_H

#include <dlfcn.h>
#include <libavformat/avformat.h>
#include <libavutil/avutil.h>

unsigned avdevice_version(void);
void avdevice_register_all(void);

// The library that belongs to the libavutil of this build: since FFmpeg 4 both versions have been raised together.
static const int PH_AVDEVICE_MAJOR = LIBAVUTIL_VERSION_MAJOR + 2;

#define PH_DEVICE_FUNCTIONS(F) F(avdevice_version) F(avdevice_register_all) F(avutil_version)

#define PH_DEVICE_FIELD(name) __typeof__(&name) name;
typedef struct {
    PH_DEVICE_FUNCTIONS(PH_DEVICE_FIELD)
} ph_devices;
#undef PH_DEVICE_FIELD

// Fills the table from an opened library, or from what it was linked to; the name of the first function that is in
// neither, or NULL.
static inline const char *ph_devices_load(void *library, ph_devices *table) {
#define PH_DEVICE_LOAD(name) \
    if (!(table->name = (__typeof__(&name))dlsym(library, #name))) return #name;
    PH_DEVICE_FUNCTIONS(PH_DEVICE_LOAD)
#undef PH_DEVICE_LOAD
    return NULL;
}

// An AVIOContext that is written to. What `write` is given became const in 7.0.
static inline AVIOContext *ph_avio_alloc_writer(
    unsigned char *buffer, int size, void *opaque, int (*write)(void *opaque, const uint8_t *bytes, int count),
    int64_t (*seek)(void *opaque, int64_t offset, int whence)
) {
#if LIBAVFORMAT_VERSION_MAJOR >= 61
    return avio_alloc_context(buffer, size, 1, opaque, NULL, write, seek);
#else
    return avio_alloc_context(buffer, size, 1, opaque, NULL, (int (*)(void *, uint8_t *, int))(void *)write, seek);
#endif
}

#endif
