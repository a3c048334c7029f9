/* HTTP/2 with TLS, using h2load's library: repeated fields are in its dynamic table, up to the table's size, and
 * the others are Huffman-coded. */
#define _GNU_SOURCE
#include "load.h"

#include <ctype.h>
#include <fcntl.h>
#include <nghttp2/nghttp2.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

enum { OUTGOING_BYTES = 65536, REQUEST_BYTES = 65536, WINDOW = 1 << 30, PATIENCE_MILLISECONDS = 10000 };

struct connection {
    int socket;
    SSL *tls;
    nghttp2_session *session;
};

/* A request in progress. */
struct stream {
    uint64_t sent;
    size_t body_count;
    char status[4];
};

/* A field, by its positions in the request's bytes. */
struct field {
    size_t name, name_count, value, value_count;
};

static void add_field(struct request *request, size_t name, size_t name_count, size_t value, size_t count) {
    struct field *fields = realloc(request->fields, (request->field_count + 1) * sizeof *fields);
    if (!fields) fail("realloc");
    fields[request->field_count++] = (struct field){name, name_count, value, count};
    request->fields = fields;
}

/* Parses "GET /path HTTP/1.1" and the field lines. Pseudo-header fields have no names there, and are identified by
 * their positions: method, path and authority are the first three. */
void prepare(struct request *request) {
    char *bytes = request->bytes;
    if (request->count > request->head_count || request->count > REQUEST_BYTES)
        fail("a request with a body, or one that is too long");
    char *first = memchr(bytes, ' ', request->count);
    char *second = first ? memchr(first + 1, ' ', request->count - (size_t)(first + 1 - bytes)) : NULL;
    char *line = strstr(bytes, "\r\n");
    if (!second || !line || second > line) fail("no request line");
    add_field(request, 0, 0, 0, (size_t)(first - bytes));
    add_field(request, 0, 0, (size_t)(first + 1 - bytes), (size_t)(second - first - 1));
    add_field(request, 0, 0, 0, 0);
    for (line += 2; *line != '\r';) {
        char *colon = strchr(line, ':'), *end = strstr(line, "\r\n");
        if (!colon || colon > end || colon[1] != ' ') fail("no field");
        for (char *letter = line; letter < colon; letter++) *letter = (char)tolower((unsigned char)*letter);
        size_t name = (size_t)(line - bytes), name_count = (size_t)(colon - line);
        size_t value = (size_t)(colon + 2 - bytes), value_count = (size_t)(end - colon - 2);
        if (name_count == 4 && memcmp(line, "host", 4) == 0) {
            struct field *fields = request->fields;
            fields[2].value = value;
            fields[2].value_count = value_count;
        } else {
            add_field(request, name, name_count, value, value_count);
        }
        line = end + 2;
    }
}

static int on_header(nghttp2_session *session, const nghttp2_frame *frame, const uint8_t *name,
                     size_t name_count, const uint8_t *value, size_t value_count, uint8_t flags, void *data) {
    (void)flags, (void)data;
    struct stream *stream = nghttp2_session_get_stream_user_data(session, frame->hd.stream_id);
    if (stream && name_count == 7 && memcmp(name, ":status", 7) == 0 && value_count == 3)
        memcpy(stream->status, value, 3);
    return 0;
}

static int on_data(nghttp2_session *session, uint8_t flags, int32_t id, const uint8_t *bytes, size_t count,
                   void *data) {
    (void)flags, (void)bytes, (void)data;
    struct stream *stream = nghttp2_session_get_stream_user_data(session, id);
    if (stream) stream->body_count += count;
    return 0;
}

static int on_close(nghttp2_session *session, int32_t id, uint32_t error, void *data) {
    struct stream *stream = nghttp2_session_get_stream_user_data(session, id);
    if (!stream) return 0;
    answered(data, error ? "RST" : stream->status, stream->body_count, stream->sent);
    free(stream);
    return 0;
}

static SSL_CTX *context(void) {
    static SSL_CTX *context;
    if (context) return context;
    context = SSL_CTX_new(TLS_client_method());
    if (!context || SSL_CTX_set_alpn_protos(context, (const unsigned char *)"\2h2", 3)) fail("TLS");
    return context;
}

static nghttp2_session *new_session(struct connection *connection) {
    nghttp2_session_callbacks *callbacks;
    nghttp2_session *session;
    if (nghttp2_session_callbacks_new(&callbacks)) fail("nghttp2");
    nghttp2_session_callbacks_set_on_header_callback(callbacks, on_header);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, on_data);
    nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, on_close);
    if (nghttp2_session_client_new(&session, callbacks, connection)) fail("nghttp2");
    nghttp2_session_callbacks_del(callbacks);
    /* As in h2load, no response ever waits for a window. */
    nghttp2_settings_entry settings[] = {
        {NGHTTP2_SETTINGS_ENABLE_PUSH, 0},
        {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, WINDOW - 1},
    };
    if (nghttp2_submit_settings(session, NGHTTP2_FLAG_NONE, settings, 2)
        || nghttp2_session_set_local_window_size(session, NGHTTP2_FLAG_NONE, 0, WINDOW - 1))
        fail("nghttp2");
    return session;
}

struct connection *greet(int socket, size_t streams) {
    (void)streams;
    struct connection *connection = calloc(1, sizeof *connection);
    if (!connection) fail("calloc");
    connection->socket = socket;
    connection->tls = SSL_new(context());
    if (!connection->tls || !SSL_set_fd(connection->tls, socket)) fail("TLS");
    if (SSL_connect(connection->tls) != 1) fail("no TLS handshake");
    const unsigned char *protocol;
    unsigned count;
    SSL_get0_alpn_selected(connection->tls, &protocol, &count);
    if (count != 2 || memcmp(protocol, "h2", 2)) fail("no HTTP/2");
    if (fcntl(socket, F_SETFL, O_NONBLOCK)) fail("fcntl");
    connection->session = new_session(connection);
    return connection;
}

int ask(struct connection *connection, const struct request *request, uint64_t number, uint64_t time) {
    static char copy[REQUEST_BYTES];
    static nghttp2_nv vectors[256];
    static const char *const pseudo[] = {":method", ":path", ":authority"};
    char *bytes = request->bytes;
    if (request->place_count) {
        memcpy(copy, bytes, request->count);
        number_places(request, copy, number);
        bytes = copy;
    }
    const struct field *fields = request->fields;
    size_t count = 0;
    for (size_t index = 0; index < request->field_count && count < 255; index++) {
        const struct field *field = &fields[index];
        uint8_t *name = (uint8_t *)(index < 3 ? pseudo[index] : bytes + field->name);
        size_t name_count = index < 3 ? strlen(pseudo[index]) : field->name_count;
        vectors[count++] = (nghttp2_nv){
            name, (uint8_t *)bytes + field->value, name_count, field->value_count, NGHTTP2_NV_FLAG_NONE,
        };
        if (index == 0)
            vectors[count++] = (nghttp2_nv){(uint8_t *)":scheme", (uint8_t *)"https", 7, 5, 0};
    }
    struct stream *stream = calloc(1, sizeof *stream);
    if (!stream) fail("calloc");
    stream->sent = time;
    return nghttp2_submit_request(connection->session, NULL, vectors, count, NULL, stream) > 0;
}

static int send_all(struct connection *connection, const char *bytes, size_t count) {
    while (count) {
        int sent = SSL_write(connection->tls, bytes, (int)count);
        if (sent > 0) {
            bytes += sent;
            count -= (size_t)sent;
            continue;
        }
        int error = SSL_get_error(connection->tls, sent);
        struct pollfd watch = {connection->socket, error == SSL_ERROR_WANT_READ ? POLLIN : POLLOUT, 0};
        if ((error != SSL_ERROR_WANT_WRITE && error != SSL_ERROR_WANT_READ)
            || poll(&watch, 1, PATIENCE_MILLISECONDS) != 1)
            return 0;
    }
    return 1;
}

int flush(struct connection *connection) {
    static char outgoing[OUTGOING_BYTES];
    size_t count = 0;
    for (;;) {
        const uint8_t *bytes;
        ssize_t more = nghttp2_session_mem_send(connection->session, &bytes);
        if (more < 0) return 0;
        if (count && (more == 0 || count + (size_t)more > sizeof outgoing)) {
            if (!send_all(connection, outgoing, count)) return 0;
            count = 0;
        }
        if (more == 0) return 1;
        if ((size_t)more > sizeof outgoing) return 0;
        memcpy(outgoing + count, bytes, (size_t)more);
        count += (size_t)more;
    }
}

int receive(struct connection *connection) {
    static uint8_t incoming[65536];
    for (;;) {
        int count = SSL_read(connection->tls, incoming, sizeof incoming);
        if (count <= 0) return SSL_get_error(connection->tls, count) == SSL_ERROR_WANT_READ;
        if (nghttp2_session_mem_recv(connection->session, incoming, (size_t)count) != count) return 0;
        if (!nghttp2_session_want_read(connection->session)) return 0;
    }
}
