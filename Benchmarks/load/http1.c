/* HTTP/1.1: each request is sent once the previous one has its response. A response must have a Content-Length
 * and exactly that length, and nothing may follow it. */
#define _GNU_SOURCE
#include "load.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { ANSWER_BYTES = 65536, REQUEST_BYTES = 65536 };

struct connection {
    int socket;
    /* When the pending request was sent; 0 if there is none. */
    uint64_t sent;
    size_t count;
    /* The missing part and the length of a body that does not fit into `answer`. */
    size_t missing, body_count;
    char answer[ANSWER_BYTES];
};

void prepare(struct request *request) {
    if (request->count > REQUEST_BYTES) fail("a request that is too long");
}

struct connection *greet(int socket, size_t streams) {
    if (streams != 1) fail("HTTP/1.1 has no streams");
    struct connection *connection = calloc(1, sizeof *connection);
    if (!connection) fail("calloc");
    connection->socket = socket;
    return connection;
}

int ask(struct connection *connection, const struct request *request, uint64_t number, uint64_t time) {
    static char copy[REQUEST_BYTES];
    const char *bytes = request->bytes;
    if (request->place_count) {
        memcpy(copy, bytes, request->count);
        number_places(request, copy, number);
        bytes = copy;
    }
    connection->count = 0;
    connection->sent = time;
    /* The request is much smaller than any socket buffer, so it is sent completely or not at all. */
    ssize_t sent = send(connection->socket, bytes, request->count, MSG_NOSIGNAL | MSG_DONTWAIT);
    return sent == (ssize_t)request->count;
}

int flush(struct connection *connection) {
    (void)connection;
    return 1;
}

/* Reads the rest of a long body. The kernel discards it instead of copying it (MSG_TRUNC, tcp(7)), because the
 * load generator shares its core with the backend, and only the proxy's core is to be saturated. */
static int drop_body(struct connection *connection) {
    ssize_t count = recv(connection->socket, NULL, connection->missing, MSG_DONTWAIT | MSG_TRUNC);
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) return 1;
    if (count <= 0) return 0;
    connection->missing -= (size_t)count;
    if (connection->missing) return 1;
    answered(connection, connection->answer + 9, connection->body_count, connection->sent);
    connection->sent = 0;
    return 1;
}

int receive(struct connection *connection) {
    if (connection->missing) return drop_body(connection);
    ssize_t count = recv(connection->socket, connection->answer + connection->count,
                         ANSWER_BYTES - 1 - connection->count, MSG_DONTWAIT);
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) return 1;
    if (count <= 0 || !connection->sent) return 0;
    connection->count += (size_t)count;
    connection->answer[connection->count] = 0;
    char *end = memmem(connection->answer, connection->count, "\r\n\r\n", 4);
    if (!end) return connection->count < ANSWER_BYTES - 1;
    *end = 0;
    char *field = strcasestr(connection->answer, "\r\nContent-Length:");
    *end = '\r';
    if (!field || memcmp(connection->answer, "HTTP/1.1 ", 9)) return 0;
    size_t body_count = strtoul(field + 17, NULL, 10);
    size_t length = (size_t)(end + 4 - connection->answer) + body_count;
    if (length >= ANSWER_BYTES) {
        connection->missing = length - connection->count;
        connection->body_count = body_count;
        return 1;
    }
    if (length > connection->count) return 1;
    if (length < connection->count) return 0;
    answered(connection, connection->answer + 9, body_count, connection->sent);
    connection->sent = 0;
    return 1;
}
