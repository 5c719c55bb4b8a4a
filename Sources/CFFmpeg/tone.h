// The conversion of pixels from high to standard dynamic range, in blocks that the compiler vectorizes. Everything
// except sums and products is read from tables.
#ifndef PLAYHEAD_CFFMPEG_TONE_H
#define PLAYHEAD_CFFMPEG_TONE_H

#include <stdint.h>
#include <string.h>

// The number of entries of each table.
enum { PH_TONE_ENTRIES = 4097 };

struct PHToneMap {
    // The coefficients from 10-bit samples to R'G'B', in indexes of `light`.
    float luma, black, red_v, green_u, green_v, blue_u;
    // The weights of the source's red, green and blue in its luminance.
    float weights[3];
    // The matrix from the source's primaries to the target's, by rows.
    float primaries[9];
    // The weights of the target's red, green and blue, both in luminance and in luma.
    float target_weights[3];
    // The coefficients from R'G'B' of 0...1 to 10-bit samples.
    float target_luma, target_black, target_blue, target_red;
    // Linear light by R'G'B', in equal steps of 0...1.
    const float *light;
    // The factor of linear light, by luminance, and R'G'B' by linear light. The indexes are those of ph_tone_entry.
    const float *gain, *signal;
};

// Returns the table index for linear light of 0...1, with 256 entries per octave from 1 / 65536 up. Below that the
// steps are even smaller.
static inline int ph_tone_entry(float light) {
    const float held = (light < 0 ? 0 : light > 1 ? 1 : light) + 1.0f / 65536;
    uint32_t bits;
    memcpy(&bits, &held, sizeof bits);
    return (int)((bits - 0x37800000u) >> 15);
}

// Returns the linear light in the middle of the range of an entry.
static inline float ph_tone_light(int entry) {
    const uint32_t bits = 0x37800000u + ((uint32_t)entry << 15) + (1u << 14);
    float light;
    memcpy(&light, &bits, sizeof light);
    return light - 1.0f / 65536;
}

static inline float ph_tone_held(float value, float most) { return value < 0 ? 0 : value > most ? most : value; }

// Converts three rows of samples in place.
static inline void ph_tone_map(uint16_t *y, uint16_t *u, uint16_t *v, int count, const struct PHToneMap *map) {
    enum { PIECE = 128 };
    int index[3][PIECE], entry[PIECE];
    float value[3][PIECE], factor[PIECE];
    const struct PHToneMap m = *map;
    const float last = PH_TONE_ENTRIES - 1;
    for (int start = 0; start < count; start += PIECE) {
        const int n = count - start < PIECE ? count - start : PIECE;
        uint16_t *const ys = y + start, *const us = u + start, *const vs = v + start;
        for (int i = 0; i < n; i++) {
            const float luma = ((float)(int)ys[i] - m.black) * m.luma + 0.5f;
            const float blueness = (float)((int)us[i] - 512), redness = (float)((int)vs[i] - 512);
            index[0][i] = (int)ph_tone_held(luma + redness * m.red_v, last);
            index[1][i] = (int)ph_tone_held(luma + blueness * m.green_u + redness * m.green_v, last);
            index[2][i] = (int)ph_tone_held(luma + blueness * m.blue_u, last);
        }
        for (int c = 0; c < 3; c++)
            for (int i = 0; i < n; i++) value[c][i] = m.light[index[c][i]];
        for (int i = 0; i < n; i++)
            entry[i] = ph_tone_entry(
                value[0][i] * m.weights[0] + value[1][i] * m.weights[1] + value[2][i] * m.weights[2]);
        for (int i = 0; i < n; i++) factor[i] = m.gain[entry[i]];
        for (int i = 0; i < n; i++) {
            const float red = value[0][i] * factor[i], green = value[1][i] * factor[i], blue = value[2][i] * factor[i];
            float r = red * m.primaries[0] + green * m.primaries[1] + blue * m.primaries[2];
            float g = red * m.primaries[3] + green * m.primaries[4] + blue * m.primaries[5];
            float b = red * m.primaries[6] + green * m.primaries[7] + blue * m.primaries[8];
            // Colors outside of the target gamut are desaturated, with the same luminance and hue.
            const float sum = r * m.target_weights[0] + g * m.target_weights[1] + b * m.target_weights[2];
            const float grey = ph_tone_held(sum, 1);
            float least = r < g ? r : g, most = r < g ? g : r;
            least = b < least ? b : least;
            most = b > most ? b : most;
            least = least > 0 ? 0 : least;
            most = most < 1 ? 1 : most;
            const float low = (grey + 1e-6f) / (grey - least + 1e-6f);
            const float high = (1 - grey + 1e-6f) / (most - grey + 1e-6f);
            const float share = low < high ? low : high;
            index[0][i] = ph_tone_entry(grey + (r - grey) * share);
            index[1][i] = ph_tone_entry(grey + (g - grey) * share);
            index[2][i] = ph_tone_entry(grey + (b - grey) * share);
        }
        for (int c = 0; c < 3; c++)
            for (int i = 0; i < n; i++) value[c][i] = m.signal[index[c][i]];
        for (int i = 0; i < n; i++) {
            const float luma = value[0][i] * m.target_weights[0] + value[1][i] * m.target_weights[1]
                + value[2][i] * m.target_weights[2];
            ys[i] = (uint16_t)(int)ph_tone_held(luma * m.target_luma + m.target_black + 0.5f, 1023);
            us[i] = (uint16_t)(int)ph_tone_held((value[2][i] - luma) * m.target_blue + 512.5f, 1023);
            vs[i] = (uint16_t)(int)ph_tone_held((value[0][i] - luma) * m.target_red + 512.5f, 1023);
        }
    }
}

#endif
