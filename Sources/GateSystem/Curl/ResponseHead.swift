package import GatePolicy

/// The status and the header fields of a response.
package struct ResponseHead: Sendable, Equatable {
    package let status: Int
    package let fields: [HeaderField]

    package init(status: Int, fields: [HeaderField]) {
        self.status = status
        self.fields = fields
    }

    /// The value of the first field with a name, compared case-insensitively.
    package subscript(name: String) -> String? {
        let name = name.lowercased()
        return self.fields.first { $0.name.lowercased() == name }?.value
    }
}

/// A complete response.
package struct FetchResponse: Sendable, Equatable {
    package let head: ResponseHead
    package let body: [UInt8]

    package var status: Int { self.head.status }
}
