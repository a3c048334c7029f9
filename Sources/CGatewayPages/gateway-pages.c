#include "gateway-pages.h"

// Clang supports #embed, a feature of C23, in all C versions.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const char nginx[] = {
#embed "../../docs/gateways/nginx.md"
    , 0};

static const char traefik[] = {
#embed "../../docs/gateways/traefik.md"
    , 0};

static const char caddy[] = {
#embed "../../docs/gateways/caddy.md"
    , 0};

static const char envoy[] = {
#embed "../../docs/gateways/envoy.md"
    , 0};

static const char haproxy[] = {
#embed "../../docs/gateways/haproxy.md"
    , 0};

const char *gate_nginx_page(void) { return nginx; }

const char *gate_traefik_page(void) { return traefik; }

const char *gate_caddy_page(void) { return caddy; }

const char *gate_envoy_page(void) { return envoy; }

const char *gate_haproxy_page(void) { return haproxy; }
