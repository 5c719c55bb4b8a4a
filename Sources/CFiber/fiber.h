#ifndef PLAYHEAD_FIBER_H
#define PLAYHEAD_FIBER_H

#include <stdbool.h>
#include <stddef.h>

// A call with a stack of its own: it can stand still in the middle, and go on later, on another thread. One thread at
// a time uses a fiber; whoever hands it to another thread makes sure of the order.
typedef struct ph_fiber ph_fiber;

// NULL: no memory. Of the stack only what is used takes memory; behind its end lies a page that nobody may touch.
ph_fiber *_Nullable ph_fiber_make(size_t stack_size);

// Not while a call stands still in it.
void ph_fiber_free(ph_fiber *_Nonnull fiber);

// Begins a call. True: it has returned. False: it stands still.
bool ph_fiber_begin(ph_fiber *_Nonnull fiber, void (*_Nonnull body)(void *_Nonnull), void *_Nonnull argument);

// Goes on with the call that stands still. As above.
bool ph_fiber_resume(ph_fiber *_Nonnull fiber);

// Inside the call: stands still until it is resumed.
void ph_fiber_pause(ph_fiber *_Nonnull fiber);

// What the calling thread, or the fiber that runs on it, was last set to; NULL at first. Each thread has its own.
void *_Nullable ph_fiber_owner(void);
void ph_fiber_set_owner(void *_Nullable owner);

#endif
