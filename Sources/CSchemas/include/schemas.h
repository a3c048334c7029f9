// The JSON Schemas of the gate's configuration files.
#ifndef VERSIONGATE_CSCHEMAS_H
#define VERSIONGATE_CSCHEMAS_H

// The schema of rules files: rules/rules.schema.json.
const char *gate_rules_schema(void);

// The schema of test suites: rules/suite.schema.json.
const char *gate_suite_schema(void);

#endif
