import GatePolicy
import GateWire
import NIOCore

/// An encoder that writes a request head for an HTTP/2 backend as a header block (RFC 9113 sections 8.2 and 8.3.1).
package struct RequestBlockWriter {
    private let request: ForwardedRequest
    private let isSecure: Bool
    private let added: AddedFields?

    /// Creates an encoder for a request.
    ///
    /// `isSecure` indicates whether the backend connection uses TLS.
    package init(_ request: ForwardedRequest, isSecure: Bool) {
        self.request = request
        self.isSecure = isSecure
        let received = request.bytes
        self.added = request.added(in: received.readableBytesUInt8Span)
    }

    /// The maximum number of fields, including pseudo-header fields.
    package var maxFields: Int { self.request.head.fields.lines.count + Self.mostAdded }

    /// The maximum total size of names and values in bytes.
    package var maxBytes: Int { self.request.mostBytes + (self.added?.byteCount ?? 0) }

    package func write(into block: inout OutputRawSpan) {
        let request = self.request
        let received = request.bytes
        let bytes = received.readableBytesUInt8Span
        Self.writeTarget(of: request, bytes, isSecure: self.isSecure, into: &block)
        Self.writeClientFields(of: request, bytes, into: &block)
        if let left = request.maxForwards { Self.write("max-forwards", "\(left)", into: &block) }
        // `TE` is added again for the next hop, because the gate forwards trailers (RFC 9110 section 10.1.4).
        if request.facts.acceptsTrailers { Self.write("te", "trailers", into: &block) }
        Self.writeForwarded(of: request, bytes, into: &block)
        if let requestID = request.requestID {
            Self.begin("x-request-id", valueCount: 32, into: &block)
            requestID.write(into: &block)
        }
        self.added?.forEach(in: bytes) { name, value in
            HPACKWriter.beginField(name, valueCount: value.count, into: &block)
            block.write(value, from: 0, to: value.count)
        }
        block.writeBytes(request.verdict.upstreamFields.block)
    }

    /// The maximum number of fields that are added to the client's fields, including pseudo-header fields.
    private static let mostAdded = 16

    private static func writeTarget(
        of request: ForwardedRequest,
        _ bytes: Span<UInt8>,
        isSecure: Bool,
        into block: inout OutputRawSpan
    ) {
        let head = request.head
        if head.method("GET", in: bytes) {
            HPACKWriter.writeIndexed(2, into: &block)
        } else if head.method("POST", in: bytes) {
            HPACKWriter.writeIndexed(3, into: &block)
        } else {
            let method = bytes.extracting(head.methodStart..<head.methodEnd)
            self.write(name: 2, method, into: &block)
        }
        HPACKWriter.writeIndexed(isSecure ? 7 : 6, into: &block)
        if let host = request.host {
            // An empty authority is malformed (RFC 9113 section 8.3.1).
            if !host.isEmpty { self.write(name: 1, bytes.extracting(host), into: &block) }
        } else {
            self.write(":authority", request.upstreamAuthority, into: &block)
        }
        self.begin(":path", valueCount: head.originFormCount(in: bytes), into: &block)
        head.writeOriginForm(bytes, into: &block)
    }

    private static func write(
        name index: Int,
        _ value: Span<UInt8>,
        into block: inout OutputRawSpan
    ) {
        HPACKWriter.writeField(name: index, value, from: 0, to: value.count, into: &block)
    }

    private static func writeClientFields(
        of request: ForwardedRequest,
        _ bytes: Span<UInt8>,
        into block: inout OutputRawSpan
    ) {
        for line in request.head.fields.lines where request.passes(line, in: bytes) {
            switch line.role {
            // The host becomes `:authority`, and HTTP/2 has its own framing.
            case .host, .transferEncoding: continue
            case .other, .connection, .contentLength, .expect, .upgrade, .origin, .contentType,
                .accept, .requestID, .accessControlRequestMethod, .maxForwards, .forwarded, .te,
                .hopByHop, .gateOwned, .identity, .dialect:
                HPACKWriter.writeField(bytes, line, into: &block)
            }
        }
    }

    private static func writeForwarded(
        of request: ForwardedRequest,
        _ bytes: Span<UInt8>,
        into block: inout OutputRawSpan
    ) {
        self.begin("x-forwarded-for", valueCount: request.addressCount, into: &block)
        request.writeAddresses(bytes, into: &block)
        if request.addsForwardedProto {
            self.write(
                "x-forwarded-proto",
                request.origin.isSecure ? "https" : "http",
                into: &block
            )
        }
        guard let host = request.forwardedHost else { return }
        self.begin("x-forwarded-host", valueCount: host.count, into: &block)
        block.write(bytes, from: host.lowerBound, to: host.upperBound)
    }

    private static func write(
        _ name: StaticString,
        _ value: String,
        into block: inout OutputRawSpan
    ) {
        self.begin(name, valueCount: value.utf8.count, into: &block)
        block.writeString(value)
    }

    private static func begin(
        _ name: StaticString,
        valueCount: Int,
        into block: inout OutputRawSpan
    ) {
        name.withUTF8Buffer { name in
            unsafe HPACKWriter.beginField(name.span, valueCount: valueCount, into: &block)
        }
    }
}
