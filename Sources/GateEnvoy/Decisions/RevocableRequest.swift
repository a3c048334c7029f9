import CEnvoyModule
import GatePolicy

/// A request whose exchange may be long-lived: a WebSocket, an event stream, or a gRPC call.
///
/// The head is stored as received, so that it can be evaluated again. Envoy's own copy changes, because filters and
/// routes modify the head before it is forwarded.
@safe
final class RevocableRequest {
    enum Kind {
        case webSocket
        case eventStream
        case call
    }

    private let kind: Kind
    private let endsWithHead: Bool
    /// Whether the request's route is in observe mode.
    let isObserved: Bool
    /// The path for which the rules are evaluated; `nil` means the path of the request.
    private let path: [UInt8]?
    private let bytes: UnsafeMutableBufferPointer<UInt8>
    private let storage: UnsafeMutableBufferPointer<EnvoyLine>
    /// The generation of the rules that the request was last evaluated against.
    private(set) var generation: Int
    /// The second at which the response started.
    private var answeredAt: Timestamp?

    /// Creates a copy of a request's head, with the other data that its evaluation depends on.
    init(
        _ kind: Kind,
        _ lines: UnsafeBufferPointer<EnvoyLine>,
        endsWithHead: Bool,
        isObserved: Bool,
        path: [UInt8]?,
        generation: Int
    ) {
        self.kind = kind
        self.endsWithHead = endsWithHead
        self.isObserved = isObserved
        self.path = path
        self.generation = generation
        let count = unsafe lines.reduce(0) { unsafe $0 + $1.key.count + $1.value.count }
        unsafe self.bytes = .allocate(capacity: count)
        unsafe self.storage = .allocate(capacity: lines.count)
        var end = 0
        for index in lines.indices {
            let line = unsafe lines[index]
            let key = unsafe self.copy(line.key, to: &end)
            let value = unsafe self.copy(line.value, to: &end)
            unsafe self.storage.initializeElement(
                at: index,
                to: EnvoyLine(
                    key_ptr: key,
                    key_length: line.key_length,
                    value_ptr: value,
                    value_length: line.value_length
                )
            )
        }
    }

    deinit {
        unsafe self.bytes.deallocate()
        unsafe self.storage.deallocate()
    }

    private func copy(
        _ source: UnsafeBufferPointer<UInt8>,
        to end: inout Int
    ) -> UnsafePointer<UInt8>? {
        let place = unsafe UnsafeMutableBufferPointer(rebasing: self.bytes[end...])
        _ = unsafe place.initialize(from: source)
        end += source.count
        return unsafe place.baseAddress.map { unsafe UnsafePointer($0) }
    }

    var lines: UnsafeBufferPointer<EnvoyLine> { unsafe UnsafeBufferPointer(self.storage) }

    /// Records the start of the response.
    ///
    /// - Returns: Whether an exchange with this response may be long-lived.
    func mayLast(withResponse response: UnsafeBufferPointer<EnvoyLine>, at now: Timestamp) -> Bool {
        self.answeredAt = now
        return switch self.kind {
        case .call: true
        case .webSocket:
            unsafe response.contains {
                unsafe $0.key.elementsEqual(":status".utf8) && $0.value.elementsEqual("101".utf8)
            }
        case .eventStream:
            unsafe response.contains {
                unsafe $0.key.elementsEqual("content-type".utf8)
                    && $0.value.span.isMediaType(EventStream.mediaType)
            }
        }
    }

    /// Returns whether the request must be evaluated again before the exchange carries more data.
    func isOutdated(_ generation: Int, _ verdict: EnvoyVerdict, now: () -> Timestamp) -> Bool {
        guard self.generation != generation || !verdict.isValid(now) else { return false }
        guard self.kind == .call else { return self.answeredAt != nil }
        return self.grace.map { !$0.contains(now()) } ?? true
    }

    /// The period in which the response to a unary call is expected to be complete.
    ///
    /// `nil` before the response starts, and for exchanges that are not calls.
    var grace: UnaryGrace? { self.kind == .call ? self.answeredAt.map(UnaryGrace.init) : nil }

    /// Evaluates the request again, and returns the new verdict.
    func verdict(
        by rules: ThreadRules,
        address: () -> String
    ) -> (EnvoyVerdict, ThreadRules.Facts) {
        self.generation = rules.generation
        return unsafe rules.verdict(
            on: self.lines,
            endsWithHead: self.endsWithHead,
            path: self.path,
            address: address
        )
    }
}

/// The period after the start of a gRPC response in which a unary call is expected to complete.
///
/// If a unary call were denied in this period, the client would assume that the backend has not executed the call. For
/// this reason, no call is evaluated again in this period, which lasts more than a second. A held denial waits for the
/// request body for an equally long period.
struct UnaryGrace: Sendable {
    let start: Timestamp

    /// The first second after the period.
    var end: Timestamp { Timestamp(secondsSinceEpoch: self.start.secondsSinceEpoch + 2) }

    /// Returns whether a time is in the period; `false` if the clock was set back to before the start.
    func contains(_ now: Timestamp) -> Bool { self.start <= now && now < self.end }
}

/// Server-sent events (HTML, section 9.2).
enum EventStream {
    static let mediaType: StaticString = "text/event-stream"
}
