#ifndef PLAYHEAD_FIBER_H
#define PLAYHEAD_FIBER_H

#include <stdbool.h>
#include <stddef.h>

// A call with its own stack, which can be suspended and resumed later on another thread. A fiber is used by one thread
// at a time; the caller provides the synchronization when another thread takes over.
typedef struct ph_fiber ph_fiber;

// Creates a fiber. Returns NULL if there is no memory. The stack takes memory only as far as it is used, and a guard
// page follows its end.
ph_fiber *_Nullable ph_fiber_make(size_t stack_size);

// Frees a fiber. It must not contain a suspended call.
void ph_fiber_free(ph_fiber *_Nonnull fiber);

// Begins a call. Returns true if the call has returned, or false if it is suspended.
bool ph_fiber_begin(ph_fiber *_Nonnull fiber, void (*_Nonnull body)(void *_Nonnull), void *_Nonnull argument);

// Resumes the suspended call. Returns the same as ph_fiber_begin.
bool ph_fiber_resume(ph_fiber *_Nonnull fiber);

// Suspends the call until it is resumed. Used inside the call.
void ph_fiber_pause(ph_fiber *_Nonnull fiber);

// Returns the pointer that was last set on the calling thread, or NULL. Each thread has its own pointer, and so a fiber
// uses that of the thread on which it runs.
void *_Nullable ph_fiber_owner(void);
void ph_fiber_set_owner(void *_Nullable owner);

#endif
