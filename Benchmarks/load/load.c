/* A load generator for what one core of wrk cannot outrun: one thread, the same request again and
 * again on connections that are kept, the next one as soon as the last is answered.
 *
 * load PORT CONNECTIONS SECONDS STATUS <request
 *
 * Prints one line of JSON. Every answer must have that status and a Content-Length, must end where it
 * says, and nothing may follow it; anything else is counted as wrong. It asks epoll to watch a
 * connection once, where wrk does so twice for each request, and reads no more of an answer than its
 * status line and length. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { ANSWER_BYTES = 65536, REQUEST_BYTES = 16384, EVENTS = 512 };

/* Latencies in steps of 10 microseconds up to a second; slower ones count as a second. */
enum { STEP_NANOSECONDS = 10000, STEPS = 100000 };

struct connection {
    int socket;
    uint64_t sent;
    size_t count;
    char answer[ANSWER_BYTES];
};

static char request[REQUEST_BYTES];
static size_t request_count;
static char status_line[16];
static uint64_t latencies[STEPS];
static uint64_t answers, wrong, socket_errors;

static uint64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static void fail(const char *what) {
    perror(what);
    exit(1);
}

static void connect_to(struct connection *connection, uint16_t port, int watch) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    connection->socket = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connection->socket < 0) fail("socket");
    int on = 1;
    if (setsockopt(connection->socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on)) fail("setsockopt");
    if (connect(connection->socket, (struct sockaddr *)&address, sizeof address)) fail("connect");
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = connection};
    if (epoll_ctl(watch, EPOLL_CTL_ADD, connection->socket, &event)) fail("epoll_ctl");
}

static void ask(struct connection *connection, uint64_t time) {
    connection->count = 0;
    connection->sent = time;
    /* Much smaller than any buffer of a socket: it goes whole or not at all. */
    ssize_t sent = send(connection->socket, request, request_count, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent != (ssize_t)request_count) socket_errors++;
}

/* The length of the whole answer; 0 if its head is not there yet, -1 if it says none. */
static ssize_t length_of(struct connection *connection) {
    char *end = memmem(connection->answer, connection->count, "\r\n\r\n", 4);
    if (!end) return 0;
    *end = 0;
    char *field = strcasestr(connection->answer, "\r\nContent-Length:");
    *end = '\r';
    if (!field) return -1;
    return end + 4 - connection->answer + atol(field + 17);
}

static void give_up(struct connection *connection, uint64_t *count) {
    (*count)++;
    close(connection->socket);
    connection->socket = -1;
}

static void receive(struct connection *connection) {
    ssize_t count = recv(connection->socket, connection->answer + connection->count,
                         ANSWER_BYTES - 1 - connection->count, MSG_DONTWAIT);
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (count <= 0) return give_up(connection, &socket_errors);
    connection->count += (size_t)count;
    connection->answer[connection->count] = 0;
    ssize_t length = length_of(connection);
    if (length == 0 && connection->count < ANSWER_BYTES - 1) return;
    if (length <= 0 || (size_t)length < connection->count) return give_up(connection, &wrong);
    if ((size_t)length > connection->count) return;
    if (memcmp(connection->answer, status_line, 12)) wrong++;
    uint64_t time = now();
    uint64_t step = (time - connection->sent) / STEP_NANOSECONDS;
    latencies[step < STEPS ? step : STEPS - 1]++;
    answers++;
    ask(connection, time);
}

static uint64_t microseconds_of(double share) {
    uint64_t rank = (uint64_t)(share * (double)answers), seen = 0;
    for (uint64_t step = 0; step < STEPS; step++) {
        seen += latencies[step];
        if (seen > rank) return (step + 1) * STEP_NANOSECONDS / 1000;
    }
    return 0;
}

int main(int count, char **arguments) {
    if (count != 5) {
        fprintf(stderr, "usage: load PORT CONNECTIONS SECONDS STATUS <request\n");
        return 2;
    }
    uint16_t port = (uint16_t)atoi(arguments[1]);
    size_t connection_count = (size_t)atoi(arguments[2]);
    uint64_t length = (uint64_t)atoi(arguments[3]) * 1000000000;
    snprintf(status_line, sizeof status_line, "HTTP/1.1 %.3s", arguments[4]);
    request_count = fread(request, 1, sizeof request, stdin);

    int watch = epoll_create1(EPOLL_CLOEXEC);
    if (watch < 0) fail("epoll_create1");
    struct connection *connections = calloc(connection_count, sizeof *connections);
    if (!connections) fail("calloc");
    for (size_t index = 0; index < connection_count; index++)
        connect_to(&connections[index], port, watch);

    uint64_t start = now(), end = start + length, time = start;
    for (size_t index = 0; index < connection_count; index++) ask(&connections[index], time);
    struct epoll_event events[EVENTS];
    while (time < end) {
        int ready = epoll_wait(watch, events, EVENTS, 100);
        if (ready < 0 && errno != EINTR) fail("epoll_wait");
        for (int index = 0; index < ready; index++) receive(events[index].data.ptr);
        time = now();
    }
    printf("RESULT {\"requests\":%llu,\"microseconds\":%llu,\"p50\":%llu,\"p99\":%llu,"
           "\"wrong\":%llu,\"socketErrors\":%llu}\n",
           (unsigned long long)answers, (unsigned long long)((time - start) / 1000),
           (unsigned long long)microseconds_of(0.5), (unsigned long long)microseconds_of(0.99),
           (unsigned long long)wrong, (unsigned long long)socket_errors);
    return 0;
}
