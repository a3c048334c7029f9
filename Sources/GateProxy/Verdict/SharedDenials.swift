/// Whether any shared denials are cached, and whether to expect another denial.
enum SharedDenials: Equatable {
    /// No shared denial is cached.
    case none
    /// At least one shared denial is cached.
    ///
    /// `inARow` is the number of consecutive requests that were denied, up to `expected`.
    case cached(inARow: Int)

    /// The number of consecutive denials after which another denial is expected.
    static let expected = 2

    var isCached: Bool {
        if case .cached = self { true } else { false }
    }

    /// Whether the next request will probably also be denied.
    var expectsDenial: Bool {
        if case .cached(let inARow) = self { inARow >= Self.expected } else { false }
    }

    /// Records that a shared denial was added to the cache.
    mutating func add() {
        if case .none = self { self = .cached(inARow: 0) }
    }

    /// Records the result of a request whose client belongs to a class.
    mutating func count(isDenied: Bool) {
        guard case .cached(let inARow) = self else { return }
        self = .cached(inARow: isDenied ? Swift.min(inARow + 1, Self.expected) : 0)
    }
}
