"""Many changes at a source of rules, while requests flow."""
