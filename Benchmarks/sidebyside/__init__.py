"""Side-by-side runs of the gate and other proxies."""
