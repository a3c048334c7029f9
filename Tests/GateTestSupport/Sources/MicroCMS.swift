import Foundation

/// A server that emulates microCMS's content API, for one endpoint.
///
/// https://document.microcms.io/content-api does not document whether there are ETags.
package final class MicroCMS: Sendable {
    private enum Content: Sendable {
        case nothing
        case object([String: String])
        case list([[String: String]])
    }

    private let content = Watched(Content.nothing)
    package let server: SourceServer

    package init(key: String, hasETags: Bool = false) throws {
        let content = self.content
        self.server = try SourceServer { request in
            guard request.fields["X-MICROCMS-API-KEY"] == [key] else {
                let body = #"{"message":"X-MICROCMS-API-KEY header is invalid."}"#
                return [.answer("401 Unauthorized", body: body)]
            }
            guard let url = URLComponents(string: request.target),
                url.path == "/api/v1/app-version",
                let body = Self.body(of: content.current, url.queryItems ?? [])
            else { return [.answer("404 Not Found")] }
            let etag = "\"\(body.hashValue)\""
            if hasETags, request.fields["If-None-Match"] == [etag] {
                return [.send("HTTP/1.1 304 Not Modified\r\nETag: \(etag)\r\n\r\n")]
            }
            let fields =
                "Content-Type: application/json; charset=utf-8\r\n"
                + "X-Cache: Hit from cloudfront\r\n" + (hasETags ? "ETag: \(etag)\r\n" : "")
            return [.answer(fields: fields, body: body)]
        }
    }

    package var path: String { "/api/v1/app-version" }

    package var url: String { self.server.url(self.path) }

    /// Publishes an object.
    ///
    /// An empty text stands for a field that the editor left empty.
    package func publish(_ fields: [String: String]) {
        self.content.update { $0 = .object(fields) }
    }

    package func publish(list: [[String: String]]) {
        self.content.update { $0 = .list(list) }
    }

    private static func body(of content: Content, _ query: [URLQueryItem]) -> String? {
        switch content {
        case .nothing: return nil
        case .object(let fields): return Self.text(Self.entry(fields))
        case .list(let entries):
            let limit = query.first { $0.name == "limit" }?.value.flatMap { Int($0) } ?? 10
            let contents = entries.prefix(min(limit, 100)).enumerated().map { index, fields in
                Self.entry(fields).merging(["id": "entry\(index)"]) { $1 }
            }
            return Self.text([
                "contents": contents, "totalCount": entries.count, "offset": 0, "limit": limit,
            ])
        }
    }

    private static func entry(_ fields: [String: String]) -> [String: Any] {
        let dates = ["createdAt", "updatedAt", "publishedAt", "revisedAt"]
        let stamped = Dictionary(
            uniqueKeysWithValues: dates.map { ($0, "2026-04-27T02:44:50.280Z") }
        )
        let filled = fields.filter { !$0.value.isEmpty } as [String: Any]
        return filled.merging(stamped) { $1 }
    }

    private static func text(_ object: [String: Any]) -> String? {
        let options: JSONSerialization.WritingOptions = [.sortedKeys, .withoutEscapingSlashes]
        let data = try? JSONSerialization.data(withJSONObject: object, options: options)
        return data.map { String(decoding: $0, as: UTF8.self) }
    }
}
