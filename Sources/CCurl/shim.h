// Typed wrappers for libcurl's variadic functions, which Swift cannot call.
#ifndef VERSIONGATE_CCURL_SHIM_H
#define VERSIONGATE_CCURL_SHIM_H

#include <curl/curl.h>

static inline CURLcode gate_easy_set_long(CURL *handle, CURLoption option, long value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode gate_easy_set_offset(CURL *handle, CURLoption option, curl_off_t value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode gate_easy_set_text(CURL *handle, CURLoption option, const char *value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode gate_easy_set_pointer(CURL *handle, CURLoption option, void *value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode gate_easy_set_list(CURL *handle, CURLoption option,
                                          struct curl_slist *value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode gate_easy_set_callback(CURL *handle, CURLoption option,
                                              curl_write_callback value) {
    return curl_easy_setopt(handle, option, value);
}

// Copies the bytes.
static inline CURLcode gate_easy_set_bytes(CURL *handle, CURLoption option, const void *bytes,
                                           size_t count) {
    struct curl_blob blob = {(void *)bytes, count, CURL_BLOB_COPY};
    return curl_easy_setopt(handle, option, &blob);
}

static inline CURLcode gate_easy_get_long(CURL *handle, CURLINFO info, long *value) {
    return curl_easy_getinfo(handle, info, value);
}

static inline CURLcode gate_easy_get_pointer(CURL *handle, CURLINFO info, void **value) {
    return curl_easy_getinfo(handle, info, value);
}

static inline CURLcode gate_easy_get_socket(CURL *handle, CURLINFO info, curl_socket_t *value) {
    return curl_easy_getinfo(handle, info, value);
}

// The result in a message about a completed transfer.
static inline CURLcode gate_message_result(const CURLMsg *message) {
    return message->data.result;
}

// The file of CA certificates that libcurl was built to trust; null if there is none.
static inline const char *gate_authorities_file(void) {
    const curl_version_info_data *info = curl_version_info(CURLVERSION_NOW);
    return info->age >= CURLVERSION_SEVENTH ? info->cainfo : (const char *)0;
}

#endif
