// Plays Envoy for the tests of the module: it implements the callbacks, and declares the hooks.
#ifndef VERSIONGATE_ENVOY_STAND_IN_H
#define VERSIONGATE_ENVOY_STAND_IN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct stand_in_bytes {
    const uint8_t *_Nullable ptr;
    size_t length;
};

// The hooks that the module implements.
const char *_Nonnull envoy_dynamic_module_on_program_init(void);
void *_Nullable envoy_dynamic_module_on_http_filter_config_new(
    void *_Nonnull envoy, struct stand_in_bytes name, struct stand_in_bytes settings);
void envoy_dynamic_module_on_http_filter_config_destroy(void *_Nonnull config);
void *_Nullable envoy_dynamic_module_on_http_filter_per_route_config_new(
    struct stand_in_bytes name, struct stand_in_bytes settings);
void envoy_dynamic_module_on_http_filter_per_route_config_destroy(void *_Nonnull settings);
void *_Nullable envoy_dynamic_module_on_http_filter_new(void *_Nonnull config, void *_Nonnull filter);
int envoy_dynamic_module_on_http_filter_request_headers(void *_Nonnull filter, void *_Nonnull stream, bool ends);
int envoy_dynamic_module_on_http_filter_response_headers(void *_Nonnull filter, void *_Nonnull stream, bool ends);
int envoy_dynamic_module_on_http_filter_request_body(void *_Nonnull filter, void *_Nonnull stream, bool ends);
int envoy_dynamic_module_on_http_filter_response_body(void *_Nonnull filter, void *_Nonnull stream, bool ends);
int envoy_dynamic_module_on_http_filter_request_trailers(void *_Nonnull filter, void *_Nonnull stream);
int envoy_dynamic_module_on_http_filter_response_trailers(void *_Nonnull filter, void *_Nonnull stream);
int envoy_dynamic_module_on_http_filter_local_reply(
    void *_Nonnull filter, void *_Nonnull stream, uint32_t status, struct stand_in_bytes details, bool resets);
void envoy_dynamic_module_on_http_filter_scheduled(
    void *_Nonnull filter, void *_Nonnull stream, uint64_t event);
void envoy_dynamic_module_on_http_filter_destroy(void *_Nonnull stream);

// A stream with its header maps, numbered as in Envoy, and the response of the module, if it sends one.
struct stand_in_stream;

struct stand_in_stream *_Nonnull stand_in_stream_new(const char *_Nonnull address);
void stand_in_stream_free(struct stand_in_stream *_Nonnull stream);
// Sets the module's state of the stream. Envoy resets the stream if the module sends a response once one has started,
// and then the state is destroyed while the module is still in its hook.
void stand_in_set_state(struct stand_in_stream *_Nonnull stream, void *_Nonnull state);
// The state, or NULL if it was destroyed.
void *_Nullable stand_in_state(const struct stand_in_stream *_Nonnull stream);
void stand_in_start_response(struct stand_in_stream *_Nonnull stream);
// Returns the number of events that the module has scheduled since the last call. The test then calls the hook for
// each.
unsigned stand_in_take_events(struct stand_in_stream *_Nonnull stream);
// `route`: what the hook for the settings of a route has returned; `selected_again`: the same for the route that Envoy
// selects if the module asks for another selection.
void stand_in_set_route(
    struct stand_in_stream *_Nonnull stream, const void *_Nullable route, const void *_Nullable selected_again);
void stand_in_add(
    struct stand_in_stream *_Nonnull stream, int map, struct stand_in_bytes name, struct stand_in_bytes value);
size_t stand_in_count(const struct stand_in_stream *_Nonnull stream, int map);
struct stand_in_bytes stand_in_name(const struct stand_in_stream *_Nonnull stream, int map, size_t index);
struct stand_in_bytes stand_in_value(const struct stand_in_stream *_Nonnull stream, int map, size_t index);
// Whether the module has asked for another selection of the route.
bool stand_in_selects_route_again(const struct stand_in_stream *_Nonnull stream);
// The status of the module's response; 0 if it sent none. Its header lines are in map 4.
uint32_t stand_in_status(const struct stand_in_stream *_Nonnull stream);
struct stand_in_bytes stand_in_body(const struct stand_in_stream *_Nonnull stream);
// The pairs of the dynamic metadata are in map 5, as lines `namespace.key`; the label values of counters, joined by
// commas, are the names in map 6.

// The log of all streams, one message a line; the caller frees it. The log is then empty.
char *_Nonnull stand_in_take_log(void);

#endif
