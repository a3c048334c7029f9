internal import GatePolicy

/// The URL of a server in an API document, absolute or relative, with variables in braces.
struct OpenAPIServer: Sendable {
    /// A variable of the URL.
    struct Variable: Sendable {
        /// The values in the document; if empty, any value is possible.
        var values: [String] = []
        /// Whether no other values are possible.
        var isClosed = false
    }

    /// The maximum number of URLs generated from the values of variables; beyond that, variables
    /// become wildcards.
    private static let mostAddresses = 256

    /// The base paths of the document's paths on this server, without a trailing slash; a variable
    /// that can have any value is written as `{+name}`.
    let bases: [String]
    /// Other possible base paths: those with unlisted values of variables and, if the URL is
    /// relative, those below the folder of the document.
    let otherBases: [String]

    /// The default server, for a document without servers.
    static let usual = OpenAPIServer(url: "/", [:])

    init(url: String, _ variables: [String: Variable]) {
        let parts = Self.withoutHost(Self.parts(of: url), variables)
        let named = variables.mapValues(\.values)
        let bases = Self.addresses(parts, named).flatMap { Self.paths(of: $0) }
        self.bases = bases.filter { !$0.isLoose }.map(\.path).uniqued()
        let open = variables.filter { !$0.value.isClosed && !$0.value.values.isEmpty }
        let isOpen = parts.contains { part in
            if case .variable(let name) = part { open[name] != nil } else { false }
        }
        let others =
            isOpen
            ? Self.addresses(parts, named.filter { open[$0.key] == nil })
                .flatMap { Self.paths(of: $0) } : []
        self.otherBases = (bases.filter(\.isLoose).map(\.path) + others.map(\.path)).uniqued()
            .filter { [bases = self.bases] in !bases.contains($0) }
    }

    private enum Part {
        case text(String)
        case variable(String)
    }

    private static func parts(of url: String) -> [Part] {
        var parts: [Part] = []
        var rest = url[...]
        while let start = rest.firstIndex(of: "{"), let end = rest[start...].firstIndex(of: "}") {
            if start > rest.startIndex { parts.append(.text(String(rest[..<start]))) }
            parts.append(.variable(String(rest[rest.index(after: start)..<end])))
            rest = rest[rest.index(after: end)...]
        }
        return rest.isEmpty ? parts : parts + [.text(String(rest))]
    }

    /// Replaces variables in the host or the port with a fixed name, because a variable, such as a
    /// region, may have hundreds of values.
    private static func withoutHost(
        _ parts: [Part],
        _ variables: [String: Variable]
    ) -> [Part] {
        guard let start = self.host(in: parts) else { return parts }
        var parts = parts
        var last = ""
        for index in start..<parts.count {
            switch parts[index] {
            case .text(let text):
                let host = index == start ? text.drop { $0 != "/" }.dropFirst(2) : text[...]
                guard !host.contains("/") else { return parts }
                last = String(host)
            case .variable(let name):
                let values = variables[name]?.values ?? []
                let isPath =
                    values.isEmpty
                    ? !last.isEmpty && !last.hasSuffix(".") && !last.hasSuffix(":")
                        && !last.hasSuffix("-") && !last.hasSuffix("@")
                    : values.contains { $0.contains { "/?#".contains($0) } }
                if !isPath { parts[index] = .text("x") }
                last = "x"
            }
        }
        return parts
    }

    /// Returns the index of the part in which `//` starts a host.
    private static func host(in parts: [Part]) -> Int? {
        for (index, part) in parts.enumerated() {
            guard case .text(let text) = part, let slash = text.firstIndex(of: "/") else {
                continue
            }
            let before = text[..<slash]
            let isAtStart = index == 0 && before.isEmpty || before.hasSuffix(":")
            return isAtStart && text[slash...].hasPrefix("//") ? index : nil
        }
        return nil
    }

    /// Returns the URLs for all combinations of the values of variables.
    private static func addresses(_ parts: [Part], _ values: [String: [String]]) -> [String] {
        var values = values
        func count() -> Int {
            parts.reduce(1) { product, part in
                guard case .variable(let name) = part else { return product }
                let (count, overflow) = product.multipliedReportingOverflow(
                    by: max(1, values[name]?.count ?? 1)
                )
                return overflow ? .max : count
            }
        }
        while count() > self.mostAddresses,
            let most = values.max(by: { ($0.value.count, $0.key) < ($1.value.count, $1.key) })
        {
            values[most.key] = nil
        }
        var choices: [(text: String, chosen: [String: String])] = [("", [:])]
        for part in parts {
            choices = choices.flatMap { choice -> [(text: String, chosen: [String: String])] in
                switch part {
                case .text(let text): return [(choice.text + text, choice.chosen)]
                case .variable(let name):
                    let some = choice.chosen[name].map { [$0] } ?? values[name] ?? []
                    guard !some.isEmpty else {
                        // After a host, the variable is a path.
                        let isAfterSlash = choice.text.isEmpty || choice.text.hasSuffix("/")
                        let isHost =
                            choice.text.contains("//") && !isAfterSlash
                            && !choice.text.drop { $0 != "/" }.dropFirst(2).contains("/")
                        return [
                            ("\(choice.text)\(isHost ? "/" : ""){+\(name)}", choice.chosen)
                        ]
                    }
                    return some.map { value in
                        (choice.text + value, choice.chosen.merging([name: value]) { $1 })
                    }
                }
            }
        }
        return choices.map(\.text)
    }

    /// Returns the path of a URL; for a relative URL, all possible paths.
    private static func paths(of address: String) -> [(path: String, isLoose: Bool)] {
        let address = address.filter { !$0.isWhitespace }
        let text = String(Self.beforeQuery(address))
        if let host = text.firstMatch(of: /^([^\/?#]*:)?\/\//) {
            return [
                (Self.resolved(String(text[host.range.upperBound...].drop { $0 != "/" })), false)
            ]
        }
        if text.hasPrefix("/") { return [(Self.resolved(text), false)] }
        // The URL against which a relative path is resolved is unknown.
        let path = Self.resolved("/" + text)
        var paths = [(path: path, isLoose: false)]
        // A host without a scheme is not valid, but common.
        if let host = text.firstMatch(
            of: /^([^\/]+\.[A-Za-z]{2,}|localhost|[^\/]+(?=:\d+))(:\d+)?(?=\/|$)/
        ) {
            paths.append((Self.resolved(String(text[host.range.upperBound...])), false))
        } else if !text.hasPrefix("{+") {
            paths.append(("/{+folder}" + path, true))
        }
        return paths
    }

    /// Returns the address without query and fragment; names of variables contain neither `?` nor `#`.
    private static func beforeQuery(_ address: String) -> Substring {
        address.prefix { $0 != "?" && $0 != "#" }
    }

    /// Returns a path without `.`, `..`, empty segments (which variables can cause) or a trailing
    /// slash.
    private static func resolved(_ path: String) -> String {
        var segments: [Substring] = []
        for segment in path.split(separator: "/") {
            switch segment {
            case ".": continue
            case "..": _ = segments.popLast()
            default: segments.append(segment)
            }
        }
        return segments.map { "/\($0)" }.joined()
    }
}
