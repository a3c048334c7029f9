/// The limit on the header sections that are read from one connection before other connections are served.
///
/// If all fields of a request are HPACK table indices, hundreds of requests can arrive in one read.
struct HTTP2Turn {
    private enum State {
        case reading(sections: Int)
        /// The remaining frames wait for the next batch.
        case waiting
    }

    private var state = State.reading(sections: 0)

    /// The maximum number of header sections per batch of frames.
    static let maxSections = 16

    /// Whether no more frames are read in this batch.
    @inline(__always)
    var isOver: Bool {
        switch self.state {
        case .reading(let sections): sections >= Self.maxSections
        case .waiting: true
        }
    }

    /// Whether the next batch is scheduled.
    @inline(__always)
    var isWaiting: Bool {
        if case .waiting = self.state { true } else { false }
    }

    /// Counts a header section.
    @inline(__always)
    mutating func readSection() {
        guard case .reading(let sections) = self.state else { return }
        self.state = .reading(sections: sections + 1)
    }

    /// Ends the batch.
    ///
    /// - Returns: Whether the next batch has to be scheduled.
    mutating func end(isClosing: Bool) -> Bool {
        switch self.state {
        case .waiting: return false
        case .reading(let sections) where sections >= Self.maxSections && !isClosing:
            self.state = .waiting
            return true
        case .reading:
            self.state = .reading(sections: 0)
            return false
        }
    }

    /// Starts the next batch.
    mutating func begin() {
        self.state = .reading(sections: 0)
    }
}
