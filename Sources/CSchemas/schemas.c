#include "schemas.h"

// Clang supports #embed, a feature of C23, in all C versions.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const char rules[] = {
#embed "../../rules/rules.schema.json"
    , 0};

static const char suite[] = {
#embed "../../rules/suite.schema.json"
    , 0};

const char *gate_rules_schema(void) { return rules; }

const char *gate_suite_schema(void) { return suite; }
