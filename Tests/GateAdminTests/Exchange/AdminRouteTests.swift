import Testing

@testable import GateAdmin

struct AdminRouteTests {
    @Test(arguments: [
        ("/feeds", AdminRoute.feeds), ("/feeds?x=1", .feeds),
        ("/hooks/forced-update", .hook(feed: "forced-update")),
        ("/hooks/a?b", .hook(feed: "a")), ("/metrics", .metrics), ("/metrics?x", .metrics),
        ("/api/v1/census", .census), ("/api/v1/census?a=b&since=7d", .census),
        ("/api/v1/feeds", .feeds), ("/api/v1/breaker", .breaker),
        ("/", .page(.index)), ("/?x", .page(.index)),
        ("/page/main.js", .page(.main)),
        ("/-/healthy", .healthy), ("/-/ready", .ready), ("/-/reload", .reload),
    ])
    func `a path has one route`(target: String, route: AdminRoute) {
        #expect(AdminRoute(target) == route)
    }

    @Test(arguments: [
        "/page", "/page/", "/page/x.js", "/page/index", "", "*", "/feeds/", "/Feeds", "/hooks",
        "/hooks/", "/hooks/?a", "feeds", "/-/",
        "/-/ready/", "/metrics/", "/api/v1/census/", "/api/v1", "/api/v1/", "/api/v2/rules",
    ])
    func `an unknown path has no route`(target: String) {
        #expect(AdminRoute(target) == nil)
    }

    @Test func `the path of a webhook is routed to it`() {
        #expect(AdminRoute(AdminRoute.path(ofHook: "cms")) == .hook(feed: "cms"))
    }
}
