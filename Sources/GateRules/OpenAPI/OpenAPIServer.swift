/// The address of a server in an API document: a URL, whole or relative, with variables in braces.
struct OpenAPIServer: Sendable {
    /// A variable of the address.
    struct Variable: Sendable {
        /// The values that the document names; empty: it may have any.
        var values: [String] = []
        /// Whether it has no other values.
        var isClosed = false
    }

    /// The most addresses that the values of variables may make; of more, some may have any value.
    private static let mostAddresses = 256

    /// The paths under which the server has the paths of the document, without a slash at the end; variables
    /// that may have any value are `{+name}`.
    let bases: [String]
    /// Paths that it may have as well: with other values of variables than the default ones, or after the folder
    /// of a document that names a relative path.
    let otherBases: [String]

    /// The server of a document that names none.
    static let usual = OpenAPIServer(url: "/", [:])

    init(url: String, _ variables: [String: Variable]) {
        let parts = Self.withoutHost(Self.parts(of: url), variables)
        let named = variables.mapValues(\.values)
        let bases = Self.addresses(parts, named).flatMap { Self.paths(of: $0) }
        self.bases = Self.unique(bases.filter { !$0.isLoose }.map(\.path))
        let open = variables.filter { !$0.value.isClosed && !$0.value.values.isEmpty }
        let isOpen = parts.contains { part in
            if case .variable(let name) = part { open[name] != nil } else { false }
        }
        let others =
            isOpen
            ? Self.addresses(parts, named.filter { open[$0.key] == nil })
                .flatMap { Self.paths(of: $0) } : []
        self.otherBases = Self.unique(
            bases.filter(\.isLoose).map(\.path) + others.map(\.path)
        ).filter { [bases = self.bases] in !bases.contains($0) }
    }

    private static func unique(_ texts: [String]) -> [String] {
        var seen: Set<String> = []
        return texts.filter { seen.insert($0).inserted }
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

    /// Puts any name in place of the variables that are a host or a port: there may be hundreds of regions.
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

    /// The number of the part in which `//` begins a host.
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

    /// The addresses with the values of variables, each with each.
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
                        // After a host, it is a path.
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

    /// The path of an address; of a relative one, those that it may have.
    private static func paths(of address: String) -> [(path: String, isLoose: Bool)] {
        let address = address.filter { !$0.isWhitespace }
        let text = String(Self.beforeQuery(address))
        if let host = text.firstMatch(of: /^([^\/?#]*:)?\/\//) {
            return [
                (Self.resolved(String(text[host.range.upperBound...].drop { $0 != "/" })), false)
            ]
        }
        if text.hasPrefix("/") { return [(Self.resolved(text), false)] }
        // Where the document is for its readers, nobody says.
        let path = Self.resolved("/" + text)
        var paths = [(path: path, isLoose: false)]
        // A host without a scheme, as people write it.
        if let host = text.firstMatch(
            of: /^([^\/]+\.[A-Za-z]{2,}|localhost|[^\/]+(?=:\d+))(:\d+)?(?=\/|$)/
        ) {
            paths.append((Self.resolved(String(text[host.range.upperBound...])), false))
        } else if !text.hasPrefix("{+") {
            paths.append(("/{+folder}" + path, true))
        }
        return paths
    }

    /// Cuts off a query or a fragment; the names of variables have neither.
    private static func beforeQuery(_ address: String) -> Substring {
        address.prefix { $0 != "?" && $0 != "#" }
    }

    /// A path without `.` and `..`, without empty segments, as variables leave them, and without a slash at the
    /// end.
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
