package import GatePolicy

/// Whether a client of the census is one of the old ones.
package struct SunsetFilter: Sendable {
    /// A kind of client.
    enum Standing: Sendable, Equatable {
        /// An old version, as its clients write it.
        case old(String)
        /// Clients without a readable version, which may be old or new.
        case unversioned
        /// Requests of which only the number is known.
        case unknown
        /// Another version, app or platform.
        case other
    }

    private let bound: AppVersion
    private let isWanted: @Sendable (CensusClient) -> Bool
    private var known: [String: Bool?] = [:]

    /// Creates a filter for the versions below one of them; a pre-release counts as the release that it leads to.
    package init(
        below bound: AppVersion,
        isWanted: @escaping @Sendable (CensusClient) -> Bool = { _ in true }
    ) {
        self.bound = bound
        self.isWanted = isWanted
    }

    /// The version of a cell, as its clients write it; `nil`: it is not an old one.
    mutating func version(of cell: CensusCell) -> String? {
        if case .old(let version) = self.standing(of: cell) { version } else { nil }
    }

    mutating func standing(of cell: CensusCell) -> Standing {
        guard let client = cell.client else { return .unknown }
        guard self.isWanted(client) else { return .other }
        guard let text = client.version.text, let isBelow = self.isBelow(text) else {
            return .unversioned
        }
        return isBelow ? .old(text) : .other
    }

    /// - Returns: `nil` if the text is no version.
    private mutating func isBelow(_ text: String) -> Bool? {
        if let known = self.known[text] { return known }
        let isBelow = (try? AppVersion(parsing: text)).map { $0.release < self.bound }
        self.known[text] = .some(isBelow)
        return isBelow
    }
}
