#include "admin-files.h"

// Clang supports #embed, a feature of C23, in all C versions.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const char admin_openapi[] = {
#embed "../../docs/admin/openapi.json"
    , 0};

static const char page_index[] = {
#embed "page/index.html"
    , 0};

static const char page_style[] = {
#embed "page/page.css"
    , 0};

static const char page_icon[] = {
#embed "page/icon.svg"
    , 0};

static const char page_main[] = {
#embed "page/main.js"
    , 0};

static const char page_ask[] = {
#embed "page/ask.js"
    , 0};

static const char page_elements[] = {
#embed "page/elements.js"
    , 0};

static const char page_traffic[] = {
#embed "page/traffic.js"
    , 0};

static const char page_what_if[] = {
#embed "page/what-if.js"
    , 0};

static const char page_rules[] = {
#embed "page/rules.js"
    , 0};

static const char page_undo[] = {
#embed "page/undo.js"
    , 0};

const char *gate_admin_openapi(void) { return admin_openapi; }

const char *gate_page_index(void) { return page_index; }

const char *gate_page_style(void) { return page_style; }

const char *gate_page_icon(void) { return page_icon; }

const char *gate_page_main(void) { return page_main; }

const char *gate_page_ask(void) { return page_ask; }

const char *gate_page_elements(void) { return page_elements; }

const char *gate_page_traffic(void) { return page_traffic; }

const char *gate_page_what_if(void) { return page_what_if; }

const char *gate_page_rules(void) { return page_rules; }

const char *gate_page_undo(void) { return page_undo; }
