#!/bin/sh
# Proves that the numbers of Sources/CCurl/numbers.h are those of libcurl's own headers. Nothing is installed: they are taken
# from where they are, or fetched into .build-curl/ and unpacked there.
set -eu

cd "$(dirname "$0")/.."
root="$PWD/.build-curl"

fail() {
    echo "check-curl-headers: $*" >&2
    exit 1
}
. Tests/fetch-packages.sh

header="$(find /usr/include -path '*/curl/curl.h' | head -n 1)"
if [ -z "$header" ]; then
    fetch_packages "$root" libcurl4-openssl-dev
    header="$(find "$root" -path '*/curl/curl.h' | head -n 1)"
fi

same() { echo "_Static_assert((long long)$1 == (long long)$2, \"$1 is not $2\");"; }
{
    echo '#define CURL_DISABLE_DEPRECATION'
    echo '#include <curl/curl.h>'
    echo '#include "numbers.h"'
    while read -r ours theirs; do same "$ours" "$theirs"; done <<END
PH_CURL_PROXY_NONE CURLOPT_PROXY
PH_CURL_WRITE_DATA CURLOPT_WRITEDATA
PH_CURL_URL CURLOPT_URL
PH_CURL_ERROR_BUFFER CURLOPT_ERRORBUFFER
PH_CURL_WRITE_FUNCTION CURLOPT_WRITEFUNCTION
PH_CURL_HEADERS CURLOPT_HTTPHEADER
PH_CURL_HEADER_DATA CURLOPT_HEADERDATA
PH_CURL_FOLLOW_LOCATION CURLOPT_FOLLOWLOCATION
PH_CURL_CA_FILE CURLOPT_CAINFO
PH_CURL_HEADER_FUNCTION CURLOPT_HEADERFUNCTION
PH_CURL_BUFFER_SIZE CURLOPT_BUFFERSIZE
PH_CURL_NO_SIGNAL CURLOPT_NOSIGNAL
PH_CURL_PRIVATE CURLOPT_PRIVATE
PH_CURL_HTTP_AUTH CURLOPT_HTTPAUTH
PH_CURL_USER_NAME CURLOPT_USERNAME
PH_CURL_PASSWORD CURLOPT_PASSWORD
PH_CURL_CONNECT_TIMEOUT_MS CURLOPT_CONNECTTIMEOUT_MS
PH_CURL_PROTOCOLS CURLOPT_PROTOCOLS
PH_CURL_OPEN_SOCKET_FUNCTION CURLOPT_OPENSOCKETFUNCTION
PH_CURL_OPEN_SOCKET_DATA CURLOPT_OPENSOCKETDATA
PH_CURL_TCP_KEEP_ALIVE CURLOPT_TCP_KEEPALIVE
PH_CURL_BEFORE_REQUEST_FUNCTION CURLOPT_PREREQFUNCTION
PH_CURL_BEFORE_REQUEST_DATA CURLOPT_PREREQDATA
PH_CURL_QUICK_EXIT CURLOPT_QUICK_EXIT
PH_CURL_INFO_PRIVATE CURLINFO_PRIVATE
PH_CURL_OK CURLE_OK
PH_CURL_BAD_URL CURLE_URL_MALFORMAT
PH_CURL_NO_HOST CURLE_COULDNT_RESOLVE_HOST
PH_CURL_NO_CONNECTION CURLE_COULDNT_CONNECT
PH_CURL_NO_MEMORY CURLE_OUT_OF_MEMORY
PH_CURL_TIMED_OUT CURLE_OPERATION_TIMEDOUT
PH_CURL_ABORTED CURLE_ABORTED_BY_CALLBACK
PH_CURL_UNTRUSTED CURLE_PEER_FAILED_VERIFICATION
PH_CURL_BAD_CA_FILE CURLE_SSL_CACERT_BADFILE
PH_CURL_HTTP_AND_HTTPS (CURLPROTO_HTTP|CURLPROTO_HTTPS)
PH_CURL_BASIC CURLAUTH_BASIC
PH_CURL_PAUSE_WRITING CURL_WRITEFUNC_PAUSE
PH_CURL_CONTINUE CURLPAUSE_CONT
PH_CURL_NO_SOCKET CURL_SOCKET_BAD
PH_CURL_ABORT_REQUEST CURL_PREREQFUNC_ABORT
PH_CURL_MESSAGE_DONE CURLMSG_DONE
PH_CURL_GLOBAL_DEFAULT CURL_GLOBAL_DEFAULT
PH_CURL_ERROR_SIZE CURL_ERROR_SIZE
offsetof(PHCurlAddress,kind) offsetof(struct curl_sockaddr,socktype)
offsetof(PHCurlAddress,protocol) offsetof(struct curl_sockaddr,protocol)
offsetof(PHCurlAddress,length) offsetof(struct curl_sockaddr,addrlen)
offsetof(PHCurlAddress,address) offsetof(struct curl_sockaddr,addr)
END
} | clang -fsyntax-only -Wno-deprecated-declarations -Wno-gnu-folding-constant -I"$(dirname "$(dirname "$header")")" -ISources/CCurl -x c - ||
    fail "numbers differ"
echo "libcurl's numbers are as declared"
