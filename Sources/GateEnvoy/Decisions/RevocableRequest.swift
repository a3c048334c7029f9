import CEnvoyModule
import GatePolicy

/// A request whose exchange may be long-lived: a WebSocket, an event stream, or a gRPC call.
///
/// The head is kept as it arrived, so that it can be evaluated again: filters and routes change the head in Envoy before
/// it is forwarded.
@safe
final class RevocableRequest {
    enum Kind {
        case webSocket
        case eventStream
        case call
    }

    private let kind: Kind
    private let endsWithHead: Bool
    /// Whether the route of the request observes.
    let isObserved: Bool
    /// The path that the rules are evaluated for; `nil` for the request's own.
    private let path: [UInt8]?
    private let bytes: UnsafeMutableBufferPointer<UInt8>
    private let storage: UnsafeMutableBufferPointer<EnvoyLine>
    /// The generation of the rules that the request was last evaluated against.
    private(set) var generation: Int
    /// The second at which the response started.
    private var answeredAt: Timestamp?

    /// Keeps a copy of the lines of a head, with the rest that its evaluation depends on.
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

    /// Notes that the response has started.
    ///
    /// - Returns: Whether the exchange may be long-lived with such a response.
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

    /// Whether the request must be evaluated again before more of its exchange passes.
    func isOutdated(_ generation: Int, _ verdict: EnvoyVerdict, now: () -> Timestamp) -> Bool {
        guard self.generation != generation || !verdict.isValid(now) else { return false }
        guard self.kind == .call else { return self.answeredAt != nil }
        return self.grace.map { !$0.contains(now()) } ?? true
    }

    /// The period in which the response to a call must be complete; `nil` before the response starts, and for other
    /// exchanges.
    var grace: UnaryGrace? { self.kind == .call ? self.answeredAt.map(UnaryGrace.init) : nil }

    /// Evaluates the request again.
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

/// The time in seconds in which the response to a unary call is expected to arrive.
///
/// If such a call ended now, the client would assume that the backend had not executed it. Therefore, the messages of
/// all calls pass until the response is more than a second old.
struct UnaryGrace: Sendable {
    let start: Timestamp

    /// The first second after this time.
    var end: Timestamp { Timestamp(secondsSinceEpoch: self.start.secondsSinceEpoch + 2) }

    /// A clock that is set back ends it.
    func contains(_ now: Timestamp) -> Bool { self.start <= now && now < self.end }
}

/// Server-sent events (HTML, section 9.2).
enum EventStream {
    static let mediaType: StaticString = "text/event-stream"
}
