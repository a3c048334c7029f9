package import GateWire
import NIOCore
import NIOEmbedded
import NIOHTTP1

/// Compares the gate's request head parser with NIO's, which is llhttp.
///
/// NIO must accept every head that the gate accepts, with the same result. The reverse is not
/// required, because the gate is stricter.
package enum RequestHeadPeer {
    /// The identity fields in tests and fuzzing.
    package static let table = FieldNameTable.request(
        identityHeaderNames: ["x-app-platform", "x-app-version"]
    )

    /// The facts about a head that both parsers provide.
    package struct Reading: Equatable, Sendable {
        package struct Field: Equatable, Sendable {
            var name: String
            var value: String
        }

        package var method: String
        package var target: String
        package var minorVersion: Int
        package var fields: [Field]
    }

    /// Returns the head and its end according to the gate; `nil` if the gate rejects the head.
    package static func gate(_ bytes: [UInt8]) -> (Reading, end: Int)? {
        var parser = RequestHeadParser()
        guard parser.parse(bytes.span, table: Self.table) == .complete,
            (try? RequestFacts(parser.head, in: bytes.span)) != nil
        else { return nil }
        let head = parser.head
        // The target as sent: an absolute form starts before its path.
        let targetStart = head.methodEnd + 1
        let reading = Reading(
            method: bytes.text(from: head.methodStart, to: head.methodEnd),
            target: bytes.text(from: targetStart, to: head.target.end),
            minorVersion: head.minorVersion,
            fields: head.fields.lines.map { line in
                Reading.Field(
                    name: bytes.text(from: line.start, to: line.nameEnd),
                    value: bytes.text(from: line.valueStart, to: line.valueEnd)
                )
            }
        )
        return (reading, head.end)
    }

    /// Returns the head according to NIO; `nil` if NIO rejects the head or waits for more.
    package static func nio(_ bytes: [UInt8]) -> Reading? {
        let channel = EmbeddedChannel()
        defer { _ = try? channel.finish(acceptAlreadyClosed: true) }
        do {
            try channel.pipeline.syncOperations.addHandler(
                ByteToMessageHandler(HTTPRequestDecoder(leftOverBytesStrategy: .dropBytes))
            )
            try channel.writeInbound(ByteBuffer(bytes: bytes))
            guard case .head(let head)? = try channel.readInbound(as: HTTPServerRequestPart.self)
            else { return nil }
            return Reading(
                method: head.method.rawValue,
                target: head.uri,
                minorVersion: head.version.minor,
                // llhttp does not remove trailing whitespace, which is not part of the value (RFC 9112 section 5.1).
                fields: head.headers.map { field in
                    let value = field.value.utf8.reversed().drop { $0 == 0x20 || $0 == 0x09 }
                    return Reading.Field(
                        name: field.name,
                        value: String(decoding: value.reversed(), as: UTF8.self)
                    )
                }
            )
        } catch {
            return nil
        }
    }

    /// Returns how the two parsers differ on a head that the gate accepts; `nil` if they agree.
    package static func disagreement(_ bytes: [UInt8]) -> String? {
        guard let (gate, end) = Self.gate(bytes), !Self.isBeyondPeer(bytes, gate) else {
            return nil
        }
        let nio = Self.nio(Array(bytes[..<end]))
        guard nio != gate else { return nil }
        return "\(String(reflecting: String(decoding: bytes, as: UTF8.self)))\n"
            + "gate: \(gate)\nNIO: \(nio.map(String.init(describing:)) ?? "refused")"
    }

    /// Whether the method or version is unknown to llhttp.
    ///
    /// The gate accepts any method, and treats HTTP/1.2 and later as HTTP/1.1 (RFC 9110 section 2.5).
    private static func isBeyondPeer(_ bytes: [UInt8], _ reading: Reading) -> Bool {
        let text = String(decoding: bytes, as: UTF8.self)
        let versions = (2...9).map { " HTTP/1.\($0)\r\n" }
        // llhttp treats a tab after a coding or a length as part of the value; according to RFC 9110 section 5.5, it is
        // whitespace.
        let lines = text.lowercased().split(separator: "\r\n")
        let hasTab = lines.contains { line in
            line.contains("chunked\t") || line.hasPrefix("content-length:") && line.contains("\t")
        }
        return hasTab || !Self.peerMethods.contains(reading.method)
            || versions.contains { text.contains($0) }
    }

    private static let peerMethods: Set<String> = [
        "GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "TRACE", "PATCH", "PURGE", "PROPFIND",
        "MKCOL", "COPY", "MOVE", "LOCK", "UNLOCK", "REPORT", "SEARCH",
    ]
}

extension [UInt8] {
    func text(from start: Int, to end: Int) -> String {
        String(decoding: self[start..<end], as: UTF8.self)
    }
}
