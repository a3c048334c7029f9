/// The header fields that are added for the backend because the client states their values only in
/// its version line.
///
/// There are at most two such fields.
package enum AddedFields: Sendable {
    /// The ranges of the platform and the build in the string that contains the version line.
    ///
    /// The names of the fields are in `ClientClasses`.
    case places(ClientClasses, platform: Range<Int>?, build: Range<Int>?)
    /// The fields, for values that are not forwarded as received.
    case texts([HeaderField])

    /// Calls `body` with the name and the value of each field.
    ///
    /// `text` is the string that contains the version line.
    @inlinable @inline(__always)
    package func forEach(in text: Span<UInt8>, _ body: (Span<UInt8>, Span<UInt8>) -> Void) {
        switch self {
        case .places(let classes, let platform, let build):
            if let platform, let name = classes.platformField {
                body(name.span, text.extracting(platform))
            }
            if let build, let name = classes.buildField {
                body(name.span, text.extracting(build))
            }
        case .texts(let fields):
            for field in fields { body(field.name.utf8Span.span, field.value.utf8Span.span) }
        }
    }

    /// Returns the fields with their names and values.
    ///
    /// `text` is the string that contains the version line.
    package func fields(in text: Span<UInt8>) -> [HeaderField] {
        var fields: [HeaderField] = []
        self.forEach(in: text) { fields.append(HeaderField(name: $0.text, value: $1.text)) }
        return fields
    }

    /// The total length of the field lines, in bytes.
    package var byteCount: Int {
        switch self {
        case .places(let classes, let platform, let build):
            Self.byteCount(classes.platformField?.count, platform?.count)
                + Self.byteCount(classes.buildField?.count, build?.count)
        case .texts(let fields):
            fields.reduce(0) { $0 + Self.byteCount($1.name.utf8.count, $1.value.utf8.count) }
        }
    }

    private static func byteCount(_ name: Int?, _ value: Int?) -> Int {
        guard let name, let value else { return 0 }
        return name + ": ".utf8.count + value + "\r\n".utf8.count
    }
}
