import GateWire
import NIOCore

/// A relay that tracks the request body: its end, its size so far, and the form in which it is forwarded.
///
/// In HTTP/1.1, the relay parses the message framing to find the end of the body. In HTTP/2, a frame marks the end of
/// the body, so the relay only counts the bytes.
///
/// Read-only members are inlined, because a connection would otherwise copy the whole relay to call them.
struct RequestBodyRelay {
    /// The form in which the body is forwarded.
    private enum Form {
        /// The body keeps the client's framing, without chunk extensions.
        case asReceived
        /// The content gets new framing for the HTTP version of the backend connection.
        ///
        /// A retried request keeps this form on any connection, because the first chunk headers are gone. `sent` is the
        /// content that was sent to a backend that can still refuse the request.
        case content(sent: SentContent?)
    }

    /// The reader for the part that has not been read.
    private var reader = BodyReader.none
    private var form = Form.asReceived
    /// The number of bytes of content that have been read.
    private(set) var byteCount: UInt64 = 0
    /// The trailer fields that have been read.
    private(set) var trailers: HeaderList?
    /// Whether the rest of the body is read into large buffers.
    var usesLargeReads = false

    // Inlined, so that a new value is written in place.
    @inline(__always)
    init() {}

    /// Sets the framing of the request's body.
    @inline(__always)
    mutating func begin(_ framing: BodyFraming) {
        self.reader = BodyReader(framing)
    }

    /// Whether the client sends the body without announcing its length.
    @inline(__always)
    var isChunked: Bool {
        if case .chunked = self.reader { true } else { false }
    }

    /// Returns whether at least `count` more bytes are expected.
    ///
    /// If the length is unknown, the remaining part is assumed to be at least as long as the part that has been read.
    @inline(__always)
    func expects(_ count: Int) -> Bool {
        if case .length(let remaining) = self.reader { return remaining >= count }
        return self.byteCount >= count
    }
}

/// Methods that read the body.
extension RequestBodyRelay {
    /// The reason why a request is rejected because of its body.
    enum Fault: Error, Equatable {
        case tooLarge
        case malformed(MessageFault)
    }

    enum ReadAction: Equatable {
        /// Forward the bytes, which may be empty.
        ///
        /// `consumed` is the number of input bytes from which the bytes were read.
        case pass(ByteBuffer, consumed: Int)
        /// Forward the last bytes of the body.
        case passLast(ByteBuffer, consumed: Int)
        case refuse(Fault)
        /// Close the connection, because the client closed its write side before the end of the body.
        case close
    }

    /// Checks the first bytes of a chunked body.
    ///
    /// `trailerFields` contains the fields that are not allowed in the trailer section, and `limit` is the maximum size
    /// of the content in bytes.
    ///
    /// - Returns: The reason to reject the request; `nil` if there is no reason so far.
    @inline(__always)
    func fault(
        in inbound: ByteBuffer,
        trailerFields: FieldNameTable,
        limit: UInt64?
    ) -> Fault? {
        guard case .chunked(var scanner) = self.reader, inbound.readableBytes > 0 else {
            return nil
        }
        var count: UInt64 = 0
        let progress = scanner.consume(
            inbound.readableBytesUInt8Span,
            trailerFields: trailerFields,
            onData: { start, end in count += UInt64(end - start) }
        )
        if Self.exceeds(count, limit) { return .tooLarge }
        if case .malformed(let fault) = progress { return .malformed(fault) }
        return nil
    }

    /// Reads the next bytes of the body with the client's framing.
    ///
    /// `inputClosed` indicates whether the client has closed its write side.
    mutating func readFramed(
        _ inbound: ByteBuffer,
        trailerFields: FieldNameTable,
        limit: UInt64?,
        inputClosed: Bool
    ) -> ReadAction {
        var count: UInt64 = 0
        var extensions: [Range<Int>] = []
        let progress = self.reader.consume(
            inbound.readableBytesUInt8Span,
            trailerFields: trailerFields,
            onData: { start, end in count += UInt64(end - start) },
            onExtension: { start, end in extensions.append(start..<end) }
        )
        self.byteCount += count
        guard !Self.exceeds(self.byteCount, limit) else { return .refuse(.tooLarge) }
        switch progress {
        case .more where inputClosed: return .close
        case .more(let consumed):
            let bytes = inbound.slice(of: consumed, without: extensions) ?? ByteBuffer()
            return .pass(bytes, consumed: consumed)
        case .end(let consumed):
            let bytes = inbound.slice(of: consumed, without: extensions) ?? ByteBuffer()
            return .passLast(bytes, consumed: consumed)
        case .malformed(let fault): return .refuse(.malformed(fault))
        }
    }

    /// Reads the next bytes of the body without HTTP/1.1 framing.
    mutating func readContent(
        _ inbound: ByteBuffer,
        trailerFields: FieldNameTable,
        limit: UInt64?,
        inputClosed: Bool
    ) -> ReadAction {
        let action =
            self.isChunked
            ? self.readChunks(inbound, trailerFields, limit, inputClosed)
            : self.readFramed(
                inbound,
                trailerFields: trailerFields,
                limit: limit,
                inputClosed: inputClosed
            )
        switch action {
        case .pass(let content, _), .passLast(let content, _): self.keep(content)
        case .refuse, .close: break
        }
        return action
    }

    private mutating func readChunks(
        _ inbound: ByteBuffer,
        _ trailerFields: FieldNameTable,
        _ limit: UInt64?,
        _ inputClosed: Bool
    ) -> ReadAction {
        let bytes = inbound.readableBytesUInt8Span
        var count: UInt64 = 0
        var content = ByteBuffer()
        var trailers = self.trailers.take()
        let progress = self.reader.consume(
            bytes,
            trailerFields: trailerFields,
            onData: { start, end in
                count += UInt64(end - start)
                content.write(bytes, from: start, to: end)
            },
            onTrailer: { line in
                var list = trailers.take() ?? HeaderList()
                list.append(line, in: bytes)
                trailers = list
            }
        )
        self.trailers = trailers
        self.byteCount += count
        guard !Self.exceeds(self.byteCount, limit) else { return .refuse(.tooLarge) }
        switch progress {
        case .more where inputClosed: return .close
        case .more(let consumed): return .pass(content, consumed: consumed)
        case .end(let consumed): return .passLast(content, consumed: consumed)
        case .malformed(let fault): return .refuse(.malformed(fault))
        }
    }

    /// Handles content from an HTTP/2 client.
    ///
    /// - Returns: Whether the body is within the limit.
    mutating func receive(_ content: ByteBuffer, limit: UInt64?) -> Bool {
        self.byteCount += UInt64(content.readableBytes)
        guard !Self.exceeds(self.byteCount, limit) else { return false }
        self.keep(content)
        return true
    }

    /// Stores the trailer fields from an HTTP/2 client.
    mutating func receive(trailers: HeaderList) {
        self.trailers = trailers
    }

    private static func exceeds(_ count: UInt64, _ limit: UInt64?) -> Bool {
        limit.map { count > $0 } ?? false
    }
}

/// Methods that forward the body.
extension RequestBodyRelay {
    /// Whether the body is forwarded as content, with new framing.
    @inline(__always)
    var passesContent: Bool {
        if case .content = self.form { true } else { false }
    }

    /// Whether all content that has been sent can be sent again.
    @inline(__always)
    var isResendable: Bool {
        if case .content(let sent?) = self.form { !sent.isTooLong } else { true }
    }

    /// Starts forwarding the body as content, which is kept until the backend has accepted the request.
    mutating func beginContent() {
        self.form = .content(sent: SentContent())
    }

    /// Removes and returns the content that was sent to a backend that has refused the request.
    mutating func takeSent() -> ByteBuffer? {
        guard case .content(let sent?) = self.form else { return nil }
        self.form = .content(sent: nil)
        return sent.bytes
    }

    /// Discards the content that was sent, because a backend that responds has not refused the request.
    @inline(__always)
    mutating func dropSent() {
        guard case .content(.some) = self.form else { return }
        self.form = .content(sent: nil)
    }

    /// Keeps content that is about to be sent, for a retry if the backend refuses the request.
    mutating func keep(_ content: ByteBuffer) {
        guard case .content(var sent?) = self.form else { return }
        // While `form` holds no reference to the buffer, the bytes are appended in place.
        self.form = .content(sent: nil)
        sent.append(content)
        self.form = .content(sent: sent)
    }

    /// Writes content for an HTTP/1.1 backend as a chunk.
    ///
    /// `isLast` indicates whether only trailer fields, if any, follow.
    func writeChunk(_ content: ByteBuffer, isLast: Bool, into chunk: inout ByteBuffer) {
        let trailers = isLast ? self.trailers : nil
        chunk.writeChunk(content, isLast: isLast && trailers == nil)
        if let trailers { chunk.writeLastChunk(trailers: trailers) }
    }
}

/// Methods that discard the body.
extension RequestBodyRelay {
    /// Returns the number of bytes up to the end of the body, or `nil` if the body is incomplete or malformed.
    @inline(__always)
    func countToEnd(in inbound: ByteBuffer, trailerFields: FieldNameTable) -> Int? {
        var reader = self.reader
        let bytes = inbound.readableBytesUInt8Span
        guard case .end(let consumed) = reader.consume(bytes, trailerFields: trailerFields) else {
            return nil
        }
        return consumed
    }

    /// Reads and discards the next bytes of a body that is not forwarded.
    mutating func discard(
        _ inbound: ByteBuffer,
        trailerFields: FieldNameTable
    ) -> ChunkedScanner.Progress {
        self.reader.consume(inbound.readableBytesUInt8Span, trailerFields: trailerFields)
    }
}

extension GateAnswer {
    /// Creates the response to a request that is rejected because of its body.
    init(_ fault: RequestBodyRelay.Fault) {
        switch fault {
        case .tooLarge: self = .contentTooLarge
        case .malformed(let fault): self.init(fault)
        }
    }
}

/// The content that was sent to an HTTP/2 backend, kept for a retry.
///
/// The content is sent again if the backend reports that it has not processed the request (RFC 9113 section 8.7).
struct SentContent {
    /// The maximum number of bytes to keep.
    private static let limit = 64 * 1024

    private(set) var bytes = ByteBuffer()
    /// Whether the content exceeds the limit and is no longer kept.
    private(set) var isTooLong = false

    mutating func append(_ content: ByteBuffer) {
        guard !self.isTooLong else { return }
        guard self.bytes.readableBytes + content.readableBytes <= Self.limit else {
            self.isTooLong = true
            self.bytes = ByteBuffer()
            return
        }
        // Copied, because a slice would retain the whole receive buffer.
        self.bytes.writeImmutableBuffer(content)
    }
}
