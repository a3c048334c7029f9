"""The matrix of real clients: what the app sees of a denial."""
