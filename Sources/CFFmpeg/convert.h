// One pass over pixels that libswscale makes without vectors: written so that the compiler does.
#ifndef PLAYHEAD_CFFMPEG_CONVERT_H
#define PLAYHEAD_CFFMPEG_CONVERT_H

#include <stdint.h>

// From YUV of 10 bits to RGB of 8: what a step of luma is worth, what black is, and what a step of chroma adds.
struct PHRGBMatrix {
    float luma, black, red_v, green_u, green_v, blue_u;
};

// Four bytes a pixel, opaque; the first byte has `shift_red` or `shift_blue` 0.
static inline void ph_pixels_from_yuv444p10(
    const uint16_t *y, const uint16_t *u, const uint16_t *v, uint32_t *pixels, int count,
    struct PHRGBMatrix matrix, int shift_red, int shift_blue
) {
    for (int i = 0; i < count; i++) {
        const float light = ((float)(int)y[i] - matrix.black) * matrix.luma + 0.5f;
        const float blueness = (float)((int)u[i] - 512), redness = (float)((int)v[i] - 512);
        float red = light + redness * matrix.red_v;
        float green = light + blueness * matrix.green_u + redness * matrix.green_v;
        float blue = light + blueness * matrix.blue_u;
        red = red < 0 ? 0 : red > 255 ? 255 : red;
        green = green < 0 ? 0 : green > 255 ? 255 : green;
        blue = blue < 0 ? 0 : blue > 255 ? 255 : blue;
        pixels[i] = (uint32_t)(int)red << shift_red | (uint32_t)(int)green << 8 | (uint32_t)(int)blue << shift_blue
            | 0xFF000000u;
    }
}

#endif
