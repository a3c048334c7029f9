// The parts of Linux that Swift's module of the C library leaves out.
#include <malloc.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>

// pthread_setname_np(3) and memrchr(3); the headers have them behind _GNU_SOURCE only.
int pthread_setname_np(pthread_t thread, const char *name);
void *memrchr(const void *memory, int byte, size_t count);
