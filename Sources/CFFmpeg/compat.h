// The differences between FFmpeg 5.1, 6, 7 and 8. All other code is independent of the version.
#ifndef PLAYHEAD_CFFMPEG_COMPAT_H
#define PLAYHEAD_CFFMPEG_COMPAT_H

#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/opt.h>
#include <libswresample/swresample.h>
#include <libswscale/swscale.h>

// Returns the duration of a frame in ticks of its time base, or 0 if it is unknown. The field was renamed in 6.0.
static inline int64_t ph_frame_duration(const AVFrame *frame) {
#if LIBAVUTIL_VERSION_INT >= AV_VERSION_INT(57, 30, 100)
    return frame->duration;
#else
    return frame->pkt_duration;
#endif
}

// Declares that get_buffer2 may be called from the codec's threads, which is always the case since 6.0. Otherwise all
// frame buffers are requested and returned one at a time on the caller's thread, which is slower and holds one more
// frame.
static inline void ph_codec_has_thread_safe_callbacks(AVCodecContext *context) {
#if LIBAVCODEC_VERSION_MAJOR < 60
_Pragma("GCC diagnostic push")
_Pragma("GCC diagnostic ignored \"-Wdeprecated-declarations\"")
    context->thread_safe_callbacks = 1;
_Pragma("GCC diagnostic pop")
#else
    (void)context;
#endif
}

// Returns whether a frame is a key frame. This and the interlacing are flags since 6.1 and were separate fields before.
static inline int ph_frame_is_key(const AVFrame *frame) {
#ifdef AV_FRAME_FLAG_KEY
    return (frame->flags & AV_FRAME_FLAG_KEY) != 0;
#else
    return frame->key_frame != 0;
#endif
}

static inline int ph_frame_is_interlaced(const AVFrame *frame) {
#ifdef AV_FRAME_FLAG_INTERLACED
    return (frame->flags & AV_FRAME_FLAG_INTERLACED) != 0;
#else
    return frame->interlaced_frame != 0;
#endif
}

static inline int ph_frame_has_top_field_first(const AVFrame *frame) {
#ifdef AV_FRAME_FLAG_TOP_FIELD_FIRST
    return (frame->flags & AV_FRAME_FLAG_TOP_FIELD_FIRST) != 0;
#else
    return frame->top_field_first != 0;
#endif
}

static inline void ph_frame_set_interlaced(AVFrame *frame) {
#ifdef AV_FRAME_FLAG_INTERLACED
    frame->flags |= AV_FRAME_FLAG_INTERLACED;
#else
    frame->interlaced_frame = 1;
#endif
}

// Returns side data of a whole stream, or NULL if it has none. It belongs to the stream until 6.0, and to the codec
// parameters since 6.1.
static inline const uint8_t *ph_stream_side_data(
    const AVStream *stream, enum AVPacketSideDataType type, size_t *size
) {
    if (size) *size = 0;
#if LIBAVCODEC_VERSION_INT >= AV_VERSION_INT(60, 30, 100)
    const AVPacketSideData *found = av_packet_side_data_get(
        stream->codecpar->coded_side_data, stream->codecpar->nb_coded_side_data, type);
    if (!found) return NULL;
    if (size) *size = found->size;
    return found->data;
#else
    for (int i = 0; i < stream->nb_side_data; i++) {
        if (stream->side_data[i].type != type) continue;
        if (size) *size = stream->side_data[i].size;
        return stream->side_data[i].data;
    }
    return NULL;
#endif
}

// The scaler is an opaque type until 7 and a public struct since 8. Swift would see two different pointer types, so the
// functions below use void *.

// The position of the first chroma sample, in 256ths of a luma sample.
struct PHChromaPositions {
    int source_x, source_y, target_x, target_y;
};

// Creates a scaler. Returns NULL if the conversion is not supported or memory is exhausted.
static inline void *ph_sws_make(
    int from_width, int from_height, enum AVPixelFormat from, int to_width, int to_height,
    enum AVPixelFormat to, int flags, int from_full, int to_full, struct PHChromaPositions chroma
) {
    struct SwsContext *context = sws_alloc_context();
    if (!context) return NULL;
    const struct { const char *name; int value; } options[] = {
        {"srcw", from_width}, {"srch", from_height}, {"src_format", from},
        {"dstw", to_width}, {"dsth", to_height}, {"dst_format", to}, {"sws_flags", flags},
        {"src_h_chr_pos", chroma.source_x}, {"src_v_chr_pos", chroma.source_y},
        {"dst_h_chr_pos", chroma.target_x}, {"dst_v_chr_pos", chroma.target_y},
        // The ranges must be set before the initialization, because libswscale then selects a plain copy for equal
        // ranges and does not change it later.
        {"src_range", from_full}, {"dst_range", to_full},
    };
    int code = 0;
    for (size_t i = 0; i < sizeof options / sizeof options[0] && code >= 0; i++)
        code = av_opt_set_int(context, options[i].name, options[i].value, 0);
    if (code >= 0) code = sws_init_context(context, NULL, NULL);
    if (code >= 0) return context;
    sws_freeContext(context);
    return NULL;
}

static inline void ph_sws_free(void *context) { sws_freeContext((struct SwsContext *)context); }

// `from_matrix` and `to_matrix` are SWS_CS_* constants. The ranges are 1 for full range, otherwise 0.
static inline int ph_sws_set_colors(
    void *context, int from_matrix, int from_full, int to_matrix, int to_full
) {
    return sws_setColorspaceDetails((struct SwsContext *)context, sws_getCoefficients(from_matrix), from_full,
                                    sws_getCoefficients(to_matrix), to_full, 0, 1 << 16, 1 << 16);
}

static inline int ph_sws_scale(void *context, const AVFrame *from, AVFrame *to) {
    return sws_scale((struct SwsContext *)context, (const uint8_t *const *)from->data, from->linesize, 0,
                     from->height, to->data, to->linesize);
}

#endif
