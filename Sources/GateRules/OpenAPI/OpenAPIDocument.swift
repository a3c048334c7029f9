package import GateCensus

/// The operations of an OpenAPI document (3.x, or Swagger 2.0), in YAML or JSON, in one or more
/// files.
package struct OpenAPIDocument: Sendable {
    /// The file as given by the operator.
    package let name: String
    package let operations: [APIOperation]

    /// Reads a document; references to operations and servers are followed.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - number: The index of the document among several.
    ///   - bases: The base paths of requests; if `nil`, those of the document's servers.
    /// - Throws: An error with its location if a file is invalid or cannot be read.
    package init(
        path: String,
        number: Int = 0,
        bases: [String]? = nil
    ) throws(RulesFileError) {
        var reader = try OpenAPIReader(path, number, bases)
        self.name = path
        self.operations = try reader.operations()
    }

    /// Returns the base path from an argument such as `/api/v1/`, `api/v1`, or a URL.
    package static func base(of text: String) -> String {
        OpenAPIServer(
            url: text.hasPrefix("/") ? text : text.contains("://") ? text : "/\(text)",
            [:]
        )
        .bases.first ?? ""
    }
}
