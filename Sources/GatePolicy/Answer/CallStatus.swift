/// The status of a gRPC or Connect call that the gate denies (gRPC over HTTP/2, "Responses"; the
/// Connect protocol, "Error Codes").
///
/// The detail messages have standard `google.rpc` types, which gRPC libraries in all languages can
/// decode.
struct CallStatus {
    /// The domain in `google.rpc.ErrorInfo`.
    private static let domain = "versiongate"

    let code: Int
    let message: String
    let reason: String
    /// The facts about the update, by name, for `google.rpc.ErrorInfo`.
    let metadata: [(name: String, value: String)]
    /// The language and the message of the notice.
    let words: (language: String, message: String)?
    /// The text of the button and the store URL.
    let link: (description: String, url: String)?

    var fields: [HeaderField] {
        [
            HeaderField(name: "grpc-status", value: String(self.code)),
            HeaderField(name: "grpc-message", value: Self.percentEncoded(self.message)),
            HeaderField(name: "grpc-status-details-bin", value: Base64.unpadded(self.status)),
        ]
    }

    /// The status as gRPC-Web content: the trailers in a frame (the gRPC-Web protocol, "HTTP wire
    /// protocols").
    ///
    /// Browsers let web apps from other origins read the frame, and gateways forward it with its
    /// media type. Neither applies to a response with the status in its header section.
    var trailerFrame: [UInt8] {
        var trailers: [UInt8] = []
        for field in self.fields { trailers += Array("\(field.name):\(field.value)\r\n".utf8) }
        let length = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: trailers.count >> $0) }
        return [0x80] + length + trailers
    }

    /// The JSON array for the member `details` of a Connect error.
    var connectDetails: [UInt8] {
        var text = JSONText()
        for (type, message) in self.details {
            var detail = JSONObject()
            detail.add("type", type)
            detail.add("value", Base64.unpadded(message.bytes))
            text.append(text.bytes.isEmpty ? "[" : ",")
            text.append(json: detail.bytes)
        }
        text.append("]")
        return text.bytes
    }

    /// An encoded `google.rpc.Status` message.
    private var status: [UInt8] {
        var status = ProtobufMessage()
        status.add(1, self.code)
        status.add(2, self.message)
        for (type, message) in self.details { status.add(3, Self.any(type, message)) }
        return status.bytes
    }

    /// The detail messages with their types; `ErrorInfo` is always present.
    private var details: [(type: String, message: ProtobufMessage)] {
        var details = [("google.rpc.ErrorInfo", self.errorInfo)]
        if let words {
            let localized = Self.message(words.language, words.message)
            details.append(("google.rpc.LocalizedMessage", localized))
        }
        if let link {
            var help = ProtobufMessage()
            help.add(1, Self.message(link.description, link.url))
            details.append(("google.rpc.Help", help))
        }
        return details
    }

    private var errorInfo: ProtobufMessage {
        var info = Self.message(self.reason, Self.domain)
        for (name, value) in self.metadata { info.add(3, Self.message(name, value)) }
        return info
    }

    /// Returns a message whose first two fields are strings.
    private static func message(_ first: String, _ second: String) -> ProtobufMessage {
        var message = ProtobufMessage()
        message.add(1, first)
        message.add(2, second)
        return message
    }

    /// Returns a `google.protobuf.Any` message that contains `message`.
    private static func any(_ type: String, _ message: ProtobufMessage) -> ProtobufMessage {
        var any = ProtobufMessage()
        any.add(1, "type.googleapis.com/\(type)")
        any.add(2, message)
        return any
    }

    /// Returns the percent-encoded value of `grpc-message`.
    ///
    /// All characters except printable ASCII are encoded, and so is `%`.
    private static func percentEncoded(_ text: String) -> String {
        PercentEncoding.encoded(text) { (0x20..<0x7F).contains($0) && $0 != UInt8(ascii: "%") }
    }
}

/// Base64 encoding (RFC 4648 section 4).
package enum Base64 {
    private static let alphabet = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8
    )

    static func padded(_ bytes: [UInt8]) -> String {
        let text = self.unpadded(bytes)
        return text + String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
    }

    /// Returns the encoded bytes without padding, as gRPC recommends for binary metadata.
    package static func unpadded(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count * 4 + 2) / 3)
        var index = 0
        while index < bytes.count {
            let group = bytes[index..<min(index + 3, bytes.count)]
            var bits: UInt32 = 0
            for byte in group { bits = bits << 8 | UInt32(byte) }
            bits <<= UInt32(8 * (3 - group.count))
            for place in 0...group.count {
                text.append(Self.alphabet[Int(bits >> UInt32(18 - 6 * place) & 0x3F)])
            }
            index += 3
        }
        return String(decoding: text, as: UTF8.self)
    }
}
