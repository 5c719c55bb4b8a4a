// Constants of libcurl under our own names. They belong to the ABI of libcurl.so.4, which has never changed them.
#ifndef PLAYHEAD_CCURL_NUMBERS_H
#define PLAYHEAD_CCURL_NUMBERS_H

#include <stddef.h>
#include <sys/socket.h>

// Options of a transfer (CURLOPT_). The ten thousands encode the type: 0 long, 1 pointer, 2 function.
enum {
    PH_CURL_PROXY = 10004,
    PH_CURL_WRITE_DATA = 10001,
    PH_CURL_URL = 10002,
    PH_CURL_ERROR_BUFFER = 10010,
    PH_CURL_WRITE_FUNCTION = 20011,
    PH_CURL_COOKIE = 10022,
    PH_CURL_HEADERS = 10023,
    PH_CURL_HEADER_DATA = 10029,
    PH_CURL_COOKIE_FILE = 10031,
    PH_CURL_FOLLOW_LOCATION = 52,
    PH_CURL_CA_FILE = 10065,
    PH_CURL_HEADER_FUNCTION = 20079,
    PH_CURL_BUFFER_SIZE = 98,
    PH_CURL_NO_SIGNAL = 99,
    PH_CURL_SHARE = 10100,
    PH_CURL_PRIVATE = 10103,
    PH_CURL_STATUS_LINES = 10104,
    PH_CURL_HTTP_AUTH = 107,
    PH_CURL_PROXY_AUTH = 111,
    PH_CURL_USER_NAME = 10173,
    PH_CURL_PASSWORD = 10174,
    PH_CURL_PROXY_USER_NAME = 10175,
    PH_CURL_PROXY_PASSWORD = 10176,
    PH_CURL_NO_PROXY_FOR = 10177,
    PH_CURL_CONNECT_TIMEOUT_MS = 156,
    PH_CURL_PROTOCOLS = 181,
    PH_CURL_OPEN_SOCKET_FUNCTION = 20163,
    PH_CURL_OPEN_SOCKET_DATA = 10164,
    PH_CURL_TCP_KEEP_ALIVE = 213,
    PH_CURL_SUPPRESS_CONNECT_HEADERS = 265,
    PH_CURL_BEFORE_REQUEST_FUNCTION = 20312,
    PH_CURL_BEFORE_REQUEST_DATA = 10313,
    PH_CURL_QUICK_EXIT = 322,
};

// Information about a transfer (CURLINFO_).
enum {
    PH_CURL_INFO_PRIVATE = 0x100000 + 21,
    PH_CURL_INFO_CONNECT_STATUS = 0x200000 + 22,
};

// Results of a transfer (CURLE_).
enum {
    PH_CURL_OK = 0,
    PH_CURL_BAD_URL = 3,
    PH_CURL_NO_PROXY_HOST = 5,
    PH_CURL_NO_HOST = 6,
    PH_CURL_NO_CONNECTION = 7,
    PH_CURL_NO_MEMORY = 27,
    PH_CURL_TIMED_OUT = 28,
    PH_CURL_ABORTED = 42,
    PH_CURL_UNTRUSTED = 60,
    PH_CURL_BAD_CA_FILE = 77,
};

static const long PH_CURL_HTTP_AND_HTTPS = 3;
static const long PH_CURL_BASIC = 1;
// The data that handles share (CURLSHOPT_, CURL_LOCK_DATA_).
static const int PH_CURL_SHARE_THIS = 1;
static const int PH_CURL_SHARED_COOKIES = 2;
static const size_t PH_CURL_PAUSE_WRITING = 0x10000001;
static const int PH_CURL_CONTINUE = 0;
static const int PH_CURL_NO_SOCKET = -1;
static const int PH_CURL_ABORT_REQUEST = 1;
static const int PH_CURL_MESSAGE_DONE = 1;
static const long PH_CURL_GLOBAL_DEFAULT = 3;
static const size_t PH_CURL_ERROR_SIZE = 256;

// The address that libcurl is about to connect to.
typedef struct {
    int family;
    int kind;
    int protocol;
    unsigned length;
    struct sockaddr address;
} PHCurlAddress;

// A linked list of lines of text.
typedef struct PHCurlList {
    char *text;
    struct PHCurlList *next;
} PHCurlList;

#endif
