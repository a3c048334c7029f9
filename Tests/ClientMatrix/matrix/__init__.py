"""The matrix of real clients, which shows what the app sees of a denial."""
