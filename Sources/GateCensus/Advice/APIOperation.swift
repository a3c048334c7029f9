import GatePolicy

/// An operation in an API document: a method, and a path that may have parameters.
package struct APIOperation: Sendable {
    /// The path of the operation on a server in the document.
    package struct Address: Sendable {
        /// The path of the server, followed by the path in the document.
        package let path: String
        let template: PathTemplate
    }

    /// The method in upper case; `nil`, which stands for any method, if the document states none.
    package let method: String?
    /// The path in the document, without the path of a server.
    package let path: String
    /// The addresses on the servers; reports show the first address.
    package let addresses: [Address]
    /// The paths outside the document at which requests for the operation may arrive.
    let otherPaths: [PathTemplate]
    /// The number that identifies the document.
    package let document: Int
    /// The paths of the servers.
    let bases: [String]
    /// The reason why the document was not read completely.
    package let unread: String?

    /// Creates an operation.
    ///
    /// `bases` contains the base paths of the servers, and `otherBases` further base paths that they may have.
    /// `spanning` contains the names of the parameters whose values may contain slashes.
    package init(
        method: String?,
        path: String,
        bases: [String] = [""],
        otherBases: [String] = [],
        spanning: Set<String> = [],
        document: Int = 0,
        unread: String? = nil
    ) {
        self.method = method?.uppercased()
        self.path = path
        self.document = document
        self.unread = unread
        self.bases = bases
        var seen: Set<PathTemplate> = []
        self.addresses = bases.compactMap { base in
            let template = PathTemplate(base + path, spanning: spanning)
            guard seen.insert(template).inserted else { return nil }
            return Address(path: base.replacing("{+", with: "{") + path, template: template)
        }
        // Without a literal word in `path`, the operation would match requests for all paths.
        guard PathTemplate(path).hasWord else {
            self.otherPaths = []
            return
        }
        self.otherPaths =
            otherBases.map { PathTemplate($0 + path, spanning: spanning) }
            + self.addresses.compactMap(\.template.spanningAtEnd)
    }

    /// Returns the method and `path`, for a table.
    package func text(at path: String) -> String { "\(self.method ?? "(any)") \(path)" }

    /// Whether all requests for the operation, except unusually long requests, have a shape.
    var hasShape: Bool {
        self.addresses.allSatisfy(\.template.hasShape)
            && self.method.map { PathShape.keeps(method: $0.utf8.span) } ?? true
    }

    /// Whether some requests for the operation are not counted: CORS preflights, and requests to
    /// which the gate itself responds.
    var isUncounted: Bool {
        self.method == "OPTIONS"
            || self.addresses.contains { address in
                guard case .literal(let word)? = address.template.segments.first else {
                    return false
                }
                return word.text == ".versiongate"
            }
    }
}
