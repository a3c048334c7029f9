/// From when on a store gives a release to everybody who counts.
enum Availability: Sendable, Equatable {
    case always
    case from(Timestamp)
    /// Nobody knows when, or it will not.
    case never

    /// When it begins; `nil` if it has always been there, or never is.
    var date: Timestamp? {
        switch self {
        case .always, .never: nil
        case .from(let date): date
        }
    }

    func hasBegun(at now: Timestamp) -> Bool {
        switch self {
        case .always: true
        case .from(let date): date <= now
        case .never: false
        }
    }
}

extension Availability {
    /// When a release is there for the countries that a hold waits for, or else for all that it
    /// speaks of, and has been there for as long as the hold wants.
    init(of release: Release, _ hold: StoreHold?) {
        var dates = [release.releasedAt]
        switch release.phase {
        case .complete:
            break
        case .phased(let date):
            dates.append(date)
        case .partial:
            self = .never
            return
        }
        if let countries = release.countries {
            let counted = hold.map(\.countries) ?? []
            let needed = counted.isEmpty ? Array(countries.keys) : counted
            // A release that is in no country at all is not out.
            guard !needed.isEmpty, needed.allSatisfy({ countries[$0] != nil }) else {
                self = .never
                return
            }
            dates += needed.compactMap { countries[$0] }
        }
        guard let latest = dates.compactMap({ $0 }).max() else {
            self = .always
            return
        }
        self = .from(latest.advanced(by: hold?.soak ?? 0))
    }
}

extension Availability: Comparable {
    static func < (left: Availability, right: Availability) -> Bool {
        switch (left, right) {
        case (.always, .always), (.never, _): false
        case (.always, _), (.from, .never): true
        case (.from, .always): false
        case (.from(let one), .from(let other)): one < other
        }
    }
}
