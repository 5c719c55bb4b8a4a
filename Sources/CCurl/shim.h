// Declarations of libcurl. The library is opened when the first http or https URL is read, so neither it nor the thirty
// libraries that it depends on are required to build or start a program. Its handles are opaque here. The constants
// belong to the ABI of libcurl.so.4, which never changed them; `make headers` checks them against libcurl's headers.
#ifndef PLAYHEAD_CCURL_SHIM_H
#define PLAYHEAD_CCURL_SHIM_H

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include "numbers.h"

typedef int PHCurlCode;
typedef void PHCurl;
typedef void PHCurlMulti;
typedef void PHCurlShare;

typedef struct {
    int kind;
    PHCurl *handle;
    union {
        void *whatever;
        PHCurlCode result;
    } data;
} PHCurlMessage;

PHCurlCode curl_global_init(long flags);
PHCurl *curl_easy_init(void);
void curl_easy_cleanup(PHCurl *handle);
PHCurlCode curl_easy_setopt(PHCurl *handle, int option, ...);
PHCurlCode curl_easy_getinfo(PHCurl *handle, int info, ...);
PHCurlCode curl_easy_pause(PHCurl *handle, int mask);
const char *curl_easy_strerror(PHCurlCode code);
struct PHCurlList *curl_slist_append(struct PHCurlList *list, const char *text);
void curl_slist_free_all(struct PHCurlList *list);
PHCurlShare *curl_share_init(void);
int curl_share_setopt(PHCurlShare *share, int option, ...);
int curl_share_cleanup(PHCurlShare *share);
PHCurlMulti *curl_multi_init(void);
int curl_multi_add_handle(PHCurlMulti *multi, PHCurl *handle);
int curl_multi_remove_handle(PHCurlMulti *multi, PHCurl *handle);
int curl_multi_perform(PHCurlMulti *multi, int *running);
int curl_multi_poll(PHCurlMulti *multi, void *more, unsigned count, int milliseconds, int *ready);
int curl_multi_wakeup(PHCurlMulti *multi);
PHCurlMessage *curl_multi_info_read(PHCurlMulti *multi, int *left);
time_t curl_getdate(const char *text, const time_t *unused);

#define PH_CURL_FUNCTIONS(F) \
    F(curl_global_init) F(curl_easy_init) F(curl_easy_cleanup) F(curl_easy_setopt) F(curl_easy_getinfo) \
    F(curl_easy_pause) F(curl_easy_strerror) F(curl_slist_append) F(curl_slist_free_all) F(curl_multi_init) \
    F(curl_multi_add_handle) F(curl_multi_remove_handle) F(curl_multi_perform) F(curl_multi_poll) F(curl_multi_wakeup) \
    F(curl_multi_info_read) F(curl_share_init) F(curl_share_setopt) F(curl_share_cleanup) \
    F(curl_getdate)

#define PH_CURL_FIELD(name) __typeof__(&name) name;
typedef struct {
    PH_CURL_FUNCTIONS(PH_CURL_FIELD)
} ph_curl;
#undef PH_CURL_FIELD

// Fills the table from an opened library. Returns NULL, or the name of the first function that the library lacks.
static inline const char *ph_curl_load(void *library, ph_curl *table) {
#define PH_CURL_LOAD(name) \
    if (!(table->name = (__typeof__(&name))dlsym(library, #name))) return #name;
    PH_CURL_FUNCTIONS(PH_CURL_LOAD)
#undef PH_CURL_LOAD
    return NULL;
}

typedef size_t (*ph_curl_data)(char *bytes, size_t size, size_t count, void *context);
typedef int (*ph_curl_before)(void *context, char *address, char *own_address, int port, int own_port);
typedef int (*ph_curl_open)(void *context, int purpose, PHCurlAddress *address);

// Swift cannot call functions with variable arguments, so there is one function for each type.
static inline PHCurlCode ph_curl_set_long(const ph_curl *curl, PHCurl *handle, int option, long value) {
    return curl->curl_easy_setopt(handle, option, value);
}
static inline PHCurlCode ph_curl_set_text(const ph_curl *curl, PHCurl *handle, int option, const char *value) {
    return curl->curl_easy_setopt(handle, option, value);
}
static inline PHCurlCode ph_curl_set_pointer(const ph_curl *curl, PHCurl *handle, int option, void *value) {
    return curl->curl_easy_setopt(handle, option, value);
}
static inline PHCurlCode ph_curl_set_list(const ph_curl *curl, PHCurl *handle, int option, struct PHCurlList *value) {
    return curl->curl_easy_setopt(handle, option, value);
}
static inline PHCurlCode ph_curl_set_data_function(const ph_curl *curl, PHCurl *handle, int option, ph_curl_data value) {
    return curl->curl_easy_setopt(handle, option, value);
}
static inline PHCurlCode ph_curl_set_before_function(const ph_curl *curl, PHCurl *handle, ph_curl_before value) {
    return curl->curl_easy_setopt(handle, PH_CURL_BEFORE_REQUEST_FUNCTION, value);
}
static inline PHCurlCode ph_curl_set_open_function(const ph_curl *curl, PHCurl *handle, ph_curl_open value) {
    return curl->curl_easy_setopt(handle, PH_CURL_OPEN_SOCKET_FUNCTION, value);
}
// Returns the status code of the proxy's response to CONNECT, or 0 if no proxy has responded.
static inline long ph_curl_connect_status(const ph_curl *curl, PHCurl *handle) {
    long status = 0;
    curl->curl_easy_getinfo(handle, PH_CURL_INFO_CONNECT_STATUS, &status);
    return status;
}
static inline int ph_curl_share_cookies(const ph_curl *curl, PHCurlShare *share) {
    return curl->curl_share_setopt(share, PH_CURL_SHARE_THIS, PH_CURL_SHARED_COOKIES);
}
// Opens a socket in the same way as libcurl.
static inline int ph_curl_open_socket(const PHCurlAddress *address) {
    return socket(address->family, address->kind | SOCK_CLOEXEC, address->protocol);
}
static inline void *ph_curl_context(const ph_curl *curl, PHCurl *handle) {
    char *value = NULL;
    curl->curl_easy_getinfo(handle, PH_CURL_INFO_PRIVATE, &value);
    return value;
}

#endif
