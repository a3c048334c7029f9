import Testing

/// A request that stands at the border of what RFC 9112 allows, and what must become of it.
struct MalformedRequest: Sendable, CustomTestStringConvertible {
    enum Outcome: Sendable {
        /// One of these statuses, and nothing behind the fault is read.
        case refused([Int])
        /// The request is legal: it reaches the backend with this body.
        case passes(body: String)
        /// The RFC leaves the choice.
        case refusedOrPasses([Int])
    }

    /// Where the fault is, and so how much may have been passed on before it is seen.
    enum Part: Sendable {
        /// Nothing of the request may reach the backend.
        case head
        /// The head and the body before the fault may have; the end of the request must not, nor
        /// this text, which stands behind the fault.
        case body(hidden: String)
    }

    var name: String
    var section: String
    var bytes: [UInt8]
    var part: Part
    var outcome: Outcome

    var testDescription: String { "\(self.name) (\(self.section))" }

    /// A request that lies behind each case: where the case is refused, it must not be answered.
    static let follower = Array("GET /follower HTTP/1.1\r\nHost: gate\r\n\r\n".utf8)

    /// Stands for the bytes of `text`: one for each scalar, which is below U+0100.
    private static func bytes(_ text: String) -> [UInt8] {
        text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
    }

    static func refused(
        _ name: String,
        _ section: String,
        _ text: String,
        with statuses: Int...
    ) -> MalformedRequest {
        let outcome = Outcome.refused(statuses.isEmpty ? [400] : statuses)
        return Self(
            name: name,
            section: section,
            bytes: Self.bytes(text),
            part: .head,
            outcome: outcome
        )
    }

    static func refusedInBody(
        _ name: String,
        _ section: String,
        _ text: String,
        hidden: String = "/follower"
    ) -> MalformedRequest {
        Self(
            name: name,
            section: section,
            bytes: Self.bytes(text),
            part: .body(hidden: hidden),
            outcome: .refused([400])
        )
    }

    static func passes(
        _ name: String,
        _ section: String,
        _ text: String,
        body: String = ""
    ) -> MalformedRequest {
        Self(
            name: name,
            section: section,
            bytes: Self.bytes(text),
            part: .head,
            outcome: .passes(body: body)
        )
    }

    static func refusedOrPasses(
        _ name: String,
        _ section: String,
        _ text: String,
        with statuses: Int...,
        part: Part = .head
    ) -> MalformedRequest {
        let outcome = Outcome.refusedOrPasses(statuses.isEmpty ? [400] : statuses)
        return Self(
            name: name,
            section: section,
            bytes: Self.bytes(text),
            part: part,
            outcome: outcome
        )
    }
}
