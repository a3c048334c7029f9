-- Each request has a body of 1 MiB.
wrk.method = "POST"
wrk.body = ("0123456789abcdef"):rep(65536)
