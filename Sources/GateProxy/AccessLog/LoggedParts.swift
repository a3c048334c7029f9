import GatePolicy
import GateWire

/// The ranges of the logged parts of a request head.
struct LoggedParts {
    let method: Range<Int>
    /// The path without the query, because queries often contain secrets.
    let path: Range<Int>
    let version: Version
    /// The URL of the last `Referer` field, without its query.
    private(set) var referer: Range<Int>?
    /// The value of the last `User-Agent` field.
    private(set) var userAgent: Range<Int>?
    /// The trace context from the last valid `traceparent` field or, if there is none, from the B3 fields.
    private(set) var trace: TraceContext?
    /// The ranges of the identity values, which can be copied to log lines verbatim if `hasPlainClient` is true.
    private(set) var client = ClientClasses.StatedPlaces()
    private(set) var hasPlainClient: Bool

    enum Version {
        case http10
        case http11
        case http2
    }

    /// Finds the parts in a single pass over the header fields.
    ///
    /// If the identity must be parsed for each request, `verdict` maps each identity field to a part of the identity.
    init(
        of head: borrowing RequestHead,
        in bytes: Span<UInt8>,
        isHTTP2: Bool,
        verdict: Verdict
    ) {
        self.method = head.methodStart..<head.methodEnd
        self.path = bytes.path(head.target.start..<head.target.end)
        self.version = isHTTP2 ? .http2 : head.minorVersion == 0 ? .http10 : .http11
        let identityParts = verdict.identityParts
        let lines = head.fields.lines.span
        var (b3, traceID, spanID): (Range<Int>?, Range<Int>?, Range<Int>?)
        for index in lines.indices {
            let start = lines[index].start
            if case .identity(let header) = lines[index].role, header < identityParts.count {
                self.client.set(identityParts[Int(header)], lines[index].value)
            }
            // The length of the name rules out nearly all other fields.
            switch lines[index].nameEnd &- start {
            case 7 where bytes.holdsToken("referer", at: start):
                self.referer = bytes.path(lines[index].value)
            case 10 where bytes.holdsToken("user-agent", at: start):
                self.userAgent = lines[index].value
            case 11 where bytes.holdsToken("traceparent", at: start):
                let trace = TraceContext(traceparent: lines[index].value, in: bytes)
                self.trace = trace ?? self.trace
            case 2 where bytes.holdsToken("b3", at: start):
                b3 = lines[index].value
            case 12 where bytes.holdsToken("x-b3-traceid", at: start):
                traceID = lines[index].value
            case 11 where bytes.holdsToken("x-b3-spanid", at: start):
                spanID = lines[index].value
            default: break
            }
        }
        if self.trace == nil, let b3 {
            self.trace = TraceContext(b3: b3, in: bytes)
        }
        if self.trace == nil, let traceID, let spanID {
            self.trace = TraceContext(traceID, spanID, in: bytes)
        }
        self.hasPlainClient = false
        guard !identityParts.isEmpty else { return }
        self.hasPlainClient =
            bytes.extracting(self.client.app).isPlainLogText
            && self.client.describe(in: bytes)
    }
}

extension ClientClasses.StatedPlaces {
    fileprivate mutating func set(_ part: IdentityPart?, _ place: Range<Int>) {
        switch part {
        case .app: self.app = place
        case .platform: self.platform = place
        case .version: self.version = place
        case .build: self.build = place
        case .channel, .osVersion, .device, .languages, .country, .storefront, nil: break
        }
    }
}

extension Span<UInt8> {
    /// Returns the part of a URL before its query.
    fileprivate func path(_ address: Range<Int>) -> Range<Int> {
        let query = self.extracting(address).position(of: ASCII.questionMark, from: 0)
        return query.map { address.lowerBound..<(address.lowerBound + $0) } ?? address
    }
}
