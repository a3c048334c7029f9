/// The fields in which the backend is told what a client of a class says in its version line alone: of two
/// parts at most.
package struct AddedFields: Sendable {
    package enum Value: Sendable {
        /// The place of the value in the version line.
        case place(Range<Int>)
        case text(String)
    }

    package struct Field: Sendable {
        package let name: String
        package fileprivate(set) var value: Value
    }

    package private(set) var first: Field?
    package private(set) var second: Field?

    mutating func append(_ name: String, _ value: Value) {
        let field = Field(name: name, value: value)
        if self.first == nil { self.first = field } else { self.second = field }
    }

    /// The same fields in a longer text, in which the version line begins at a place.
    package consuming func moved(to start: Int) -> AddedFields {
        self.first?.value.move(to: start)
        self.second?.value.move(to: start)
        return self
    }

    /// The fields themselves; `text`: what they stand in.
    package func fields(in text: Span<UInt8>) -> [HeaderField] {
        [self.first, self.second].compactMap(\.self).map { field in
            HeaderField(name: field.name, value: field.value.text(in: text))
        }
    }

    /// Bytes of the lines in which they are sent.
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

extension AddedFields.Value {
    fileprivate mutating func move(to start: Int) {
        guard case .place(let place) = self else { return }
        self = .place(place.moved(by: start))
    }

    fileprivate func text(in text: Span<UInt8>) -> String {
        switch self {
        case .place(let place): text.extracting(place).text
        case .text(let text): text
        }
    }
}
