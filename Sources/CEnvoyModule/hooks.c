// The hooks that the module does not need, because Envoy refuses a module that lacks one of them; and the state of threads.
#include "envoy_module.h"

#include <pthread.h>

typedef envoy_dynamic_module_type_envoy_buffer bytes;
typedef envoy_dynamic_module_type_envoy_http_header header;

const char *envoy_dynamic_module_on_program_init(void) { return VERSIONGATE_ENVOY_ABI; }

void envoy_dynamic_module_on_http_filter_stream_complete(void *filter, void *stream) {}

void envoy_dynamic_module_on_http_filter_downstream_above_write_buffer_high_watermark(void *filter, void *stream) {}

void envoy_dynamic_module_on_http_filter_downstream_below_write_buffer_low_watermark(void *filter, void *stream) {}

void envoy_dynamic_module_on_http_filter_http_callout_done(
    void *filter, void *stream, uint64_t callout, int result, header *headers, size_t count, bytes *body,
    size_t pieces) {}

void envoy_dynamic_module_on_http_filter_http_stream_headers(
    void *filter, void *stream, uint64_t callout, header *headers, size_t count, bool ends) {}

void envoy_dynamic_module_on_http_filter_http_stream_data(
    void *filter, void *stream, uint64_t callout, const bytes *body, size_t pieces, bool ends) {}

void envoy_dynamic_module_on_http_filter_http_stream_trailers(
    void *filter, void *stream, uint64_t callout, header *trailers, size_t count) {}

void envoy_dynamic_module_on_http_filter_http_stream_complete(void *filter, void *stream, uint64_t callout) {}

void envoy_dynamic_module_on_http_filter_http_stream_reset(
    void *filter, void *stream, uint64_t callout, int reason) {}

void envoy_dynamic_module_on_http_filter_config_scheduled(void *envoy, void *config, uint64_t event) {}

void envoy_dynamic_module_on_http_filter_config_http_callout_done(
    void *envoy, void *config, uint64_t callout, int result, header *headers, size_t count, bytes *body,
    size_t pieces) {}

void envoy_dynamic_module_on_http_filter_config_http_stream_headers(
    void *envoy, void *config, uint64_t callout, header *headers, size_t count, bool ends) {}

void envoy_dynamic_module_on_http_filter_config_http_stream_data(
    void *envoy, void *config, uint64_t callout, const bytes *body, size_t pieces, bool ends) {}

void envoy_dynamic_module_on_http_filter_config_http_stream_trailers(
    void *envoy, void *config, uint64_t callout, header *trailers, size_t count) {}

void envoy_dynamic_module_on_http_filter_config_http_stream_complete(void *envoy, void *config, uint64_t callout) {}

void envoy_dynamic_module_on_http_filter_config_http_stream_reset(
    void *envoy, void *config, uint64_t callout, int reason) {}

// The state of a thread, which is released when the thread ends.
static _Thread_local void *state;
static pthread_key_t ending;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool has_key;
static void (*_Atomic release_state)(void *);

static void release(void *value) {
    state = NULL;
    release_state(value);
}

// Without a key, the state of a thread is not released at its end.
static void make_key(void) { has_key = pthread_key_create(&ending, release) == 0; }

void *versiongate_envoy_thread_state(void) { return state; }

void versiongate_envoy_set_thread_state(void *value, void (*release)(void *)) {
    release_state = release;
    pthread_once(&once, make_key);
    state = value;
    if (has_key) pthread_setspecific(ending, value);
}
