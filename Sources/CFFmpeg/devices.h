// Declarations of libavdevice. The library is opened when a recording starts, so neither it nor its dependencies are
// required to build or start a program. `make ffmpeg7` checks these lines against libavdevice's headers.
#ifndef PLAYHEAD_CFFMPEG_DEVICES_H
#define PLAYHEAD_CFFMPEG_DEVICES_H

#include <dlfcn.h>
#include <libavformat/avformat.h>
#include <libavutil/avutil.h>

unsigned avdevice_version(void);
void avdevice_register_all(void);

// The major version that belongs to the libavutil of this build. Both have been increased together since FFmpeg 4.
static const int PH_AVDEVICE_MAJOR = LIBAVUTIL_VERSION_MAJOR + 2;

#define PH_DEVICE_FUNCTIONS(F) F(avdevice_version) F(avdevice_register_all) F(avutil_version)

#define PH_DEVICE_FIELD(name) __typeof__(&name) name;
typedef struct {
    PH_DEVICE_FUNCTIONS(PH_DEVICE_FIELD)
} ph_devices;
#undef PH_DEVICE_FIELD

// Fills the table from an opened library and the libraries that it was linked to. Returns NULL, or the name of the
// first function that is in none of them.
static inline const char *ph_devices_load(void *library, ph_devices *table) {
#define PH_DEVICE_LOAD(name) \
    if (!(table->name = (__typeof__(&name))dlsym(library, #name))) return #name;
    PH_DEVICE_FUNCTIONS(PH_DEVICE_LOAD)
#undef PH_DEVICE_LOAD
    return NULL;
}

// Creates an AVIOContext for writing. The bytes that `write` receives are const since 7.0.
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
