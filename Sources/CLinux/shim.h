// What Swift's module of the C library leaves out of Linux.
#include <malloc.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
