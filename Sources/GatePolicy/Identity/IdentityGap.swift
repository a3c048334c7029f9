/// A required part of the identity that is missing or unparsable.
package enum IdentityGap: Sendable, Hashable, CustomStringConvertible {
    case missing(IdentityPart)
    case unreadable(IdentityPart)

    package var description: String {
        switch self {
        case .missing(let part): "the client does not state its \(part.words)"
        case .unreadable(let part): "the \(part.words) that the client states cannot be parsed"
        }
    }
}

extension IdentityGap: Comparable {
    /// Orders gaps independently of the order of the rules.
    ///
    /// Unparsable parts come before missing parts, because they are more informative. Gaps of the
    /// same kind are ordered by part, with the version first.
    package static func < (left: IdentityGap, right: IdentityGap) -> Bool {
        left.rank < right.rank
    }

    private var rank: (Int, Int, Int) {
        switch self {
        case .unreadable(let part): (0, part == .version ? 0 : 1, part.rawValue)
        case .missing(let part): (1, part == .version ? 0 : 1, part.rawValue)
        }
    }
}

extension IdentityPart {
    /// The name of the part in messages.
    package var words: String {
        switch self {
        case .app: "app"
        case .platform: "platform"
        case .version: "version"
        case .build: "build"
        case .channel: "channel"
        case .osVersion: "OS version"
        case .device: "device"
        case .languages: "languages"
        case .country: "country"
        case .storefront: "storefront"
        }
    }
}

extension Claim {
    /// Returns the gap for a required part; `nil` if the client sends a valid value.
    func gap(_ part: IdentityPart) -> IdentityGap? {
        switch self {
        case .missing: .missing(part)
        case .unreadable: .unreadable(part)
        case .stated: nil
        }
    }
}
