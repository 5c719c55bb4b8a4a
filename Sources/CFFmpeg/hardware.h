// What decoding on a device needs: which device nodes decode, and rows of one layout made into another.
#ifndef PLAYHEAD_CFFMPEG_HARDWARE_H
#define PLAYHEAD_CFFMPEG_HARDWARE_H

#include <fcntl.h>
#include <linux/videodev2.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <unistd.h>

// Whether a video node takes data and gives back data: a codec or a scaler, and no camera.
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

// Pairs of samples into two rows.
static inline void ph_split_pairs8(const uint8_t *pairs, uint8_t *first, uint8_t *second, int count) {
    for (int i = 0; i < count; i++) {
        first[i] = pairs[2 * i];
        second[i] = pairs[2 * i + 1];
    }
}

// The same for samples of 16 bits, whose lowest `shift` bits mean nothing.
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
