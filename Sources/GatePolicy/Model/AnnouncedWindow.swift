/// A time that clients are told of before it comes.
protocol AnnouncedWindow {
    /// The first second of it.
    var from: Timestamp { get }
    /// The first second after it.
    var until: Timestamp { get }
}

extension AnnouncedWindow {
    /// The one of two windows that a client has to know of: the one that begins first; of two that
    /// begin together, the one that ends last.
    static func next(_ known: Self?, _ other: Self) -> Self {
        guard let known else { return other }
        guard known.from == other.from else { return known.from < other.from ? known : other }
        return known.until >= other.until ? known : other
    }
}
