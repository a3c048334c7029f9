import GateProxy
import GateRules

extension SettingFormat where Value == [NamedUpstream] {
    static let namedBackends = Self(
        "NAME=URL, several separated by commas; an entry without a name is another URL of the backend before it",
        hint: { NamedUpstream.hint(for: $0) }
    ) { NamedUpstream.list($0) }
}

extension SettingFormat where Value == [UpstreamTarget] {
    static let backends = Self(
        "http://HOST[:PORT], https://HOST[:PORT], h2c://HOST[:PORT] or unix:/PATH, several separated by commas",
        hint: { UpstreamTarget.hint(for: $0) }
    ) { UpstreamTarget.list($0) }
}

extension NamedUpstream {
    /// Parses a comma-separated list of `NAME=URL`.
    ///
    /// An entry without a name is another target of the backend before it. Returns `nil` if an entry is invalid, or if
    /// a name occurs twice.
    static func list(_ text: String) -> [NamedUpstream]? {
        var backends: [NamedUpstream] = []
        for item in self.items(of: text) {
            guard let target = UpstreamTarget(item.url) else { return nil }
            if let name = item.name {
                guard (try? BackendName(parsing: name)) != nil,
                    !backends.contains(where: { $0.name == name })
                else { return nil }
                backends.append(NamedUpstream(name: name, targets: [target]))
            } else {
                guard !backends.isEmpty else { return nil }
                backends[backends.count - 1].targets.append(target)
            }
        }
        return backends
    }

    /// Returns the end of an error message for an invalid list: the reason, or a suggested correction.
    static func hint(for text: String) -> String {
        var names: Set<String> = []
        for item in self.items(of: text) {
            guard let name = item.name else {
                if names.isEmpty { return "; write NAME=\(item.url)" }
                if UpstreamTarget(item.url) == nil { return UpstreamTarget.hint(for: item.url) }
                continue
            }
            do throws(BackendName.Failure) {
                _ = try BackendName(parsing: name)
            } catch {
                return "; '\(name)' is not the name of a backend: \(error)"
            }
            if !names.insert(name).inserted {
                return "; the name '\(name)' occurs twice: write \(name)=URL,URL for several URLs"
            }
            if UpstreamTarget(item.url) == nil { return UpstreamTarget.hint(for: item.url) }
        }
        return ""
    }

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
}
