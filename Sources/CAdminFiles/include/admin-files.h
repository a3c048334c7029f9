// Files of the repository that are embedded for the admin listener.
#ifndef VERSIONGATE_CADMINFILES_H
#define VERSIONGATE_CADMINFILES_H

// The OpenAPI document: docs/admin/openapi.json.
const char *gate_admin_openapi(void);

// The files of the admin page.
const char *gate_page_index(void);
const char *gate_page_style(void);
const char *gate_page_chart_style(void);
const char *gate_page_icon(void);
const char *gate_page_main(void);
const char *gate_page_ask(void);
const char *gate_page_elements(void);
const char *gate_page_words(void);
const char *gate_page_format(void);
const char *gate_page_scales(void);
const char *gate_page_versions(void);
const char *gate_page_chart(void);
const char *gate_page_overview(void);
const char *gate_page_traffic(void);
const char *gate_page_decisions(void);
const char *gate_page_adoption(void);
const char *gate_page_what_if(void);
const char *gate_page_rules(void);
const char *gate_page_health(void);
const char *gate_page_changes(void);
const char *gate_page_undo(void);
const char *gate_page_tour(void);
const char *gate_page_english(void);
const char *gate_page_japanese(void);
const char *gate_page_korean(void);

#endif
