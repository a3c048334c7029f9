import Foundation
import NIOHTTP1
import Testing

@testable import GateAdmin

/// Compares the OpenAPI document with the routes.
struct AdminDocumentTests {
    private static func document() throws -> [String: Any] {
        let url = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../docs/admin/openapi.json").standardizedFileURL
        let object = try JSONSerialization.jsonObject(with: Data(contentsOf: url))
        return try #require(object as? [String: Any])
    }

    @Test func `the document and the routes have the same paths and methods`() throws {
        let paths = try #require(try Self.document()["paths"] as? [String: [String: Any]])
        var routes = AdminRoute.places
        routes["/hooks/{feed}"] = .hook(feed: "{feed}")
        #expect(Set(paths.keys) == Set(routes.keys))
        for (path, route) in routes {
            #expect(AdminRoute(path) == route)
            // The description of GET covers HEAD.
            let methods = route.methods.filter { $0 != .HEAD }.map { $0.rawValue.lowercased() }
            #expect(Set(paths[path, default: [:]].keys) == Set(methods), "\(path)")
        }
    }

    @Test func `only routes without authorization are documented as such`() throws {
        let paths = try #require(try Self.document()["paths"] as? [String: [String: Any]])
        for (path, methods) in paths {
            let route = try #require(AdminRoute(path))
            for case let operation as [String: Any] in methods.values {
                let security = operation["security"] as? [Any]
                #expect((security?.isEmpty == true) == !route.isForOperators, "\(path)")
            }
        }
    }
}
