-- Hardly a request comes from the device of another.
local random = math.random

function request()
    wrk.headers["X-Device-Id"] = ("6f1d0c62-5a5e-4f0e-%06x-%06x"):format(random(0, 16777215), random(0, 16777215))
    return wrk.format()
end
