/// A decision that a tester wants to see, whatever the rules say.
package struct Preview: Sendable, Equatable {
    package enum Kind: String, Sendable, CaseIterable {
        case recommend
        case require
        case brownout
        case maintenance

        var decision: Decision.Kind {
            switch self {
            case .recommend: .recommend
            case .require, .brownout: .require
            case .maintenance: .maintenance
            }
        }
    }

    /// The field by which a client asks for it.
    package static let fieldName = "X-VersionGate-Preview"

    package let kind: Kind
    /// The first second at which it is over.
    package let until: Timestamp

    package init(kind: Kind, until: Timestamp) {
        self.kind = kind
        self.until = until
    }
}

/// The content of a field that asks for a preview.
package enum PreviewReading: Sendable, Equatable {
    case shows(Preview)
    case expired
    /// Signed by nobody whom the gate knows, or no such field at all.
    case forged
}
