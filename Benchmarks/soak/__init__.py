"""A long run of all kinds of traffic at once, with checks at its end."""
