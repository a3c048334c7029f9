// The part of Envoy's C interface for dynamic modules that the module uses.
//
// Written for ABI version v0.2.0, which is that of Envoy 1.40.0. The names and the layouts are Envoy's; the comments
// say only what the module relies on. docs/gateways/envoy-module.md lists the releases that were tried.
#ifndef VERSIONGATE_ENVOY_MODULE_H
#define VERSIONGATE_ENVOY_MODULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The version that `envoy_dynamic_module_on_program_init` returns. Envoy logs a warning if its own is another one.
#define VERSIONGATE_ENVOY_ABI "v0.2.0"

// Bytes that Envoy owns. They are valid until the hook returns, or until the module changes the header map.
typedef struct {
    const uint8_t *_Nullable ptr;
    size_t length;
} envoy_dynamic_module_type_envoy_buffer;

// Bytes that the module owns. Envoy copies them during the call.
typedef struct {
    const uint8_t *_Nullable ptr;
    size_t length;
} envoy_dynamic_module_type_module_buffer;

// A header line that Envoy owns.
typedef struct {
    const uint8_t *_Nullable key_ptr;
    size_t key_length;
    const uint8_t *_Nullable value_ptr;
    size_t value_length;
} envoy_dynamic_module_type_envoy_http_header;

// A header line that the module owns.
typedef struct {
    const uint8_t *_Nullable key_ptr;
    size_t key_length;
    const uint8_t *_Nullable value_ptr;
    size_t value_length;
} envoy_dynamic_module_type_module_http_header;

// The header maps of a stream (`envoy_dynamic_module_type_http_header_type`).
#define VERSIONGATE_ENVOY_REQUEST_HEADERS 0
#define VERSIONGATE_ENVOY_REQUEST_TRAILERS 1
#define VERSIONGATE_ENVOY_RESPONSE_HEADERS 2
#define VERSIONGATE_ENVOY_RESPONSE_TRAILERS 3

// The levels of Envoy's log (`envoy_dynamic_module_type_log_level`).
#define VERSIONGATE_ENVOY_LOG_INFO 2
#define VERSIONGATE_ENVOY_LOG_WARNING 3
#define VERSIONGATE_ENVOY_LOG_ERROR 4

// What a hook for headers returns (`envoy_dynamic_module_type_on_http_filter_request_headers_status` and its like).
#define VERSIONGATE_ENVOY_CONTINUE 0
#define VERSIONGATE_ENVOY_STOP_ITERATION 1

// What a hook for a part of a body returns, beside `VERSIONGATE_ENVOY_CONTINUE`
// (`envoy_dynamic_module_type_on_http_filter_request_body_status` and its like).
#define VERSIONGATE_ENVOY_STOP_ITERATION_NO_BUFFER 3

// `source.address`, as in Envoy's attributes: the address of the client with its port.
#define VERSIONGATE_ENVOY_SOURCE_ADDRESS 24

// `envoy_dynamic_module_type_metrics_result`: the metric exists.
#define VERSIONGATE_ENVOY_METRIC_SUCCESS 0

// May be called on any thread.
void envoy_dynamic_module_callback_log(int level, envoy_dynamic_module_type_module_buffer message);

size_t envoy_dynamic_module_callback_http_get_headers_size(void *_Nonnull filter, int map);

// `headers` must have room for all lines.
bool envoy_dynamic_module_callback_http_get_headers(
    void *_Nonnull filter, int map, envoy_dynamic_module_type_envoy_http_header *_Nonnull headers);

// Adds a line beside those that exist.
bool envoy_dynamic_module_callback_http_add_header(
    void *_Nonnull filter, int map, envoy_dynamic_module_type_module_buffer key,
    envoy_dynamic_module_type_module_buffer value);

// Replaces all lines of the name; a null pointer as the value removes them.
bool envoy_dynamic_module_callback_http_set_header(
    void *_Nonnull filter, int map, envoy_dynamic_module_type_module_buffer key,
    envoy_dynamic_module_type_module_buffer value);

// Sends a response instead of the backend's; the hook must then stop the iteration. It calls the hook for local replies
// before it returns. Once the response has started, it resets the stream instead, and may destroy the filter.
void envoy_dynamic_module_callback_http_send_response(
    void *_Nonnull filter, uint32_t status, envoy_dynamic_module_type_module_http_header *_Nullable headers,
    size_t count, envoy_dynamic_module_type_module_buffer body, envoy_dynamic_module_type_module_buffer details);

// Returns what the hook for the settings of a route has created, for the most specific route of the request; NULL if
// its route has no settings.
const void *_Nullable envoy_dynamic_module_callback_get_most_specific_route_config(void *_Nonnull filter);

// Makes Envoy select the route again, by the header fields as they are now.
void envoy_dynamic_module_callback_http_clear_route_cache(void *_Nonnull filter);

bool envoy_dynamic_module_callback_http_filter_get_attribute_string(
    void *_Nonnull filter, int attribute, envoy_dynamic_module_type_envoy_buffer *_Nonnull value);

void envoy_dynamic_module_callback_http_set_dynamic_metadata_string(
    void *_Nonnull filter, envoy_dynamic_module_type_module_buffer space,
    envoy_dynamic_module_type_module_buffer key, envoy_dynamic_module_type_module_buffer value);

// Creates a scheduler, which wakes the stream from another thread. Called on the thread of the stream.
void *_Nullable envoy_dynamic_module_callback_http_filter_scheduler_new(void *_Nonnull filter);

// Makes Envoy call the hook for scheduled events on the thread of the stream, unless the stream has ended by then. May
// be called on any thread while the stream exists: it uses the dispatcher of the stream's thread, which may be gone
// after that.
void envoy_dynamic_module_callback_http_filter_scheduler_commit(
    void *_Nonnull scheduler, uint64_t event);

void envoy_dynamic_module_callback_http_filter_scheduler_delete(void *_Nonnull scheduler);

// Only while the configuration of the filter is created.
int envoy_dynamic_module_callback_http_filter_config_define_counter(
    void *_Nonnull config, envoy_dynamic_module_type_module_buffer name,
    envoy_dynamic_module_type_module_buffer *_Nullable labels, size_t count, size_t *_Nonnull metric);

int envoy_dynamic_module_callback_http_filter_increment_counter(
    void *_Nonnull filter, size_t metric, envoy_dynamic_module_type_module_buffer *_Nullable values, size_t count,
    uint64_t amount);

// The state of the calling thread: a pointer, and what releases it when the thread ends. Envoy's workers are threads.
void *_Nullable versiongate_envoy_thread_state(void);
void versiongate_envoy_set_thread_state(void *_Nullable state, void (*_Nonnull release)(void *_Nonnull));

#endif
