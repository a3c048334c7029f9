// Files of the repository that are embedded for the admin listener.
#ifndef VERSIONGATE_CADMINFILES_H
#define VERSIONGATE_CADMINFILES_H

// The OpenAPI document: docs/admin/openapi.json.
const char *gate_admin_openapi(void);

// The files of the admin page.
const char *gate_page_index(void);
const char *gate_page_style(void);
const char *gate_page_icon(void);
const char *gate_page_main(void);
const char *gate_page_ask(void);
const char *gate_page_elements(void);
const char *gate_page_traffic(void);
const char *gate_page_what_if(void);
const char *gate_page_rules(void);
const char *gate_page_undo(void);

#endif
