// The pages about gateways in docs/gateways, whose configurations `versiongate init --beside` prints.
#ifndef VERSIONGATE_CGATEWAYPAGES_H
#define VERSIONGATE_CGATEWAYPAGES_H

const char *gate_nginx_page(void);
const char *gate_traefik_page(void);
const char *gate_caddy_page(void);
const char *gate_envoy_page(void);
const char *gate_haproxy_page(void);

#endif
