// Declarations of libavfilter. The library is opened when the first interlaced frame is deinterlaced, so neither it nor
// the dozens of libraries that it depends on are required to build or start a program. Its types are opaque here.
// `make ffmpeg7` checks these lines against libavfilter's headers.
#ifndef PLAYHEAD_CFFMPEG_FILTERS_H
#define PLAYHEAD_CFFMPEG_FILTERS_H

#include <dlfcn.h>
#include <libavutil/avutil.h>
#include <libavutil/frame.h>

typedef struct AVFilter AVFilter;
typedef struct AVFilterContext AVFilterContext;
typedef struct AVFilterGraph AVFilterGraph;

unsigned avfilter_version(void);
const AVFilter *avfilter_get_by_name(const char *name);
AVFilterGraph *avfilter_graph_alloc(void);
void avfilter_graph_free(AVFilterGraph **graph);
void avfilter_graph_set_auto_convert(AVFilterGraph *graph, unsigned flags);
int avfilter_graph_create_filter(AVFilterContext **made, const AVFilter *filter, const char *name,
                                 const char *arguments, void *opaque, AVFilterGraph *graph);
int avfilter_graph_config(AVFilterGraph *graph, void *log);
int avfilter_link(AVFilterContext *from, unsigned output, AVFilterContext *to, unsigned input);
int av_buffersrc_add_frame_flags(AVFilterContext *source, AVFrame *frame, int flags);
int av_buffersink_get_frame(AVFilterContext *sink, AVFrame *frame);

// The major version that belongs to the libavutil of this build. Both have been increased together since FFmpeg 4.
static const int PH_AVFILTER_MAJOR = LIBAVUTIL_VERSION_MAJOR - 49;
// Disables automatic format conversion between filters (AVFILTER_AUTO_CONVERT_NONE).
static const unsigned PH_AVFILTER_NO_CONVERSION = (unsigned)-1;

#define PH_FILTER_FUNCTIONS(F) \
    F(avfilter_version) F(avfilter_get_by_name) F(avfilter_graph_alloc) F(avfilter_graph_free) \
    F(avfilter_graph_set_auto_convert) F(avfilter_graph_create_filter) F(avfilter_graph_config) F(avfilter_link) \
    F(av_buffersrc_add_frame_flags) F(av_buffersink_get_frame) \
    F(avutil_version)

#define PH_FILTER_FIELD(name) __typeof__(&name) name;
typedef struct {
    PH_FILTER_FUNCTIONS(PH_FILTER_FIELD)
} ph_filters;
#undef PH_FILTER_FIELD

// Fills the table from an opened library and the libraries that it was linked to. Returns NULL, or the name of the
// first function that is in none of them.
static inline const char *ph_filters_load(void *library, ph_filters *table) {
#define PH_FILTER_LOAD(name) \
    if (!(table->name = (__typeof__(&name))dlsym(library, #name))) return #name;
    PH_FILTER_FUNCTIONS(PH_FILTER_LOAD)
#undef PH_FILTER_LOAD
    return NULL;
}

#endif
