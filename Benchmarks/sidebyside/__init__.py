"""Side-by-side runs of the gate and the proxies that it is compared with."""
