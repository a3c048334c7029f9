/// A decision that a tester requests, regardless of the rules.
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

    /// The request header field that contains a preview.
    package static let fieldName = "X-VersionGate-Preview"

    package let kind: Kind
    /// The first second in which the preview is no longer valid.
    package let until: Timestamp

    package init(kind: Kind, until: Timestamp) {
        self.kind = kind
        self.until = until
    }

    /// The response header field that marks a response as a preview.
    var mark: HeaderField { HeaderField(name: Self.fieldName, value: self.kind.rawValue) }
}

/// The result of reading a preview field.
package enum PreviewReading: Sendable, Equatable {
    case shows(Preview)
    case expired
    /// The value is malformed, or was not signed with a known key.
    case forged
}
