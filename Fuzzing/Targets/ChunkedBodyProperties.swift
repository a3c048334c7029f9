import GateWire
import NIOCore
import NIOEmbedded
import NIOHTTP1

/// Properties of any bytes as a chunked body.
struct ChunkedBodyProperties {
    private enum Outcome: Equatable {
        case end(consumed: Int, content: [UInt8])
        case more(content: [UInt8])
        case malformed
    }

    private let input: [UInt8]
    private let whole: Outcome

    init(_ input: [UInt8]) {
        self.input = input
        self.whole = Self.read(input, endingAt: [input.count])
    }

    func check() throws(Finding) {
        for ends in Splits(self.input) {
            let outcome = Self.read(self.input, endingAt: ends)
            try expect(outcome, is: self.whole, "in pieces \(ends)")
        }
        switch self.whole {
        case .end(let consumed, let content):
            try self.checkEnd(consumed)
            try self.checkPeer(consumed, content)
        case .more, .malformed: break
        }
    }

    /// Reads a body in pieces; bytes that a call does not consume are passed to the next one.
    private static func read(_ bytes: [UInt8], endingAt ends: [Int]) -> Outcome {
        var reader = BodyReader(.chunked)
        var start = 0
        var content: [UInt8] = []
        for end in ends {
            let piece = bytes.span.extracting(start..<end)
            var ranges: [Range<Int>] = []
            let progress = reader.consume(piece, trailerFields: RequestHeadPeer.table) {
                ranges.append($0..<$1)
            }
            for range in ranges {
                content += bytes[start + range.lowerBound..<start + range.upperBound]
            }
            switch progress {
            case .more(let consumed): start += consumed
            case .end(let consumed): return .end(consumed: start + consumed, content: content)
            case .malformed: return .malformed
            }
        }
        return .more(content: content)
    }

    /// Checks that the end of the body does not depend on the bytes after it.
    private func checkEnd(_ consumed: Int) throws(Finding) {
        let body = Array(self.input[..<consumed])
        try expect(Self.read(body, endingAt: [consumed]), is: self.whole, "without what follows")
        let begun = Self.read(body, endingAt: [consumed - 1])
        guard case .more = begun else { throw Finding("without its last byte: \(begun)") }
    }

    /// Checks that NIO, if it accepts the body, finds the same content and end.
    private func checkPeer(_ consumed: Int, _ content: [UInt8]) throws(Finding) {
        guard let read = Self.nio(Array(self.input[..<consumed])) else { return }
        try expect(read, is: content, "the content to NIO")
    }

    /// Returns the content according to NIO; `nil` if NIO rejects the body.
    private static func nio(_ body: [UInt8]) -> [UInt8]? {
        let channel = EmbeddedChannel()
        defer { _ = try? channel.finish(acceptAlreadyClosed: true) }
        let head = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
        var content: [UInt8] = []
        do {
            try channel.pipeline.syncOperations.addHandler(
                ByteToMessageHandler(HTTPRequestDecoder(leftOverBytesStrategy: .dropBytes))
            )
            try channel.writeInbound(ByteBuffer(bytes: Array(head.utf8) + body))
            while let part = try channel.readInbound(as: HTTPServerRequestPart.self) {
                switch part {
                case .head: break
                case .body(let bytes): content += bytes.readableBytesView
                case .end: return content
                }
            }
        } catch {
            return nil
        }
        // NIO waits for more bytes after the end that the gate has found, so the results must differ.
        return content + [0]
    }
}
