// Declarations of libass. The library is opened when text subtitles are first drawn, so it is not required to build or
// start a program. Its types are opaque here. `make headers` checks these lines against libass's headers.
#ifndef PLAYHEAD_CASS_H
#define PLAYHEAD_CASS_H

#include <dlfcn.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

typedef struct ass_library ASS_Library;
typedef struct ass_renderer ASS_Renderer;
typedef struct ass_track ASS_Track;
typedef struct ass_image ASS_Image;

ASS_Library *ass_library_init(void);
void ass_library_done(ASS_Library *library);
void ass_set_message_cb(ASS_Library *library,
                        void (*call)(int level, const char *format, va_list arguments, void *data), void *data);
void ass_set_extract_fonts(ASS_Library *library, int extract);
void ass_add_font(ASS_Library *library, const char *name, const char *data, int count);

ASS_Renderer *ass_renderer_init(ASS_Library *library);
void ass_renderer_done(ASS_Renderer *renderer);
void ass_set_frame_size(ASS_Renderer *renderer, int width, int height);
void ass_set_storage_size(ASS_Renderer *renderer, int width, int height);
void ass_set_pixel_aspect(ASS_Renderer *renderer, double aspect);
void ass_set_margins(ASS_Renderer *renderer, int top, int bottom, int left, int right);
void ass_set_fonts(ASS_Renderer *renderer, const char *font, const char *family, int provider, const char *config,
                   int update);
ASS_Image *ass_render_frame(ASS_Renderer *renderer, ASS_Track *track, long long milliseconds, int *change);

ASS_Track *ass_new_track(ASS_Library *library);
void ass_free_track(ASS_Track *track);
void ass_process_codec_private(ASS_Track *track, char *data, int count);
void ass_process_chunk(ASS_Track *track, char *data, int count, long long start, long long duration);
void ass_flush_events(ASS_Track *track);

/// The first fields of an ASS_Image: a mask of one color. The color is 0xRRGGBBTT, where TT is 255 minus the opacity.
typedef struct ph_ass_image {
    int width, height;
    int bytes_per_row;
    unsigned char *mask;
    uint32_t color;
    int x, y;
    struct ph_ass_image *next;
} ph_ass_image;

enum {
    PH_ASS_FONTPROVIDER_AUTODETECT = 1,
};

#define PH_ASS_FUNCTIONS(F) \
    F(ass_library_init) F(ass_library_done) F(ass_set_message_cb) F(ass_set_extract_fonts) F(ass_add_font) \
    F(ass_renderer_init) F(ass_renderer_done) F(ass_set_frame_size) F(ass_set_storage_size) F(ass_set_pixel_aspect) \
    F(ass_set_margins) F(ass_set_fonts) F(ass_render_frame) \
    F(ass_new_track) F(ass_free_track) F(ass_process_codec_private) F(ass_process_chunk) F(ass_flush_events)

#define PH_ASS_FIELD(name) __typeof__(&name) name;
typedef struct {
    PH_ASS_FUNCTIONS(PH_ASS_FIELD)
} ph_ass;
#undef PH_ASS_FIELD

/// Fills the table from an opened library. Returns NULL, or the name of the first function that it lacks.
static inline const char *ph_ass_load(void *library, ph_ass *table) {
#define PH_ASS_LOAD(name) \
    if (!(table->name = (__typeof__(&name))dlsym(library, #name))) return #name;
    PH_ASS_FUNCTIONS(PH_ASS_LOAD)
#undef PH_ASS_LOAD
    return NULL;
}

static inline void ph_ass_ignore_message(int level, const char *format, va_list arguments, void *data) {}

/// Discards the library's messages, which it would write to standard error.
static inline void ph_ass_silence(const ph_ass *table, ASS_Library *library) {
    table->ass_set_message_cb(library, ph_ass_ignore_message, NULL);
}

/// Returns the masks of a frame, the lowest one first.
static inline const ph_ass_image *ph_ass_render(const ph_ass *table, ASS_Renderer *renderer, ASS_Track *track,
                                                long long milliseconds, int *change) {
    return (const ph_ass_image *)table->ass_render_frame(renderer, track, milliseconds, change);
}

#endif
