// Declarations of sd-bus, the D-Bus library of libsystemd. The library is opened when a bus is first used, so it is not
// required to build or start a program. `make headers` checks all of this against systemd's headers.
#ifndef PLAYHEAD_CSYSTEMD_SD_BUS_H
#define PLAYHEAD_CSYSTEMD_SD_BUS_H

#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>

typedef struct sd_bus sd_bus;
typedef struct sd_bus_message sd_bus_message;
typedef struct sd_bus_slot sd_bus_slot;

typedef struct {
    const char *name;
    const char *message;
    int _need_free;
} ph_sd_bus_error;

// The last parameter is an error of sd-bus, which no handler here sets.
typedef int (*ph_sd_bus_handler)(sd_bus_message *message, void *userdata, void *error);

typedef struct {
    int (*open_user)(sd_bus **bus);
    sd_bus *(*unref)(sd_bus *bus);
    void (*close)(sd_bus *bus);
    int (*get_fd)(sd_bus *bus);
    int (*get_events)(sd_bus *bus);
    int (*get_timeout)(sd_bus *bus, uint64_t *microseconds);
    int (*process)(sd_bus *bus, sd_bus_message **message);
    int (*add_object)(sd_bus *bus, sd_bus_slot **slot, const char *path, ph_sd_bus_handler handler, void *userdata);
    int (*request_name_async)(sd_bus *bus, sd_bus_slot **slot, const char *name, uint64_t flags,
                              ph_sd_bus_handler handler, void *userdata);
    int (*send)(sd_bus *bus, sd_bus_message *message, uint64_t *cookie);
    int (*reply_method_error)(sd_bus_message *call, const ph_sd_bus_error *error);
    int (*message_new_method_return)(sd_bus_message *call, sd_bus_message **message);
    int (*message_new_signal)(sd_bus *bus, sd_bus_message **message, const char *path, const char *interface,
                              const char *member);
    sd_bus_message *(*message_unref)(sd_bus_message *message);
    int (*message_is_method_error)(sd_bus_message *message, const char *name);
    int (*message_is_method_call)(sd_bus_message *message, const char *interface, const char *member);
    const char *(*message_get_interface)(sd_bus_message *message);
    const char *(*message_get_member)(sd_bus_message *message);
    int (*message_read_basic)(sd_bus_message *message, char type, void *value);
    int (*message_append_basic)(sd_bus_message *message, char type, const void *value);
    int (*message_open_container)(sd_bus_message *message, char type, const char *contents);
    int (*message_close_container)(sd_bus_message *message);
    int (*message_enter_container)(sd_bus_message *message, char type, const char *contents);
    int (*message_exit_container)(sd_bus_message *message);
} ph_sd_bus;

#define PH_SD_BUS_FUNCTIONS(F) \
    F(open_user) F(unref) F(close) F(get_fd) F(get_events) F(get_timeout) F(process) F(add_object) \
    F(request_name_async) F(send) F(reply_method_error) F(message_new_method_return) F(message_new_signal) \
    F(message_unref) F(message_is_method_error) F(message_is_method_call) F(message_get_interface) F(message_get_member) \
    F(message_read_basic) F(message_append_basic) F(message_open_container) F(message_close_container) \
    F(message_enter_container) F(message_exit_container)

// Fills the table from an opened library. Returns NULL, or the name of the first function that the library lacks.
static inline const char *ph_sd_bus_load(void *library, ph_sd_bus *table) {
#define PH_SD_BUS_LOAD(name) \
    if (!(table->name = (__typeof__(table->name))dlsym(library, "sd_bus_" #name))) return "sd_bus_" #name;
    PH_SD_BUS_FUNCTIONS(PH_SD_BUS_LOAD)
#undef PH_SD_BUS_LOAD
    return NULL;
}

#endif
