#include "envoy_stand_in.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { request = 0, response = 2, reply = 4, metadata = 5, counted = 6, maps = 7 };

typedef struct stand_in_bytes bytes;

struct line {
    bytes name, value;
};

struct map {
    struct line *lines;
    size_t count, capacity;
};

struct stand_in_stream {
    struct map maps[maps];
    uint32_t status;
    bytes body;
    char *address;
    const void *route;
    const void *route_selected_again;
    bool selects_again;
    void *_Atomic state;
    bool has_response;
    _Atomic unsigned events, schedulers;
};

// Each line has memory of its own, which is freed when it is removed, as in Envoy.
static bytes copied(bytes source) {
    uint8_t *copy = malloc(source.length + 1);
    if (source.length > 0) memcpy(copy, source.ptr, source.length);
    return (bytes){copy, source.length};
}

static bool same(bytes a, bytes b) { return a.length == b.length && memcmp(a.ptr, b.ptr, a.length) == 0; }

static void append(struct map *map, bytes name, bytes value) {
    if (map->count == map->capacity) {
        map->capacity = map->capacity ? 2 * map->capacity : 16;
        map->lines = realloc(map->lines, map->capacity * sizeof *map->lines);
    }
    map->lines[map->count++] = (struct line){copied(name), copied(value)};
}

static void remove_all(struct map *map, bytes name) {
    size_t kept = 0;
    for (size_t i = 0; i < map->count; i++) {
        if (same(map->lines[i].name, name)) {
            free((void *)map->lines[i].name.ptr);
            free((void *)map->lines[i].value.ptr);
        } else {
            map->lines[kept++] = map->lines[i];
        }
    }
    map->count = kept;
}

struct stand_in_stream *stand_in_stream_new(const char *address) {
    struct stand_in_stream *stream = calloc(1, sizeof *stream);
    stream->address = strdup(address);
    return stream;
}

void stand_in_stream_free(struct stand_in_stream *stream) {
    // The module must delete what it has created.
    if (stream->schedulers) abort();
    for (int i = 0; i < maps; i++) {
        for (size_t j = 0; j < stream->maps[i].count; j++) {
            free((void *)stream->maps[i].lines[j].name.ptr);
            free((void *)stream->maps[i].lines[j].value.ptr);
        }
        free(stream->maps[i].lines);
    }
    free((void *)stream->body.ptr);
    free(stream->address);
    free(stream);
}

void stand_in_set_state(struct stand_in_stream *stream, void *state) { stream->state = state; }

void *stand_in_state(const struct stand_in_stream *stream) { return stream->state; }

void stand_in_start_response(struct stand_in_stream *stream) { stream->has_response = true; }

unsigned stand_in_take_events(struct stand_in_stream *stream) {
    return atomic_exchange(&stream->events, 0);
}

void stand_in_set_route(struct stand_in_stream *stream, const void *route, const void *selected_again) {
    stream->route = route;
    stream->route_selected_again = selected_again;
}

void stand_in_add(struct stand_in_stream *stream, int map, bytes name, bytes value) {
    append(&stream->maps[map], name, value);
}

size_t stand_in_count(const struct stand_in_stream *stream, int map) { return stream->maps[map].count; }

bytes stand_in_name(const struct stand_in_stream *stream, int map, size_t index) {
    return stream->maps[map].lines[index].name;
}

bytes stand_in_value(const struct stand_in_stream *stream, int map, size_t index) {
    return stream->maps[map].lines[index].value;
}

bool stand_in_selects_route_again(const struct stand_in_stream *stream) { return stream->selects_again; }

uint32_t stand_in_status(const struct stand_in_stream *stream) { return stream->status; }

bytes stand_in_body(const struct stand_in_stream *stream) { return stream->body; }

// The callbacks of Envoy.

static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;
static char *log_text;
static size_t log_length;

void envoy_dynamic_module_callback_log(int level, bytes message) {
    (void)level;
    pthread_mutex_lock(&log_lock);
    log_text = realloc(log_text, log_length + message.length + 2);
    memcpy(log_text + log_length, message.ptr, message.length);
    log_length += message.length;
    log_text[log_length++] = '\n';
    log_text[log_length] = 0;
    pthread_mutex_unlock(&log_lock);
}

char *stand_in_take_log(void) {
    pthread_mutex_lock(&log_lock);
    char *taken = log_text ? log_text : strdup("");
    log_text = NULL;
    log_length = 0;
    pthread_mutex_unlock(&log_lock);
    return taken;
}

size_t envoy_dynamic_module_callback_http_get_headers_size(void *filter, int map) {
    return ((struct stand_in_stream *)filter)->maps[map].count;
}

bool envoy_dynamic_module_callback_http_get_headers(void *filter, int map, struct line *lines) {
    struct map *found = &((struct stand_in_stream *)filter)->maps[map];
    if (found->count > 0) memcpy(lines, found->lines, found->count * sizeof *lines);
    return true;
}

bool envoy_dynamic_module_callback_http_add_header(void *filter, int map, bytes name, bytes value) {
    append(&((struct stand_in_stream *)filter)->maps[map], name, value);
    return true;
}

bool envoy_dynamic_module_callback_http_set_header(void *filter, int map, bytes name, bytes value) {
    struct map *found = &((struct stand_in_stream *)filter)->maps[map];
    bytes own = copied(name);
    remove_all(found, own);
    if (value.ptr) append(found, own, value);
    free((void *)own.ptr);
    return true;
}

void envoy_dynamic_module_callback_http_send_response(
    void *filter, uint32_t status, struct line *lines, size_t count, bytes body, bytes details) {
    struct stand_in_stream *stream = filter;
    envoy_dynamic_module_on_http_filter_local_reply(filter, stream->state, status, details, stream->has_response);
    stream->status = status;
    for (size_t i = 0; i < count; i++) append(&stream->maps[reply], lines[i].name, lines[i].value);
    stream->body = copied(body);
    if (!stream->has_response) return;
    envoy_dynamic_module_on_http_filter_destroy(stream->state);
    stream->state = NULL;
}

// A scheduler has memory of its own, so that the address sanitizer finds a use after its deletion.
void *envoy_dynamic_module_callback_http_filter_scheduler_new(void *filter) {
    struct stand_in_stream **scheduler = malloc(sizeof *scheduler);
    *scheduler = filter;
    (*scheduler)->schedulers++;
    return scheduler;
}

void envoy_dynamic_module_callback_http_filter_scheduler_commit(void *scheduler, uint64_t event) {
    (void)event;
    struct stand_in_stream *stream = *(struct stand_in_stream **)scheduler;
    // The dispatcher of the stream may be gone.
    if (!atomic_load(&stream->state)) abort();
    atomic_fetch_add(&stream->events, 1);
}

void envoy_dynamic_module_callback_http_filter_scheduler_delete(void *scheduler) {
    (*(struct stand_in_stream **)scheduler)->schedulers--;
    free(scheduler);
}

const void *envoy_dynamic_module_callback_get_most_specific_route_config(void *filter) {
    return ((struct stand_in_stream *)filter)->route;
}

void envoy_dynamic_module_callback_http_clear_route_cache(void *filter) {
    struct stand_in_stream *stream = filter;
    stream->selects_again = true;
    stream->route = stream->route_selected_again;
}

bool envoy_dynamic_module_callback_http_filter_get_attribute_string(void *filter, int attribute, bytes *value) {
    (void)attribute;
    const char *address = ((struct stand_in_stream *)filter)->address;
    *value = (bytes){(const uint8_t *)address, strlen(address)};
    return true;
}

void envoy_dynamic_module_callback_http_set_dynamic_metadata_string(
    void *filter, bytes space, bytes key, bytes value) {
    uint8_t name[256];
    size_t length = space.length + 1 + key.length;
    if (length > sizeof name) return;
    memcpy(name, space.ptr, space.length);
    name[space.length] = '.';
    memcpy(name + space.length + 1, key.ptr, key.length);
    append(&((struct stand_in_stream *)filter)->maps[metadata], (bytes){name, length}, value);
}

int envoy_dynamic_module_callback_http_filter_config_define_counter(
    void *config, bytes name, bytes *labels, size_t count, size_t *metric) {
    (void)config, (void)name, (void)labels, (void)count;
    *metric = 1;
    return 0;
}

int envoy_dynamic_module_callback_http_filter_increment_counter(
    void *filter, size_t metric, bytes *values, size_t count, uint64_t amount) {
    (void)metric, (void)amount;
    uint8_t name[512];
    size_t length = 0;
    for (size_t i = 0; i < count && length + values[i].length + 1 < sizeof name; i++) {
        if (i > 0) name[length++] = ',';
        memcpy(name + length, values[i].ptr, values[i].length);
        length += values[i].length;
    }
    append(&((struct stand_in_stream *)filter)->maps[counted], (bytes){name, length}, (bytes){name, 0});
    return 0;
}
