import GatePolicy

/// An operation of an API document: a method, and a path some segments of which may be anything.
package struct APIOperation: Sendable {
    /// A path at which a server of the document has the operation.
    package struct Address: Sendable {
        /// The path of the server, followed by the path in the document.
        package let path: String
        let template: PathTemplate
    }

    /// In upper case; `nil`: any, since the document does not say.
    package let method: String?
    /// The path in the document, without the path of a server.
    package let path: String
    /// One for each server, the one to be shown first.
    package let addresses: [Address]
    /// Paths at which requests for it may arrive, though the document does not say so.
    let otherPaths: [PathTemplate]
    /// The number of its document.
    package let document: Int
    /// The paths of the servers.
    let bases: [String]
    /// The reason for which the document says less than all of it.
    package let unread: String?

    /// Creates an operation.
    ///
    /// - Parameters:
    ///   - method: The method; `nil`: the document does not say.
    ///   - path: The path.
    ///   - bases: The paths of the servers.
    ///   - otherBases: Paths that servers may have as well.
    ///   - spanning: The parameters whose values may have slashes.
    ///   - document: The number of the document.
    ///   - unread: The reason for which the document says less than all of it.
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
        // Without a word of its own, it would seem to be called at each path there is.
        guard PathTemplate(path).hasWord else {
            self.otherPaths = []
            return
        }
        self.otherPaths =
            otherBases.map { PathTemplate($0 + path, spanning: spanning) }
            + self.addresses.compactMap(\.template.spanningAtEnd)
    }

    /// The method and one of its paths, for a table.
    package func text(at path: String) -> String { "\(self.method ?? "(any)") \(path)" }

    /// Whether each request for it, of usual length, has a shape.
    var hasShape: Bool {
        self.addresses.allSatisfy(\.template.hasShape)
            && self.method.map { PathShape.keeps(method: $0.utf8.span) } ?? true
    }

    /// Whether some requests for it are not counted: CORS preflights, and those that the gate answers.
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
