package import GatePolicy

/// Selects the clients in the census that have old versions.
package struct SunsetFilter: Sendable {
    /// The kind of client.
    enum Standing: Sendable, Equatable {
        /// An old version, as written by its clients.
        case old(String)
        /// Clients without a parsable version, which may be old or new.
        case unversioned
        /// Requests whose client is unknown.
        case unknown
        /// Another version, app or platform.
        case other
    }

    private let bound: AppVersion
    private let isWanted: @Sendable (CensusClient) -> Bool
    private var known: [String: Bool?] = [:]

    /// Creates a filter for the versions below a bound; a pre-release counts as its release.
    package init(
        below bound: AppVersion,
        isWanted: @escaping @Sendable (CensusClient) -> Bool = { _ in true }
    ) {
        self.bound = bound
        self.isWanted = isWanted
    }

    /// Returns the version of a cell as written by its clients; `nil` if it is not an old version.
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

    /// Returns whether a version is below the bound; `nil` if it is unparsable.
    private mutating func isBelow(_ text: String) -> Bool? {
        if let known = self.known[text] { return known }
        let isBelow = (try? AppVersion(parsing: text)).map { $0.release < self.bound }
        self.known[text] = .some(isBelow)
        return isBelow
    }
}
