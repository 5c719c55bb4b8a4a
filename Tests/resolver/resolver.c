// A resolver for tests, to be preloaded: no name leaves the machine.
//
//   hang.playhead.test   no answer for five seconds, as from a name server that is not there; then an error
//   two.playhead.test    two addresses: 127.0.0.9, where nobody is, and 127.0.0.1
//   all others           there is no such host, but for addresses and localhost
//
// Who has asked for a name that hangs is noted: a byte each in the file that PLAYHEAD_RESOLVER_LOG names.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef int (*lookup)(const char *, const char *, const struct addrinfo *, struct addrinfo **);

static atomic_int hanging;

// How often a name that hangs was asked for.
int playhead_resolver_hangs(void) { return atomic_load(&hanging); }

static int hang(void) {
    atomic_fetch_add(&hanging, 1);
    const char *path = getenv("PLAYHEAD_RESOLVER_LOG");
    int file = path ? open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600) : -1;
    if (file >= 0) {
        if (write(file, "h", 1) != 1) abort();
        close(file);
    }
    poll(NULL, 0, 5000);
    return EAI_AGAIN;
}

int getaddrinfo(const char *node, const char *service, const struct addrinfo *hints, struct addrinfo **found) {
    lookup real = (lookup)dlsym(RTLD_NEXT, "getaddrinfo");
    if (!node || !strcmp(node, "localhost")) return real(node, service, hints, found);
    if (!strcmp(node, "hang.playhead.test")) return hang();
    if (!strcmp(node, "two.playhead.test")) {
        int code = real("127.0.0.9", service, hints, found);
        if (code) return code;
        struct addrinfo *last = *found;
        while (last->ai_next) last = last->ai_next;
        code = real("127.0.0.1", service, hints, &last->ai_next);
        if (code) freeaddrinfo(*found);
        return code;
    }
    struct addrinfo numeric = {0};
    if (hints) numeric = *hints;
    numeric.ai_flags |= AI_NUMERICHOST;
    return real(node, service, &numeric, found);
}
