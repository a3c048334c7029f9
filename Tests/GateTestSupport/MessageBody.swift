/// The framing of a message's body.
package enum BodyFraming: Sendable, Equatable {
    case none
    case length(Int)
    case chunked
    case untilClose

    /// Returns the framing that the fields specify for a request, or for a response that can have a
    /// body.
    package init(fields: FieldLines, otherwise: BodyFraming) {
        if fields.tokens("Transfer-Encoding").contains("chunked") {
            self = .chunked
        } else if let length = fields["Content-Length"].first.flatMap({ Int($0) }) {
            self = .length(length)
        } else {
            self = otherwise
        }
    }
}

/// The end of a body that was read.
package struct BodyEnd: Sendable, Equatable {
    /// Whether the body ended as its framing specifies.
    package var isComplete: Bool
    package var trailers = FieldLines()
}

extension ByteStream {
    /// Reads a body in parts, and passes each part to a closure.
    package func body(
        _ framing: BodyFraming,
        by deadline: Deadline,
        into sink: ([UInt8]) throws -> Void
    ) throws -> BodyEnd {
        switch framing {
        case .none:
            return BodyEnd(isComplete: true)
        case .length(let length):
            return BodyEnd(isComplete: try self.counted(length, by: deadline, into: sink))
        case .untilClose:
            while case let some = try self.some(upTo: 65_536, by: deadline), !some.isEmpty {
                try sink(some)
            }
            return BodyEnd(isComplete: self.ending == .closed)
        case .chunked:
            return try self.chunks(by: deadline, into: sink)
        }
    }

    private func counted(
        _ length: Int,
        by deadline: Deadline,
        into sink: ([UInt8]) throws -> Void
    ) throws -> Bool {
        var left = length
        while left > 0 {
            let some = try self.some(upTo: left, by: deadline)
            if some.isEmpty {
                return false
            }
            try sink(some)
            left -= some.count
        }
        return true
    }

    private func chunks(
        by deadline: Deadline,
        into sink: ([UInt8]) throws -> Void
    ) throws -> BodyEnd {
        while let line = try self.line(by: deadline) {
            let digits = line.prefix { $0 != ";" && $0 != " " }
            guard let size = Int(digits, radix: 16), size >= 0 else { break }
            if size == 0 {
                return try self.trailers(by: deadline)
            }
            guard try self.counted(size, by: deadline, into: sink),
                try self.line(by: deadline) == ""
            else { break }
        }
        return BodyEnd(isComplete: false)
    }

    private func trailers(by deadline: Deadline) throws -> BodyEnd {
        var trailers = FieldLines()
        while let line = try self.line(by: deadline) {
            if line.isEmpty {
                return BodyEnd(isComplete: true, trailers: trailers)
            }
            trailers.append(line)
        }
        return BodyEnd(isComplete: false, trailers: trailers)
    }
}
