/// The content of a denial in a shape of its own.
package enum BodyTemplate: Sendable, Equatable {
    /// Plain text with places.
    case text(NoticeTemplate)
    /// JSON whose strings have places.
    case json(Value)

    package indirect enum Value: Sendable, Equatable {
        case null
        case boolean(Bool)
        /// A number as JSON writes it (RFC 8259 section 6).
        case number(String)
        /// A string with places.
        ///
        /// One that is a single place becomes the value itself: a number for `{status}` and
        /// `{minimumBuild}`, and `null` where nothing is known.
        case text(NoticeTemplate)
        case list([Value])
        case object([Member])
    }

    package struct Member: Sendable, Equatable {
        package let name: String
        package let value: Value

        package init(name: String, value: Value) {
            self.name = name
            self.value = value
        }
    }
}
