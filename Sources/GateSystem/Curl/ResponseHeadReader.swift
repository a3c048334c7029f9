internal import GatePolicy

/// Puts a head together from the lines that libcurl hands over one by one.
///
/// Interim answers (1xx) come in front of the head and trailers behind the body; neither counts.
struct ResponseHeadReader {
    enum Action: Equatable {
        case wait
        case deliver(ResponseHead)
        /// The head is longer than any source needs.
        case fail
    }

    /// The most bytes of all lines of an answer, interim answers and trailers included.
    static let limit = 64 << 10

    private enum State {
        case idle
        case reading(status: Int, fields: [HeaderField])
        case done
    }

    private var state = State.idle
    private var size = 0

    /// Takes one line with its line break.
    mutating func receive(_ line: [UInt8]) -> Action {
        self.size += line.count
        guard self.size <= Self.limit else { return .fail }
        let text = String(decoding: line, as: UTF8.self).trimmed
        switch self.state {
        case .idle:
            self.state = Self.status(of: text).map { .reading(status: $0, fields: []) } ?? .idle
            return .wait
        case .reading(let status, let fields) where text.isEmpty:
            guard status >= 200 else {
                self.state = .idle
                return .wait
            }
            self.state = .done
            return .deliver(ResponseHead(status: status, fields: fields))
        case .reading(let status, let fields):
            let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2 else { return .wait }
            let field = HeaderField(name: String(parts[0]), value: String(parts[1]).trimmed)
            self.state = .reading(status: status, fields: fields + [field])
            return .wait
        case .done:
            return .wait
        }
    }

    private static func status(of line: String) -> Int? {
        guard line.hasPrefix("HTTP/") else { return nil }
        return line.split(separator: " ").dropFirst().first.flatMap { Int($0) }
    }
}

extension String {
    /// The text without blanks and line breaks around it.
    fileprivate var trimmed: String {
        let isBlank: (UInt8) -> Bool = { [0x20, 0x09, 0x0D, 0x0A].contains($0) }
        let rest = self.utf8.drop(while: isBlank)
        let end = rest.lastIndex { !isBlank($0) }.map { rest.index(after: $0) }
        return String(decoding: rest[..<(end ?? rest.startIndex)], as: UTF8.self)
    }
}
