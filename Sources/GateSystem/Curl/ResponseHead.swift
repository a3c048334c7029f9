package import GatePolicy

/// The status and the fields of an answer.
package struct ResponseHead: Sendable, Equatable {
    package let status: Int
    package let fields: [HeaderField]

    package init(status: Int, fields: [HeaderField]) {
        self.status = status
        self.fields = fields
    }

    /// The first field of a name, whatever its case.
    package subscript(name: String) -> String? {
        let name = name.lowercased()
        return self.fields.first { $0.name.lowercased() == name }?.value
    }
}

/// A whole answer.
package struct FetchResponse: Sendable, Equatable {
    package let head: ResponseHead
    package let body: [UInt8]

    package var status: Int { self.head.status }
}
