package import GateCensus

/// The operations of an OpenAPI document (3.x, or Swagger 2.0), in YAML or JSON.
package struct OpenAPIDocument: Sendable {
    private static let methods: Set<String> = [
        "get", "put", "post", "delete", "options", "head", "patch", "trace",
    ]

    package let operations: [APIOperation]

    /// Reads a document; references and schemas in it are nobody's business.
    ///
    /// - Throws: what is wrong with the file, or why it cannot be read.
    package init(path: String) throws(RulesFileError) {
        try self.init(RulesSource(path: path))
    }

    init(_ source: RulesSource) throws(RulesFileError) {
        var parser = DocumentParser(source)
        let root = try parser.parse()
        guard case .mapping(let paths)? = root["paths"]?.content else {
            throw RulesFileError(root.place, "expected an OpenAPI document with 'paths'")
        }
        let base = Self.base(of: root)
        self.operations = paths.flatMap { entry -> [APIOperation] in
            guard case .mapping(let items) = entry.value.content else { return [] }
            return items.filter { Self.methods.contains($0.key) }.map { item in
                APIOperation(method: item.key, path: base + entry.key)
            }
        }
    }

    /// The path of the first server, which stands in front of all others.
    private static func base(of root: Element) -> String {
        if let base = root["basePath"]?.scalar { return Self.trimmed(base) }
        guard case .list(let servers)? = root["servers"]?.content,
            let url = servers.first?["url"]?.scalar
        else { return "" }
        guard let scheme = url.firstRange(of: "://") else { return Self.trimmed(url) }
        return Self.trimmed(String(url[scheme.upperBound...].drop { $0 != "/" }))
    }

    private static func trimmed(_ path: String) -> String {
        path.hasSuffix("/") ? String(path.dropLast()) : path
    }
}

extension Element {
    fileprivate subscript(key: String) -> Element? {
        guard case .mapping(let entries) = self.content else { return nil }
        return entries.first { $0.key == key }?.value
    }

    fileprivate var scalar: String? {
        if case .text(let text) = self.content { text } else { nil }
    }
}
