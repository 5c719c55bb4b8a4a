// A conversion for which libswscale uses no vector instructions. It is written so that the compiler vectorizes it.
#ifndef PLAYHEAD_CFFMPEG_CONVERT_H
#define PLAYHEAD_CFFMPEG_CONVERT_H

#include <stdint.h>

// The coefficients from 10-bit YUV to 8-bit RGB: the value of one step of luma, the luma of black, and the values that
// one step of chroma adds.
struct PHRGBMatrix {
    float luma, black, red_v, green_u, green_v, blue_u;
};

// Writes three planes of floating-point samples from 0 to 1.
static inline void ph_floats_from_yuv444p10(
    const uint16_t *y, const uint16_t *u, const uint16_t *v, float *red, float *green, float *blue, int count,
    struct PHRGBMatrix matrix
) {
    for (int i = 0; i < count; i++) {
        const float light = ((float)(int)y[i] - matrix.black) * matrix.luma;
        const float blueness = (float)((int)u[i] - 512), redness = (float)((int)v[i] - 512);
        const float r = (light + redness * matrix.red_v) * (1 / 255.0f);
        const float g = (light + blueness * matrix.green_u + redness * matrix.green_v) * (1 / 255.0f);
        const float b = (light + blueness * matrix.blue_u) * (1 / 255.0f);
        red[i] = r < 0 ? 0 : r > 1 ? 1 : r;
        green[i] = g < 0 ? 0 : g > 1 ? 1 : g;
        blue[i] = b < 0 ? 0 : b > 1 ? 1 : b;
    }
}

// Writes opaque pixels of four bytes. The component with the shift 0, red or blue, is stored in the first byte.
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
