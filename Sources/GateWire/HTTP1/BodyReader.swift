/// A reader that finds the end of a message body, whatever its framing.
package enum BodyReader: Equatable, Sendable {
    case none
    case length(remaining: UInt64)
    case chunked(ChunkedScanner)
    case untilClose

    package init(_ framing: BodyFraming) {
        self =
            switch framing {
            case .none: .none
            case .length(let length): .length(remaining: length)
            case .chunked: .chunked(ChunkedScanner())
            case .untilClose: .untilClose
            }
    }

    /// Reads further bytes, starting at the first byte that no earlier call has consumed.
    ///
    /// The parameters are those of `ChunkedScanner.consume`.
    package mutating func consume(
        _ bytes: Span<UInt8>,
        trailerFields: FieldNameTable,
        onData: (Int, Int) -> Void = { _, _ in },
        onExtension: (Int, Int) -> Void = { _, _ in },
        onTrailer: (FieldLine) -> Void = { _ in }
    ) -> ChunkedScanner.Progress {
        switch self {
        case .none:
            return .end(consumed: 0)
        case .length(let remaining):
            if UInt64(bytes.count) < remaining {
                self = .length(remaining: remaining - UInt64(bytes.count))
                onData(0, bytes.count)
                return .more(consumed: bytes.count)
            }
            self = .none
            onData(0, Int(remaining))
            return .end(consumed: Int(remaining))
        case .chunked(var scanner):
            let progress = scanner.consume(
                bytes,
                trailerFields: trailerFields,
                onData: onData,
                onExtension: onExtension,
                onTrailer: onTrailer
            )
            self = .chunked(scanner)
            return progress
        case .untilClose:
            onData(0, bytes.count)
            return .more(consumed: bytes.count)
        }
    }
}
