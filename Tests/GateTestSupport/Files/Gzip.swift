/// Compressed bodies, created with Python's gzip module.
package enum Gzip {
    /// The text `{"a":1}`.
    package static let object: [UInt8] = [
        31, 139, 8, 0, 0, 0, 0, 0, 2, 3, 171, 86, 74, 84, 178, 50, 172, 5, 0, 175, 172, 27, 86, 7,
        0, 0, 0,
    ]
    /// The letter a, a hundred thousand times, in 133 bytes.
    package static let large: [UInt8] =
        [31, 139, 8, 0, 0, 0, 0, 0, 2, 3, 237, 193, 49, 1, 0, 0, 0, 194, 160, 172, 235, 95, 194]
        + [26, 30, 64, 1] + Array(repeating: 0, count: 96)
        + [175, 6, 135, 250, 226, 27, 160, 134, 1, 0]

    package static func answer(_ body: [UInt8]) -> [BackendStep] {
        let fields = "Content-Encoding: gzip\r\nContent-Length: \(body.count)\r\n\r\n"
        return [.send("HTTP/1.1 200 OK\r\n\(fields)"), .send(body)]
    }
}
