/// The header fields that are added for the backend because the client states their values only in
/// its version line; at most two.
package struct AddedFields: Sendable {
    package enum Value: Sendable {
        /// The range of the value in the string that contains the version line.
        case place(Range<Int>)
        case text(String)
    }

    package struct Field: Sendable {
        package let name: String
        package let value: Value
    }

    package private(set) var first: Field?
    package private(set) var second: Field?

    mutating func append(_ name: String, _ value: Value) {
        let field = Field(name: name, value: value)
        if self.first == nil { self.first = field } else { self.second = field }
    }

    /// Returns the fields.
    ///
    /// `text` is the string that contains the version line.
    package func fields(in text: Span<UInt8>) -> [HeaderField] {
        [self.first, self.second].compactMap(\.self).map { field in
            HeaderField(name: field.name, value: field.value.text(in: text))
        }
    }
}

extension AddedFields.Value {
    fileprivate func text(in text: Span<UInt8>) -> String {
        switch self {
        case .place(let place): text.extracting(place).text
        case .text(let text): text
        }
    }
}

extension AddedFields {
    /// The number of bytes of the field lines.
    package var byteCount: Int { (self.first?.byteCount ?? 0) + (self.second?.byteCount ?? 0) }
}

extension AddedFields.Field {
    fileprivate var byteCount: Int {
        let value =
            switch self.value {
            case .place(let place): place.count
            case .text(let text): text.utf8.count
            }
        return self.name.utf8.count + ": ".utf8.count + value + "\r\n".utf8.count
    }
}
