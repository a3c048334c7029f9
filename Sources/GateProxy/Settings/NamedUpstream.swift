/// A backend that rules can select.
package struct NamedUpstream: Sendable, Equatable {
    package let name: String
    /// The targets, which are equivalent.
    package private(set) var targets: [UpstreamTarget]

    package init(name: String, targets: [UpstreamTarget]) {
        self.name = name
        self.targets = targets
    }

    /// The `Host` value for requests without `Host`.
    var authority: String { self.targets.first?.authority ?? "localhost" }

    /// Parses a comma-separated list of `NAME=URL`.
    ///
    /// An entry without a name is another target of the backend before it. Returns `nil` if an entry is invalid, or if
    /// a name occurs twice.
    package static func list(_ text: String) -> [NamedUpstream]? {
        var backends: [NamedUpstream] = []
        for item in self.items(of: text) {
            guard let target = UpstreamTarget(item.url) else { return nil }
            if let name = item.name {
                guard self.isName(name), !backends.contains(where: { $0.name == name }) else {
                    return nil
                }
                backends.append(NamedUpstream(name: name, targets: [target]))
            } else {
                guard !backends.isEmpty else { return nil }
                backends[backends.count - 1].targets.append(target)
            }
        }
        return backends
    }

    /// Returns the end of an error message for an invalid list: the reason, or a suggested correction.
    package static func hint(for text: String) -> String {
        var names: Set<String> = []
        for item in self.items(of: text) {
            guard let name = item.name else {
                if names.isEmpty { return "; write NAME=\(item.url)" }
                if UpstreamTarget(item.url) == nil { return UpstreamTarget.hint(for: item.url) }
                continue
            }
            if name == self.defaultName {
                return "; --upstream is the default backend: choose another name than '\(name)'"
            }
            if !self.isName(name) {
                return "; '\(name)' is not a name: use 1 to 64 letters, digits, '.', '_' or '-', "
                    + "and begin with a letter or digit"
            }
            if !names.insert(name).inserted {
                return
                    "; the name '\(name)' occurs twice: write the addresses of a backend after one name"
            }
            if UpstreamTarget(item.url) == nil { return UpstreamTarget.hint(for: item.url) }
        }
        return ""
    }

    /// The name that stands for `--upstream`.
    private static let defaultName = "default"

    private static func items(of text: String) -> [(name: String?, url: String)] {
        text.split(separator: ",", omittingEmptySubsequences: false).map { item in
            let item = item.drop { $0 == " " }
            let urlStart = item.firstRange(of: "://")?.lowerBound ?? item.endIndex
            guard let sign = item[..<urlStart].firstIndex(of: "=") else {
                return (nil, String(item))
            }
            return (String(item[..<sign]), String(item[item.index(after: sign)...]))
        }
    }

    private static func isName(_ text: String) -> Bool {
        let isWord = text.utf8.allSatisfy { byte in
            (0x61...0x7A).contains(byte | 0x20) || (0x30...0x39).contains(byte)
                || [0x2D, 0x2E, 0x5F].contains(byte)
        }
        return isWord && 1...64 ~= text.utf8.count && text != self.defaultName
            && ![0x2D, 0x2E, 0x5F].contains(text.utf8.first)
    }
}
