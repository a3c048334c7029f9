// The JSON Schemas of the files that people write for the gate.
#ifndef VERSIONGATE_CSCHEMAS_H
#define VERSIONGATE_CSCHEMAS_H

// That of rules files: rules/rules.schema.json.
const char *gate_rules_schema(void);

// That of test suites: rules/suite.schema.json.
const char *gate_suite_schema(void);

#endif
