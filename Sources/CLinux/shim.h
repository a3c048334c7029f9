// The parts of the C library that Swift's module for it omits or cannot import.
#include <malloc.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <sys/timex.h>
#include <sys/types.h>
#include <unistd.h>

// pthread_setname_np(3) and memrchr(3); the headers only declare them if _GNU_SOURCE is defined.
int pthread_setname_np(pthread_t thread, const char *name);
void *memrchr(const void *memory, int byte, size_t count);

// send(2) without its cancellation point, which costs two atomic exchanges per call in a multithreaded process; no
// thread of the gate is ever canceled. It is written in C because Swift cannot call variadic functions.
static inline ssize_t send_without_cancellation(int socket, const void *bytes, size_t count, int flags) {
    return syscall(SYS_sendto, socket, bytes, count, flags, NULL, 0);
}
