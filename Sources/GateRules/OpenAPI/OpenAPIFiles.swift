internal import GatePolicy
internal import GateSystem

/// The files of an API document: the given file, and the files that it references directly or indirectly.
///
/// Only local files are read, within the limits below; nothing is fetched from the network.
struct OpenAPIFiles {
    /// The maximum total size of the files in bytes; the largest public documents are a tenth of
    /// that size.
    private static let mostBytes = 128 << 20
    private static let mostElements = 5_000_000
    private static let mostFiles = 10_000
    /// The maximum length of a chain of references.
    private static let longestChain = 64

    private var roots: [String: Element] = [:]
    private var bytes = 0

    /// Returns the content of a file; each file is read only once.
    ///
    /// `place` is the location of the reference to the file; it is `nil` if `path` is an argument of the command.
    mutating func root(
        of path: String,
        from place: Place? = nil
    ) throws(RulesFileError) -> Element {
        let path = Self.normalized(path)
        if let known = self.roots[path] { return known }
        guard self.roots.count < Self.mostFiles else {
            let message = "the document has more than \(Self.mostFiles) files; bundle them into one"
            throw RulesFileError(place ?? Place(file: path), message)
        }
        let source: RulesSource
        do throws(FileContent.Failure) {
            let room = Self.mostBytes - self.bytes
            let bytes = try FileContent(path: path, atMost: room).bytes
            self.bytes += bytes.count
            source = RulesSource(
                name: path,
                bytes: JSONEscapes.withoutSurrogates(bytes),
                atMost: Self.mostBytes
            )
        } catch {
            throw Self.error(error, reading: path, from: place)
        }
        let root = try source.parsed(mostElements: Self.mostElements)
        self.roots[path] = root
        return root
    }

    private static func error(
        _ failure: FileContent.Failure,
        reading path: String,
        from place: Place?
    ) -> RulesFileError {
        let reason: String
        if case .tooLarge = failure {
            reason = "the document's files exceed \(self.mostBytes >> 20) MiB in total"
        } else {
            reason = "\(failure)"
        }
        guard let place else { return RulesFileError(file: path, message: reason) }
        return RulesFileError(place, "the reference to '\(path)' cannot be followed: \(reason)")
    }

    /// Returns a path without `.` and `..`, so that each file has a single name.
    private static func normalized(_ path: String) -> String {
        var segments: [Substring] = []
        for segment in path.split(separator: "/") where segment != "." {
            if segment == "..", let last = segments.last, last != ".." {
                segments.removeLast()
            } else {
                segments.append(segment)
            }
        }
        return (path.hasPrefix("/") ? "/" : "") + segments.joined(separator: "/")
    }
}

/// Resolving references.
extension OpenAPIFiles {
    /// The target of a reference.
    enum Target {
        case element(Element)
        /// A network URL, which is not fetched.
        case remote(String, Place)
    }

    /// Follows the chain of references that starts at an element.
    ///
    /// - Returns: The target of the last reference; the element itself if it is not a reference.
    /// - Throws: An error if a reference cannot be resolved.
    mutating func target(of element: Element) throws(RulesFileError) -> Target {
        var chain: Set<String> = []
        return try self.target(of: element, after: &chain)
    }

    private mutating func target(
        of element: Element,
        after chain: inout Set<String>
    ) throws(RulesFileError) -> Target {
        guard let reference = element["$ref"], let text = reference.scalar else {
            return .element(element)
        }
        let place = reference.place
        guard let address = ReferenceAddress(text, in: place.file) else {
            return .remote(text, place)
        }
        let file = address.file.isEmpty ? place.file : Self.normalized(address.file)
        guard chain.insert("\(file)#\(address.pointer)").inserted else {
            throw RulesFileError(place, "the reference '\(text)' leads back to itself")
        }
        guard chain.count <= Self.longestChain else {
            let message = "the chain of references is longer than \(Self.longestChain)"
            throw RulesFileError(place, "the reference '\(text)' is not followed: \(message)")
        }
        guard let tokens = address.tokens else {
            let message = "the text after '#' must be a JSON pointer, such as '/paths/~1orders'"
            throw RulesFileError(place, "the reference '\(text)' cannot be resolved: \(message)")
        }
        var found = try self.root(of: file, from: place)
        for token in tokens {
            if found[token] == nil, found["$ref"] != nil {
                switch try self.target(of: found, after: &chain) {
                case .element(let element): found = element
                case .remote(let text, let place): return .remote(text, place)
                }
            }
            guard let next = found[token] else {
                throw RulesFileError(
                    place,
                    "the reference '\(text)' cannot be resolved: \(file) has no '\(address.pointer)'"
                )
            }
            found = next
        }
        return try self.target(of: found, after: &chain)
    }
}

/// The value of a `$ref`: a file, and a location in it.
private struct ReferenceAddress {
    /// The path of the file; empty for the file with the reference.
    let file: String
    /// The JSON pointer as written.
    let pointer: String

    /// Parses the value of a `$ref` in the file `referrer`; returns `nil` for a network URL.
    init?(_ text: String, in referrer: String) {
        let parts = text.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
        self.pointer = parts.count > 1 ? String(parts[1]) : ""
        var path = parts[0]
        if let scheme = path.firstMatch(of: /^([A-Za-z][A-Za-z0-9+.\-]*:)?\/\//) {
            guard scheme.0.lowercased() == "file://" else { return nil }
            path = path[scheme.range.upperBound...].drop { $0 != "/" }
        }
        let decoded = Self.decoded(path.prefix { $0 != "?" })
        guard !decoded.isEmpty, !decoded.hasPrefix("/"),
            let folder = referrer.lastIndex(of: "/")
        else {
            self.file = decoded
            return
        }
        self.file = referrer[...folder] + decoded
    }

    /// The keys of the JSON pointer; `nil` if it is invalid.
    var tokens: [String]? {
        guard !self.pointer.isEmpty else { return [] }
        guard self.pointer.hasPrefix("/") else { return nil }
        return self.pointer.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
            .map { token in
                Self.decoded(token).replacing("~1", with: "/").replacing("~0", with: "~")
            }
    }

    private static func decoded(_ text: Substring) -> String {
        String(decoding: PercentEncoding.decodedBytes(Array(text.utf8)), as: UTF8.self)
    }
}
