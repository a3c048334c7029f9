"""What the dearest requests cost, in instructions."""
