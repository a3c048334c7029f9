"""Many changes at a source of rules during traffic."""
