#!/bin/sh
# Checks that the declarations of CSystemd match the headers of sd-bus: functions and the layout of errors.
# The system's headers are used. If they are missing, their package is downloaded to .build-systemd/ and unpacked there;
# nothing is installed.
set -eu

cd "$(dirname "$0")/.."

fail() {
    echo "check-systemd-headers: $*" >&2
    exit 1
}
. Tests/fetch-packages.sh

flags=""
if [ ! -r /usr/include/systemd/sd-bus.h ]; then
    root="$PWD/.build-systemd"
    fetch_packages "$root" libsystemd-dev
    flags="-I$root/usr/include"
fi

# A handler has an untyped error here, which is as wide as a pointer to one.
clang -fsyntax-only -Werror -std=gnu11 $flags -ISources/CSystemd -x c - <<'END' || fail "sd-bus is not as declared"
#include <systemd/sd-bus.h>
#include "sd-bus.h"
static ph_sd_bus ours;
#define EXACT(name) \
    _Static_assert(__builtin_types_compatible_p(__typeof__(ours.name), __typeof__(&sd_bus_##name)), #name);
EXACT(open_user) EXACT(unref) EXACT(close) EXACT(get_fd) EXACT(get_events) EXACT(get_timeout) EXACT(process)
EXACT(send) EXACT(message_new_method_return) EXACT(message_new_signal) EXACT(message_unref)
EXACT(message_is_method_error) EXACT(message_is_method_call) EXACT(message_get_interface)
EXACT(message_get_member) EXACT(message_read_basic) EXACT(message_append_basic) EXACT(message_open_container)
EXACT(message_close_container) EXACT(message_enter_container) EXACT(message_exit_container)
#define FIELD(name) \
    _Static_assert(offsetof(ph_sd_bus_error, name) == offsetof(sd_bus_error, name), #name); \
    _Static_assert(sizeof(((ph_sd_bus_error *)0)->name) == sizeof(((sd_bus_error *)0)->name), #name);
_Static_assert(sizeof(ph_sd_bus_error) == sizeof(sd_bus_error), "sd_bus_error");
FIELD(name) FIELD(message) FIELD(_need_free)
// With a handler or an error among the parameters.
static int handle(sd_bus_message *message, void *userdata, sd_bus_error *error) { return !message + !userdata + !error; }
static inline void check(sd_bus *bus, sd_bus_slot **slot, sd_bus_message *call, const sd_bus_error *error) {
    sd_bus_message_handler_t handler = handle;
    ph_sd_bus_handler other = (ph_sd_bus_handler)handler;
    int (*add)(sd_bus *, sd_bus_slot **, const char *, sd_bus_message_handler_t, void *) = &sd_bus_add_object;
    int (*request)(sd_bus *, sd_bus_slot **, const char *, uint64_t, sd_bus_message_handler_t, void *) =
        &sd_bus_request_name_async;
    int (*reply)(sd_bus_message *, const sd_bus_error *) = &sd_bus_reply_method_error;
    (void)bus; (void)slot; (void)call; (void)error; (void)other; (void)add; (void)request; (void)reply;
}
END
echo "sd-bus's functions and errors match our declarations"
