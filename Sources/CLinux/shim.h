// The parts of Linux that Swift's module of the C library leaves out, or cannot give.
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

// send(2) without its cancellation point, which takes two atomic exchanges a call in a process of several
// threads; nobody cancels a thread here. In C, since Swift calls no variadic function.
static inline ssize_t send_without_cancellation(int socket, const void *bytes, size_t count, int flags) {
    return syscall(SYS_sendto, socket, bytes, count, flags, NULL, 0);
}
