// Declarations of libchafa. The library is opened when images are first shown in a terminal, so it is not required to
// build or start a program. Its types are opaque here. `make headers` checks these lines against libchafa's headers.
#ifndef PLAYHEAD_CCHAFA_SHIM_H
#define PLAYHEAD_CCHAFA_SHIM_H

#include <dlfcn.h>
#include <stddef.h>

typedef struct ChafaCanvas ChafaCanvas;
typedef struct ChafaCanvasConfig ChafaCanvasConfig;
typedef struct ChafaSymbolMap ChafaSymbolMap;
typedef struct ChafaTermDb ChafaTermDb;
typedef struct ChafaTermInfo ChafaTermInfo;
typedef struct _GString GString;
typedef struct _GError GError;

ChafaCanvasConfig *chafa_canvas_config_new(void);
void chafa_canvas_config_unref(ChafaCanvasConfig *config);
void chafa_canvas_config_set_geometry(ChafaCanvasConfig *config, int width, int height);
void chafa_canvas_config_set_cell_geometry(ChafaCanvasConfig *config, int width, int height);
void chafa_canvas_config_set_canvas_mode(ChafaCanvasConfig *config, unsigned mode);
void chafa_canvas_config_set_pixel_mode(ChafaCanvasConfig *config, unsigned mode);
void chafa_canvas_config_set_symbol_map(ChafaCanvasConfig *config, const ChafaSymbolMap *map);
void chafa_canvas_config_set_work_factor(ChafaCanvasConfig *config, float factor);
void chafa_canvas_config_set_transparency_threshold(ChafaCanvasConfig *config, float threshold);
void chafa_canvas_config_set_bg_color(ChafaCanvasConfig *config, unsigned color);

ChafaCanvas *chafa_canvas_new(const ChafaCanvasConfig *config);
void chafa_canvas_unref(ChafaCanvas *canvas);
void chafa_canvas_draw_all_pixels(ChafaCanvas *canvas, unsigned type, const unsigned char *pixels, int width, int height,
                                  int stride);
GString *chafa_canvas_print(ChafaCanvas *canvas, ChafaTermInfo *info);

ChafaSymbolMap *chafa_symbol_map_new(void);
void chafa_symbol_map_unref(ChafaSymbolMap *map);
void chafa_symbol_map_add_by_tags(ChafaSymbolMap *map, int tags);

ChafaTermDb *chafa_term_db_get_default(void);
ChafaTermInfo *chafa_term_db_get_fallback_info(ChafaTermDb *db);
ChafaTermInfo *chafa_term_info_copy(const ChafaTermInfo *info);
void chafa_term_info_unref(ChafaTermInfo *info);
int chafa_term_info_set_seq(ChafaTermInfo *info, unsigned sequence, const char *text, GError **error);

char *g_string_free(GString *string, int segment);

/// The first fields of a GString.
typedef struct {
    const char *bytes;
    size_t count;
} ph_chafa_text;

// Constants of the library.
enum {
    PH_CHAFA_TRUE_COLOR = 0,
    PH_CHAFA_240_COLORS = 2,
    PH_CHAFA_16_COLORS = 3,
    PH_CHAFA_NO_COLORS = 4,

    PH_CHAFA_SYMBOLS = 0,
    PH_CHAFA_SIXELS = 1,
    PH_CHAFA_KITTY = 2,
    PH_CHAFA_ITERM = 3,

    PH_CHAFA_RGBA = 4,

    PH_CHAFA_TAG_SPACE = 1 << 0,
    PH_CHAFA_TAG_SOLID = 1 << 1,
    PH_CHAFA_TAG_STIPPLE = 1 << 2,
    PH_CHAFA_TAG_BLOCK = 1 << 3,
    PH_CHAFA_TAG_HALF = 3 << 8,
    PH_CHAFA_TAG_ASCII = 1 << 14,

    PH_CHAFA_BEGIN_KITTY_IMAGE = 43,
};

#define PH_CHAFA_FUNCTIONS(F) \
    F(chafa_canvas_config_new) F(chafa_canvas_config_unref) F(chafa_canvas_config_set_geometry) \
    F(chafa_canvas_config_set_cell_geometry) F(chafa_canvas_config_set_canvas_mode) \
    F(chafa_canvas_config_set_pixel_mode) F(chafa_canvas_config_set_symbol_map) \
    F(chafa_canvas_config_set_work_factor) F(chafa_canvas_config_set_transparency_threshold) \
    F(chafa_canvas_config_set_bg_color) \
    F(chafa_canvas_new) F(chafa_canvas_unref) F(chafa_canvas_draw_all_pixels) F(chafa_canvas_print) \
    F(chafa_symbol_map_new) F(chafa_symbol_map_unref) F(chafa_symbol_map_add_by_tags) \
    F(chafa_term_db_get_default) F(chafa_term_db_get_fallback_info) F(chafa_term_info_copy) F(chafa_term_info_unref) \
    F(chafa_term_info_set_seq) \
    F(g_string_free)

#define PH_CHAFA_FIELD(name) __typeof__(&name) name;
typedef struct {
    PH_CHAFA_FUNCTIONS(PH_CHAFA_FIELD)
} ph_chafa;
#undef PH_CHAFA_FIELD

/// Fills the table from an opened library and the libraries that it was linked to. Returns NULL, or the name of the
/// first function that is in none of them.
static inline const char *ph_chafa_load(void *library, ph_chafa *table) {
#define PH_CHAFA_LOAD(name) \
    if (!(table->name = (__typeof__(&name))dlsym(library, #name))) return #name;
    PH_CHAFA_FUNCTIONS(PH_CHAFA_LOAD)
#undef PH_CHAFA_LOAD
    return NULL;
}

#endif
