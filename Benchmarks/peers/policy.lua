-- The policy in rules.yaml. A client that was seen before costs one lookup in the worker's cache.
local lrucache = require "resty.lrucache"

local ngx = ngx
local MINIMUM, LATEST = "3.5.0", "4.2.0"
local STORE_URL = "https://apps.apple.com/app/id1234567890"
local PLATFORMS = { ios = "ios", iphone = "ios", ipados = "ios" }
local NOTICES = {
    en = {
        title = "Update required",
        message = "Version %s no longer works. Please update to %s or later.",
        button = "Update",
    },
    ja = {
        title = "アップデートのお願い",
        message = "バージョン %s は利用できません。%s 以降にアップデートしてください。",
        button = "アップデートする",
    },
}
local BODY = '{"type":"urn:versiongate:upgrade-required","title":"%s","status":426,"message":"%s",'
    .. '"button":"%s","storeUrl":"%s","minimumVersion":"%s","latestVersion":"%s",'
    .. '"currentVersion":"%s","rule":"ios"}'

-- The parts of a dotted decimal version as numbers; nil for any other text.
local function parse(version)
    if #version > 64 or not version:find("^%d+[%d.]*$") or version:find("..", 1, true) then
        return nil
    end
    local parts = {}
    for digits in version:gmatch("%d+") do
        parts[#parts + 1] = tonumber(digits)
    end
    if #parts > 5 or version:sub(-1) == "." then
        return nil
    end
    return parts
end

-- Missing parts are zero.
local function is_below(left, right)
    for index = 1, 5 do
        local a, b = left[index] or 0, right[index] or 0
        if a ~= b then
            return a < b
        end
    end
    return false
end

local minimum = parse(MINIMUM)
-- Half-open ranges, from the first version to below the second.
local blocked = {
    { parse("3.7.2"), parse("3.7.2.0.1") },
    { parse("3.9.0"), parse("3.9.4") },
}

local function is_outdated(version)
    if is_below(version, minimum) then
        return true
    end
    for _, range in ipairs(blocked) do
        if not is_below(version, range[1]) and is_below(version, range[2]) then
            return true
        end
    end
    return false
end

-- The first language in the header for which there is a notice.
local function preferred_language(accept_language)
    for tag in accept_language:gmatch("(%a+)[^,]*") do
        if NOTICES[tag:lower()] then
            return tag:lower()
        end
    end
    return "en"
end

-- The response to a client, or false if the client may pass.
local function decide(platform, version, accept_language)
    local parts = PLATFORMS[platform:lower()] == "ios" and parse(version)
    if not parts or not is_outdated(parts) then
        return false
    end
    local language = preferred_language(accept_language)
    local notice = NOTICES[language]
    local message = notice.message:format(version, MINIMUM)
    return {
        language = language,
        body = BODY:format(
            notice.title, message, notice.button, STORE_URL, MINIMUM, LATEST, version
        ),
    }
end

local function deny(denial)
    local header = ngx.header
    ngx.status = 426
    header["Content-Length"] = #denial.body
    header["Cache-Control"] = "no-store"
    header["Content-Language"] = denial.language
    header["Vary"] = "@VARY@"
    header["X-VersionGate"] = "require"
    ngx.print(denial.body)
    return ngx.exit(426)
end

-- Bounded, because clients determine its keys.
local decisions = lrucache.new(4096)

local function judge()
    local var = ngx.var
    local platform, version = var.http_x_app_platform, var.http_x_app_version
    if not platform or not version then
        return
    end
    local accept_language = var.http_accept_language or ""
    local key = platform .. "\n" .. version .. "\n" .. accept_language
    local denial = decisions:get(key)
    if denial == nil then
        denial = decide(platform, version, accept_language)
        decisions:set(key, denial)
    end
    if denial then
        return deny(denial)
    end
end

return { judge = judge }
