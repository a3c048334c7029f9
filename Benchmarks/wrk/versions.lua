-- Hardly a request has the version of another: 25 million of them, in no order. All pass.
local random = math.random

function request()
    wrk.headers["X-App-Version"] = ("4.%d.%d"):format(random(0, 4999), random(0, 4999))
    return wrk.format()
end
