// Functions for hardware decoding: they find the device nodes that decode, and convert rows between layouts.
#ifndef PLAYHEAD_CFFMPEG_HARDWARE_H
#define PLAYHEAD_CFFMPEG_HARDWARE_H

#include <fcntl.h>
#include <linux/videodev2.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <unistd.h>

// Returns whether a video node is a memory-to-memory device, which is a codec or a scaler but not a camera.
static inline int ph_is_memory_to_memory(const char *path) {
    const int file = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
    if (file < 0) return 0;
    struct v4l2_capability capability = {0};
    const int code = ioctl(file, VIDIOC_QUERYCAP, &capability);
    close(file);
    if (code < 0) return 0;
    const uint32_t given = capability.capabilities & V4L2_CAP_DEVICE_CAPS ? capability.device_caps
                                                                          : capability.capabilities;
    return (given & (V4L2_CAP_VIDEO_M2M | V4L2_CAP_VIDEO_M2M_MPLANE)) != 0;
}

// Splits a row of interleaved pairs of 8-bit samples into two rows.
static inline void ph_split_pairs8(const uint8_t *pairs, uint8_t *first, uint8_t *second, int count) {
    for (int i = 0; i < count; i++) {
        first[i] = pairs[2 * i];
        second[i] = pairs[2 * i + 1];
    }
}

// Does the same for 16-bit samples, whose lowest `shift` bits are padding.
static inline void ph_split_pairs16(
    const uint16_t *pairs, uint16_t *first, uint16_t *second, int count, int shift
) {
    for (int i = 0; i < count; i++) {
        first[i] = (uint16_t)(pairs[2 * i] >> shift);
        second[i] = (uint16_t)(pairs[2 * i + 1] >> shift);
    }
}

static inline void ph_shift_down16(const uint16_t *from, uint16_t *to, int count, int shift) {
    for (int i = 0; i < count; i++) to[i] = (uint16_t)(from[i] >> shift);
}

#endif
