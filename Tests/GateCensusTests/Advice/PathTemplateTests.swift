import GatePolicy
import Testing

@testable import GateCensus

/// Paths of API documents, matched against shapes of requests.
@Suite struct PathTemplateTests {
    private static func fit(_ template: String, _ target: String) throws -> TemplateFit? {
        let known = PathShape(method: "GET".utf8.span, target: target.utf8.span)
        let shape = try #require(known, "\(target)")
        return PathTemplate(template).fit(shape.segments)
    }

    @Test(arguments: [
        ("/orders", "/orders"), ("/orders/", "/orders"), ("/orders", "/orders/"), ("/", "/"),
        ("/orders/{id}", "/orders/17"), ("/orders/{id}", "/orders/latest"),
        ("/orders/{id}", "/orders/PENDING"), ("/orders/{id}", "/orders/a%40b.example"),
        ("/Orders", "/orders"), ("/orders", "/Orders"), ("/order%73", "/orders"),
        ("/{a}-{b}", "/first-second"), ("/report.{format}", "/report.json"),
        ("/{file}.json", "/report.json"), ("/v{version}/orders", "/v2/orders"),
        ("/files/{+path}", "/files/a/b/c"), ("/files/{path*}", "/files/a"),
        ("/files/{proxy+}", "/files/a/b"), ("/files/{path:path}", "/files/a/b/c.txt"),
        ("/files{/path*}", "/files/a/b"), ("/{+base}/orders", "/api/v1/orders"),
        ("/{+base}/orders", "/orders"), ("/orders{?limit,page}", "/orders?limit=5"),
        ("/orders?status=open", "/orders?status=open"), ("/orders#list", "/orders"),
        ("/orders/{id:[0-9]{4}}/parts", "/orders/1234/parts"),
        ("/caf\u{E9}/menu", "/caf%C3%A9/menu"),
        ("/users/{id}{;unit}", "/users/17"), ("/{a}{b}", "/17"),
    ])
    func `a request for a path matches`(template: String, target: String) throws {
        let fit = try Self.fit(template, target)
        // The shape of a non-ASCII literal is never certain.
        #expect(fit != nil && fit?.isCertain == !template.contains("\u{E9}"))
    }

    @Test func `a word in lower case loosely matches capitals`() throws {
        #expect(try Self.fit("/inventory/{id}", "/INVENTORY/1")?.isLoose == true)
        #expect(try Self.fit("/INVENTORY/{id}", "/INVENTORY/1")?.isLoose == false)
    }

    @Test(arguments: [
        ("/INVENTORY/summary", "/INVENTORY/summary"), ("/inventory/{id}", "/INVENTORY/1"),
        ("/2024/report", "/2024/report"), ("/orders/{id}:cancel", "/orders/17:cancel"),
        ("/orders/{id}:cancel", "/orders/17"), ("/{file}.json", "/0815.json"),
        ("/jobs/PENDING", "/jobs/CANCELLED"),
    ])
    func `an ambiguous request may match`(template: String, target: String) throws {
        #expect(try Self.fit(template, target)?.isCertain == false)
    }

    @Test(arguments: [
        ("/orders", "/order"), ("/orders/{id}", "/orders"), ("/orders/{id}", "/orders/"),
        ("/orders/{id}", "/orders/1/items"), ("/orders", "/v1/orders"), ("/v1/orders", "/orders"),
        ("/report.{format}", "/orders.json"), ("/{file}.json", "/report.xml"),
        ("/v{version}/orders", "/orders/orders"), ("/inventory", "/stock"), ("/EUR", "/PENDING"),
        ("/2024/report", "/orders/report"), ("/a//b", "/a/b"), ("/INVENTORY", "/0815"),
    ])
    func `a request for another path does not match`(template: String, target: String) throws {
        #expect(try Self.fit(template, target) == nil)
    }

    @Test(arguments: [
        ("/orders/latest", "/orders/{id}", "/orders/latest"), ("/orders", "/orders/", "/orders"),
        ("/orders", "/Orders", "/orders"), ("/v1/{id}", "/{+base}/{id}", "/v1/17"),
        ("/{file}.json", "/{id}", "/report.json"), ("/books/me", "/{entity}/me", "/books/me"),
    ])
    func `concrete paths come first`(first: String, second: String, target: String) throws {
        let fits = try [first, second].map { try #require(try Self.fit($0, target)) }
        #expect(fits[0].comes(before: fits[1]) && !fits[1].comes(before: fits[0]))
    }

    @Test(arguments: [
        ("/{entity}/me", "/books/{id}", "/books/me"), ("/users/2024", "/users/{id}", "/users/2024"),
        ("/orders/{id}:cancel", "/orders/{id}", "/orders/17"), ("/{a}", "/{b}", "/x"),
    ])
    func `two equally concrete paths have no order`(
        first: String,
        second: String,
        target: String
    ) throws {
        let fits = try [first, second].map { try #require(try Self.fit($0, target)) }
        #expect(!fits[0].comes(before: fits[1]) && !fits[1].comes(before: fits[0]))
    }

    @Test(arguments: [
        ("/orders/{id}", true), ("/a//b", false), ("/a;b", false), ("/a%2Fb", false),
        ("/" + String(repeating: "a/", count: 12), false),
        ("/" + String(repeating: "a/", count: 11) + "a", true),
        ("/{+path}", true), ("/" + String(repeating: "a", count: 200), false),
    ])
    func `a path with unusual segments has no shape`(template: String, hasShape: Bool) {
        #expect(PathTemplate(template).hasShape == hasShape)
    }
}
