package import GateCensus

/// The operations of an OpenAPI document (3.x, or Swagger 2.0), in YAML or JSON, in one or more
/// files.
package struct OpenAPIDocument: Sendable {
    /// The path of the file as given by the operator.
    package let name: String
    package let operations: [APIOperation]

    /// Reads a document; references to operations and servers are followed.
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - number: The index of the document if there are several.
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

/// Collects the operations of a document and of the files that it refers to.
struct OpenAPIReader {
    private static let methods: Set<String> = [
        "get", "put", "post", "delete", "options", "head", "patch", "trace", "query",
    ]
    /// The keys of a path that are not methods.
    private static let otherKeys: Set<String> = [
        "$ref", "summary", "description", "servers", "parameters", "additionaloperations",
    ]

    private var files = OpenAPIFiles()
    private let root: Element
    private let number: Int
    /// The base paths given by the operator, which replace those of the servers.
    private let bases: [String]?
    private var found: [APIOperation] = []

    init(_ path: String, _ number: Int, _ bases: [String]?) throws(RulesFileError) {
        self.root = try self.files.root(of: path)
        self.number = number
        self.bases = bases
    }

    mutating func operations() throws(RulesFileError) -> [APIOperation] {
        guard let element = self.root["paths"] else { throw Self.noDocument(self.root.place) }
        let servers = try self.documentServers()
        let paths = try self.local(element, or: "download the file and refer to the copy")
        guard case .mapping = paths.content else { throw Self.noDocument(paths.place) }
        // Some documents have paths next to the reference.
        let own = element.place == paths.place ? [] : element.entries
        for entry in own + paths.entries where Self.isPath(entry.key) {
            try self.read(entry.value, at: entry.key, servers)
        }
        guard !self.found.isEmpty else {
            throw RulesFileError(paths.place, "the document has no operation under 'paths'")
        }
        return self.found
    }

    private static func noDocument(_ place: Place) -> RulesFileError {
        RulesFileError(place, "expected an OpenAPI document with 'paths'")
    }

    /// Returns the target of an element; a network URL is an error.
    ///
    /// `suggestion` is the end of the error message for a network URL.
    private mutating func local(
        _ element: Element,
        or suggestion: String
    ) throws(RulesFileError) -> Element {
        switch try self.files.target(of: element) {
        case .element(let target): return target
        case .remote:
            let reference = element["$ref"]
            let message =
                "the reference '\(reference?.scalar ?? "")' is a network URL, which is not fetched; "
            throw RulesFileError(reference?.place ?? element.place, message + suggestion)
        }
    }

    private static func isPath(_ key: String) -> Bool {
        key != "$ref" && !key.lowercased().hasPrefix("x-")
    }
}

/// Paths and operations.
extension OpenAPIReader {
    private mutating func read(
        _ element: Element,
        at path: String,
        _ servers: [OpenAPIServer]
    ) throws(RulesFileError) {
        let path = path.hasPrefix("/") ? path : "/\(path)"
        var items = [element]
        // Keys next to a reference are also evaluated.
        let servers = try self.servers(of: element) ?? servers
        if element["$ref"] != nil {
            switch try self.files.target(of: element) {
            case .element(let target): items.append(target)
            case .remote(let text, let place):
                self.add(nil, path, servers, [], unread: (text, place))
            }
        }
        for item in items {
            switch item.content {
            case .mapping: try self.read(item, at: path, within: servers)
            case .nothing: continue
            case .text, .number, .boolean, .date, .list:
                throw RulesFileError(
                    item.place,
                    "expected the operations of '\(path)', found \(item.found)"
                )
            }
        }
    }

    private mutating func read(
        _ item: Element,
        at path: String,
        within documentServers: [OpenAPIServer]
    ) throws(RulesFileError) {
        let servers = try self.servers(of: item) ?? documentServers
        let spanning = self.spanning(item)
        for entry in item.entries where Self.isMethod(entry) {
            try self.read(entry, path, servers, spanning)
        }
        for entry in item["additionalOperations"]?.entries ?? [] {
            try self.read(entry, path, servers, spanning)
        }
    }

    /// Whether an entry of a path is an operation; methods that no version of OpenAPI defines are
    /// included.
    private static func isMethod(_ entry: Element.Entry) -> Bool {
        let key = entry.key.lowercased()
        if self.methods.contains(key) { return true }
        guard case .mapping = entry.value.content else { return false }
        return !self.otherKeys.contains(key) && !key.hasPrefix("x-")
            && key.allSatisfy { $0.isLetter && $0.isASCII }
    }

    private mutating func read(
        _ entry: Element.Entry,
        _ path: String,
        _ servers: [OpenAPIServer],
        _ spanning: Set<String>
    ) throws(RulesFileError) {
        switch try self.files.target(of: entry.value) {
        case .element(let operation):
            let besides = try self.servers(of: entry.value)
            let own = try self.servers(of: operation) ?? besides
            let names = spanning.union(self.spanning(operation))
            self.add(entry.key, path, own ?? servers, names)
        case .remote(let text, let place):
            self.add(entry.key, path, servers, spanning, unread: (text, place))
        }
    }

    private mutating func add(
        _ method: String?,
        _ path: String,
        _ servers: [OpenAPIServer],
        _ spanning: Set<String>,
        unread reference: (text: String, place: Place)? = nil
    ) {
        let unread = reference.map { text, place in
            "\(place): '\(text)' is a network URL, which is not fetched"
        }
        self.found.append(
            APIOperation(
                method: method,
                path: path,
                bases: self.bases ?? servers.flatMap(\.bases),
                otherBases: self.bases == nil ? servers.flatMap(\.otherBases) : [],
                spanning: spanning,
                document: self.number,
                unread: unread
            )
        )
    }

    /// Returns the names of the parameters whose values may contain slashes, for a path or an operation.
    private mutating func spanning(_ element: Element) -> Set<String> {
        var names: Set<String> = []
        for item in element["parameters"]?.items ?? [] {
            // A broken reference to a parameter is ignored, because parameters are used only here.
            guard case .element(let parameter)? = try? self.files.target(of: item),
                parameter["x-multi-segment"]?.scalar == "true"
                    || parameter["allowReserved"]?.scalar == "true",
                let name = parameter["name"]?.scalar
            else { continue }
            names.insert(name)
        }
        return names
    }
}

/// Servers.
extension OpenAPIReader {
    private mutating func documentServers() throws(RulesFileError) -> [OpenAPIServer] {
        let isSwagger = self.root["swagger"] != nil
        if !isSwagger, let servers = try self.servers(of: self.root) { return servers }
        let host = self.root["x-ms-parameterized-host"]?["hostTemplate"]?.scalar
        guard isSwagger || self.root["basePath"] != nil || host != nil else { return [.usual] }
        let base = self.root["basePath"]?.scalar ?? ""
        let path = base.isEmpty || base.hasPrefix("/") ? base : "/\(base)"
        return [OpenAPIServer(url: (host ?? "") + (path.isEmpty ? "/" : path), [:])]
    }

    /// Returns the servers of an element; `nil` if it has none.
    private mutating func servers(of element: Element) throws(RulesFileError) -> [OpenAPIServer]? {
        guard let named = element["servers"] else { return nil }
        let list = try self.local(named, or: "copy the servers into the document, or pass --base")
        var servers: [OpenAPIServer] = []
        for item in list.items {
            let server = try self.local(
                item,
                or: "copy the server into the document, or pass --base"
            )
            let url = server["url"]?.scalar ?? "/"
            servers.append(OpenAPIServer(url: url, try self.variables(of: server)))
        }
        return servers.isEmpty ? nil : servers
    }

    private mutating func variables(
        of server: Element
    ) throws(RulesFileError) -> [String: OpenAPIServer.Variable] {
        var variables: [String: OpenAPIServer.Variable] = [:]
        for entry in server["variables"]?.entries ?? [] {
            let element = try self.local(
                entry.value,
                or: "copy the variable into the document, or pass --base"
            )
            let named = (element["enum"]?.items ?? []).compactMap(\.scalar)
            let usual = element["default"]?.scalar
            variables[entry.key] = OpenAPIServer.Variable(
                values: (usual.map { [$0] } ?? []) + named.filter { $0 != usual },
                isClosed: !named.isEmpty
            )
        }
        return variables
    }
}
