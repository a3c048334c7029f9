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

static const char page_chart_style[] = {
#embed "page/charts.css"
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

static const char page_words[] = {
#embed "page/words.js"
    , 0};

static const char page_format[] = {
#embed "page/format.js"
    , 0};

static const char page_scales[] = {
#embed "page/scales.js"
    , 0};

static const char page_versions[] = {
#embed "page/versions.js"
    , 0};

static const char page_chart[] = {
#embed "page/chart.js"
    , 0};

static const char page_overview[] = {
#embed "page/overview.js"
    , 0};

static const char page_traffic[] = {
#embed "page/traffic.js"
    , 0};

static const char page_decisions[] = {
#embed "page/decisions.js"
    , 0};

static const char page_adoption[] = {
#embed "page/adoption.js"
    , 0};

static const char page_what_if[] = {
#embed "page/what-if.js"
    , 0};

static const char page_rules[] = {
#embed "page/rules.js"
    , 0};

static const char page_health[] = {
#embed "page/health.js"
    , 0};

static const char page_changes[] = {
#embed "page/changes.js"
    , 0};

static const char page_undo[] = {
#embed "page/undo.js"
    , 0};

static const char page_tour[] = {
#embed "page/tour.js"
    , 0};

static const char page_english[] = {
#embed "page/words/en.js"
    , 0};

static const char page_japanese[] = {
#embed "page/words/ja.js"
    , 0};

static const char page_korean[] = {
#embed "page/words/ko.js"
    , 0};

const char *gate_admin_openapi(void) { return admin_openapi; }

const char *gate_page_index(void) { return page_index; }

const char *gate_page_style(void) { return page_style; }

const char *gate_page_chart_style(void) { return page_chart_style; }

const char *gate_page_icon(void) { return page_icon; }

const char *gate_page_main(void) { return page_main; }

const char *gate_page_ask(void) { return page_ask; }

const char *gate_page_elements(void) { return page_elements; }

const char *gate_page_words(void) { return page_words; }

const char *gate_page_format(void) { return page_format; }

const char *gate_page_scales(void) { return page_scales; }

const char *gate_page_versions(void) { return page_versions; }

const char *gate_page_chart(void) { return page_chart; }

const char *gate_page_overview(void) { return page_overview; }

const char *gate_page_traffic(void) { return page_traffic; }

const char *gate_page_decisions(void) { return page_decisions; }

const char *gate_page_adoption(void) { return page_adoption; }

const char *gate_page_what_if(void) { return page_what_if; }

const char *gate_page_rules(void) { return page_rules; }

const char *gate_page_health(void) { return page_health; }

const char *gate_page_changes(void) { return page_changes; }

const char *gate_page_undo(void) { return page_undo; }

const char *gate_page_tour(void) { return page_tour; }

const char *gate_page_english(void) { return page_english; }

const char *gate_page_japanese(void) { return page_japanese; }

const char *gate_page_korean(void) { return page_korean; }
