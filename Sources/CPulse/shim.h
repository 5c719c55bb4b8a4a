// The headers of libpulse; nothing is linked. The library is opened when a sound server is first used, so a program
// that plays without one neither requires it nor waits for the dozen libraries that it depends on.
#ifndef PLAYHEAD_CPULSE_SHIM_H
#define PLAYHEAD_CPULSE_SHIM_H

#include <pulse/pulseaudio.h>
#include <dlfcn.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#define PLAYHEAD_PULSE_FUNCTIONS(F) \
    F(threaded_mainloop_new) F(threaded_mainloop_set_name) F(threaded_mainloop_free) F(threaded_mainloop_start) \
    F(threaded_mainloop_stop) F(threaded_mainloop_lock) F(threaded_mainloop_unlock) F(threaded_mainloop_get_api) \
    F(context_new_with_proplist) F(context_connect) F(context_disconnect) F(context_unref) \
    F(context_set_state_callback) F(context_get_state) F(context_errno) \
    F(context_set_subscribe_callback) F(context_subscribe) F(context_move_sink_input_by_name) \
    F(context_get_server_info) \
    F(stream_new_with_proplist) F(stream_connect_playback) F(stream_disconnect) F(stream_unref) \
    F(stream_set_state_callback) F(stream_set_write_callback) F(stream_set_underflow_callback) \
    F(stream_set_event_callback) F(stream_set_moved_callback) F(stream_set_suspended_callback) F(stream_set_latency_update_callback) \
    F(stream_get_state) F(stream_begin_write) F(stream_write) F(stream_writable_size) F(stream_cork) \
    F(stream_flush) F(stream_get_latency) F(stream_get_timing_info) F(stream_get_device_name) F(stream_get_index) F(stream_set_name) \
    F(stream_is_suspended) F(stream_update_timing_info) \
    F(operation_get_state) F(operation_cancel) F(operation_unref) F(proplist_new) F(proplist_free) F(proplist_sets) \
    F(channel_map_parse) F(strerror)

#define PLAYHEAD_PULSE_FIELD(name) __typeof__(&pa_##name) name;
typedef struct {
    PLAYHEAD_PULSE_FUNCTIONS(PLAYHEAD_PULSE_FIELD)
} playhead_pulse;
#undef PLAYHEAD_PULSE_FIELD

/// Fills the table from an opened library. Returns NULL, or the name of the first function that the library lacks.
static inline const char *playhead_pulse_load(void *library, playhead_pulse *table) {
#define PLAYHEAD_PULSE_LOAD(name) \
    if (!(table->name = (__typeof__(&pa_##name))dlsym(library, "pa_" #name))) return "pa_" #name;
    PLAYHEAD_PULSE_FUNCTIONS(PLAYHEAD_PULSE_LOAD)
#undef PLAYHEAD_PULSE_LOAD
    return 0;
}

#endif
