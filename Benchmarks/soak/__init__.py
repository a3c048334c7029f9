"""A long run of everything at once, and what must be the same at its end as at its beginning."""
