/// A web server with files that have ETags.
package final class FileSource: Sendable {
    private let files = Watched<[String: [UInt8]]>([:])
    package let server: SourceServer

    /// Listens on a port; 0 selects a free one.
    package init(port: UInt16 = 0) throws {
        let files = self.files
        self.server = try SourceServer(port: port) { request in
            let path = request.target.prefix { $0 != "?" }
            guard let body = files.current[String(path)] else { return [.answer("404 Not Found")] }
            let etag = Self.etag(of: body)
            guard !request.fields["If-None-Match"].contains(etag) else {
                return [.send("HTTP/1.1 304 Not Modified\r\nETag: \(etag)\r\n\r\n")]
            }
            let fields = "ETag: \(etag)\r\nContent-Length: \(body.count)\r\n"
            return [.send("HTTP/1.1 200 OK\r\n\(fields)\r\n"), .send(body)]
        }
    }

    package func put(_ text: String, at path: String) {
        self.files.update { $0[path] = Array(text.utf8) }
    }

    package func remove(_ path: String) {
        self.files.update { $0[path] = nil }
    }

    /// FNV-1a, which is sufficient to distinguish a few files.
    private static func etag(of body: [UInt8]) -> String {
        let hash = body.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { hash, byte in
            (hash ^ UInt64(byte)) &* 0x100_0000_01b3
        }
        return "\"\(String(hash, radix: 16))\""
    }
}
