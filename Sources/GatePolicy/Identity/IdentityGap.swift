/// A part of an identity that is not there when it is needed.
package enum IdentityGap: Sendable, Hashable {
    case missing(IdentityPart)
    case unreadable(IdentityPart)
}

extension IdentityGap: Comparable {
    /// Orders gaps for reports that do not depend on the order of the rules: what cannot be read
    /// first, because it says more than silence; then by part, the version before all others.
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

extension IdentityGap: CustomStringConvertible {
    package var description: String {
        switch self {
        case .missing(let part): "the client does not state its \(part.words)"
        case .unreadable(let part): "the \(part.words) that the client states cannot be read"
        }
    }
}

extension IdentityPart {
    /// The part in a sentence.
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
    /// The gap that this claim leaves for whoever needs the part; `nil` if it is stated.
    func gap(_ part: IdentityPart) -> IdentityGap? {
        switch self {
        case .missing: .missing(part)
        case .unreadable: .unreadable(part)
        case .stated: nil
        }
    }
}
