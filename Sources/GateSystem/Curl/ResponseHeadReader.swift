internal import GatePolicy

/// Assembles a response head from the lines that libcurl delivers.
///
/// Interim responses (1xx) before the head and trailer fields after the body are ignored.
struct ResponseHeadReader {
    enum Action: Equatable {
        case wait
        case deliver(ResponseHead)
        /// The head exceeds `limit`.
        case fail
    }

    /// The maximum total size in bytes of a response's status, header and trailer lines, including
    /// those of interim responses.
    static let limit = 64 << 10

    private enum State {
        case idle
        case reading(status: Int, fields: [HeaderField])
        case done
    }

    private var state = State.idle
    private var size = 0

    /// Processes a line, including its line break.
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
    /// The string without leading or trailing whitespace or line breaks.
    fileprivate var trimmed: String {
        let isBlank: (UInt8) -> Bool = { [0x20, 0x09, 0x0D, 0x0A].contains($0) }
        let rest = self.utf8.drop(while: isBlank)
        let end = rest.lastIndex { !isBlank($0) }.map { rest.index(after: $0) }
        return String(decoding: rest[..<(end ?? rest.startIndex)], as: UTF8.self)
    }
}
