package import GatePolicy

/// Selects the clients in the census that have old versions, or to which given routes apply.
package struct SunsetFilter: Sendable {
    /// The classification of a cell's clients.
    enum Standing: Sendable, Equatable {
        /// Selected clients, with their version as sent.
        case old(String)
        /// Clients without a parsable version, which may be old or new.
        case unversioned
        /// Requests whose client is unknown.
        case unknown
        /// Another version, app or platform.
        case other
    }

    /// The clients to select.
    package enum Criterion: Sendable {
        /// Clients with a version below a bound; a pre-release counts as its release.
        case below(AppVersion)
        /// Clients to which these routes apply.
        case routes(RouteSelection)
    }

    private var criterion: Criterion
    private let isWanted: @Sendable (CensusClient) -> Bool
    private var known: [String: Bool?] = [:]

    package init(
        _ criterion: Criterion,
        isWanted: @escaping @Sendable (CensusClient) -> Bool = { _ in true }
    ) {
        self.criterion = criterion
        self.isWanted = isWanted
    }

    /// The version shown for selected clients that send no version, or an unparsable one.
    private static let noVersion = "-"

    /// Returns the version of a cell as sent by its clients; `nil` if the filter does not select
    /// the cell.
    mutating func version(of cell: CensusCell) -> String? {
        if case .old(let version) = self.standing(of: cell) { version } else { nil }
    }

    mutating func standing(of cell: CensusCell) -> Standing {
        guard let client = cell.client else { return .unknown }
        guard self.isWanted(client) else { return .other }
        switch self.criterion {
        case .below(let bound):
            guard let text = client.version.text, let isBelow = self.isBelow(text, bound) else {
                return .unversioned
            }
            return isBelow ? .old(text) : .other
        case .routes(var routes):
            let isSelected = routes.includes(cell)
            self.criterion = .routes(routes)
            return isSelected ? .old(client.version.text ?? Self.noVersion) : .other
        }
    }

    /// Returns whether a version is below the bound; `nil` if it is unparsable.
    private mutating func isBelow(_ text: String, _ bound: AppVersion) -> Bool? {
        if let known = self.known[text] { return known }
        let isBelow = (try? AppVersion(parsing: text)).map { $0.release < bound }
        self.known[text] = .some(isBelow)
        return isBelow
    }
}
