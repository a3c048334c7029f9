package import GateCensus

/// The operations of an OpenAPI document (3.x, or Swagger 2.0), in YAML or JSON, in one file or several.
package struct OpenAPIDocument: Sendable {
    /// The file, as the operator names it.
    package let name: String
    package let operations: [APIOperation]

    /// Reads a document; of references, those that lead to operations and servers are followed.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - number: The number of the document among others.
    ///   - bases: The paths under which requests arrive; `nil`: those of the document's servers.
    /// - Throws: what is wrong with a file, or why it cannot be read.
    package init(
        path: String,
        number: Int = 0,
        bases: [String]? = nil
    ) throws(RulesFileError) {
        var reader = try OpenAPIReader(path, number, bases)
        self.name = path
        self.operations = try reader.operations()
    }

    /// A path that stands before those of a document, as an operator writes it: `/api/v1/`, `api/v1`, a URL.
    package static func base(of text: String) -> String {
        OpenAPIServer(
            url: text.hasPrefix("/") ? text : text.contains("://") ? text : "/\(text)",
            [:]
        )
        .bases.first ?? ""
    }
}
