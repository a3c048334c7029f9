/// The first bytes of every client (RFC 9113 3.4).
enum HTTP2Preface {
    static let bytes: StaticString = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"

    /// Whether bytes are the preface, as far as they go.
    static func isBegun(by bytes: Span<UInt8>) -> Bool {
        let count = Swift.min(bytes.count, self.bytes.utf8CodeUnitCount)
        return self.bytes.withUTF8Buffer { preface in
            for index in 0..<count where unsafe bytes[index] != preface[index] { return false }
            return true
        }
    }
}
