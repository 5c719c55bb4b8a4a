#define _GNU_SOURCE
#include "fiber.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#if !defined(__has_feature)
#define __has_feature(name) 0
#endif

// The sanitizers track the stack of a thread and must be notified of every switch to another stack.
#if __has_feature(address_sanitizer)
void __sanitizer_start_switch_fiber(void **save, const void *bottom, size_t size);
void __sanitizer_finish_switch_fiber(void *save, const void **bottom, size_t *size);
#else
static inline void __sanitizer_start_switch_fiber(void **save, const void *bottom, size_t size) {
    (void)save, (void)bottom, (void)size;
}
static inline void __sanitizer_finish_switch_fiber(void *save, const void **bottom, size_t *size) {
    (void)save, (void)bottom, (void)size;
}
#endif

#if __has_feature(thread_sanitizer)
void *__tsan_get_current_fiber(void);
void *__tsan_create_fiber(unsigned flags);
void __tsan_destroy_fiber(void *fiber);
void __tsan_switch_to_fiber(void *fiber, unsigned flags);
#else
static inline void *__tsan_get_current_fiber(void) { return NULL; }
static inline void *__tsan_create_fiber(unsigned flags) { return (void)flags, NULL; }
static inline void __tsan_destroy_fiber(void *fiber) { (void)fiber; }
static inline void __tsan_switch_to_fiber(void *fiber, unsigned flags) { (void)fiber, (void)flags; }
#endif

struct ph_fiber {
    ucontext_t inside, outside;
    char *mapping, *stack;
    size_t mapping_size, stack_size;
    void (*body)(void *);
    void *argument;
    bool has_context, has_ended;
    void *fake_inside, *fake_outside;
    const void *outside_bottom;
    size_t outside_size;
    void *thread_inside, *thread_outside;
};

static _Thread_local void *owner;

// Never inlined into a function that may be resumed on another thread, because that function could reuse the address of
// the first thread's owner.
__attribute__((noinline)) void *ph_fiber_owner(void) { return owner; }
__attribute__((noinline)) void ph_fiber_set_owner(void *value) { owner = value; }

ph_fiber *ph_fiber_make(size_t stack_size) {
    ph_fiber *fiber = calloc(1, sizeof *fiber);
    if (!fiber) return NULL;
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    fiber->stack_size = (stack_size + page - 1) / page * page;
    fiber->mapping_size = fiber->stack_size + page;
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK;
    void *mapping = mmap(NULL, fiber->mapping_size, PROT_READ | PROT_WRITE, flags, -1, 0);
    if (mapping == MAP_FAILED) {
        free(fiber);
        return NULL;
    }
    fiber->mapping = mapping;
    fiber->stack = fiber->mapping + page;
    fiber->thread_inside = __tsan_create_fiber(0);
    if (mprotect(mapping, page, PROT_NONE) != 0) {
        ph_fiber_free(fiber);
        return NULL;
    }
    return fiber;
}

void ph_fiber_free(ph_fiber *fiber) {
    if (fiber->thread_inside) __tsan_destroy_fiber(fiber->thread_inside);
    munmap(fiber->mapping, fiber->mapping_size);
    free(fiber);
}

// makecontext passes only int arguments, so the pointer is passed in two halves.
static void enter(unsigned high, unsigned low) {
    ph_fiber *fiber = (ph_fiber *)((uintptr_t)high << 16 << 16 | (uintptr_t)low);
    while (true) {
        __sanitizer_finish_switch_fiber(NULL, &fiber->outside_bottom, &fiber->outside_size);
        fiber->body(fiber->argument);
        fiber->has_ended = true;
        // Nothing of the call is left on this stack. The next call begins in the same frame.
        __sanitizer_start_switch_fiber(NULL, fiber->outside_bottom, fiber->outside_size);
        __tsan_switch_to_fiber(fiber->thread_outside, 0);
        swapcontext(&fiber->inside, &fiber->outside);
    }
}

static bool switch_in(ph_fiber *fiber) {
    fiber->thread_outside = __tsan_get_current_fiber();
    __sanitizer_start_switch_fiber(&fiber->fake_outside, fiber->stack, fiber->stack_size);
    __tsan_switch_to_fiber(fiber->thread_inside, 0);
    swapcontext(&fiber->outside, &fiber->inside);
    __sanitizer_finish_switch_fiber(fiber->fake_outside, NULL, NULL);
    return fiber->has_ended;
}

bool ph_fiber_begin(ph_fiber *fiber, void (*body)(void *), void *argument) {
    fiber->body = body;
    fiber->argument = argument;
    fiber->has_ended = false;
    if (!fiber->has_context) {
        fiber->has_context = true;
        getcontext(&fiber->inside);
        fiber->inside.uc_stack.ss_sp = fiber->stack;
        fiber->inside.uc_stack.ss_size = fiber->stack_size;
        fiber->inside.uc_link = NULL;
        uintptr_t address = (uintptr_t)fiber;
        makecontext(&fiber->inside, (void (*)(void))enter, 2, (unsigned)(address >> 16 >> 16), (unsigned)address);
    }
    return switch_in(fiber);
}

bool ph_fiber_resume(ph_fiber *fiber) { return switch_in(fiber); }

void ph_fiber_pause(ph_fiber *fiber) {
    __sanitizer_start_switch_fiber(&fiber->fake_inside, fiber->outside_bottom, fiber->outside_size);
    __tsan_switch_to_fiber(fiber->thread_outside, 0);
    swapcontext(&fiber->inside, &fiber->outside);
    __sanitizer_finish_switch_fiber(fiber->fake_inside, &fiber->outside_bottom, &fiber->outside_size);
}
