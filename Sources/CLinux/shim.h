// The parts of Linux that Swift's module of the C library leaves out.
#include <malloc.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

// pthread_setname_np(3) and memrchr(3); the headers have them behind _GNU_SOURCE only.
int pthread_setname_np(pthread_t thread, const char *name);
void *memrchr(const void *memory, int byte, size_t count);

// send(2) past the C library, where it is a cancellation point: in a process of several threads that takes
// two atomic exchanges a call, and nobody cancels a thread here.
static inline ssize_t send_without_cancellation(int socket, const void *bytes, size_t count, int flags) {
    return syscall(SYS_sendto, socket, bytes, count, flags, NULL, 0);
}
