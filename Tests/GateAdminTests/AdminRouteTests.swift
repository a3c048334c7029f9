import Testing

@testable import GateAdmin

struct AdminRouteTests {
    @Test(arguments: [
        ("/feeds", AdminRoute.feeds), ("/feeds?x=1", .feeds),
        ("/hooks/forced-update", .hook(feed: "forced-update")),
        ("/hooks/a?b", .hook(feed: "a")), ("/metrics", .metrics), ("/metrics?x", .metrics),
        ("/-/healthy", .healthy), ("/-/ready", .ready), ("/-/reload", .reload),
    ])
    func `a path leads to one place`(target: String, route: AdminRoute) {
        #expect(AdminRoute(target) == route)
    }

    @Test(arguments: [
        "/", "", "*", "/feeds/", "/Feeds", "/hooks", "/hooks/", "/hooks/?a", "feeds", "/-/",
        "/-/ready/", "/metrics/",
    ])
    func `elsewhere there is nothing`(target: String) {
        #expect(AdminRoute(target) == nil)
    }

    @Test func `the path of a webhook leads to it`() {
        #expect(AdminRoute(AdminRoute.path(ofHook: "cms")) == .hook(feed: "cms"))
    }
}
