// Reports the operations of Synchronization.Mutex to ThreadSanitizer. A thread that waits for a locked
// mutex does so in a library without instrumentation, so that the sanitizer would report the guarded data
// as unguarded. This library is preloaded, and its functions replace those with the same names.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>

// _MutexHandle._lockSlow(_:), _tryLockSlow() and _unlockSlow(). Their callers are inlined and therefore
// instrumented.
#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define TRY_LOCK "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

#define SWIFT __attribute__((swiftcall))
#define HANDLE __attribute__((swift_context)) void *handle

// Defined only in an executable that is built for the sanitizer.
extern __attribute__((weak)) void __tsan_acquire(void *address);
extern __attribute__((weak)) void __tsan_release(void *address);

static SWIFT void (*real_lock)(uint32_t thread, HANDLE);
static SWIFT bool (*real_try_lock)(HANDLE);
static SWIFT void (*real_unlock)(HANDLE);

__attribute__((constructor)) static void find_real_functions(void) {
    real_lock = dlsym(RTLD_NEXT, LOCK);
    real_try_lock = dlsym(RTLD_NEXT, TRY_LOCK);
    real_unlock = dlsym(RTLD_NEXT, UNLOCK);
}

SWIFT void lock_slow(uint32_t thread, HANDLE) __asm__(LOCK);
SWIFT bool try_lock_slow(HANDLE) __asm__(TRY_LOCK);
SWIFT void unlock_slow(HANDLE) __asm__(UNLOCK);

SWIFT void lock_slow(uint32_t thread, HANDLE) {
    real_lock(thread, handle);
    if (__tsan_acquire) {
        __tsan_acquire(handle);
    }
}

SWIFT bool try_lock_slow(HANDLE) {
    bool is_taken = real_try_lock(handle);
    if (is_taken && __tsan_acquire) {
        __tsan_acquire(handle);
    }
    return is_taken;
}

SWIFT void unlock_slow(HANDLE) {
    if (__tsan_release) {
        __tsan_release(handle);
    }
    real_unlock(handle);
}
