import GateProxy
import GateRules

extension SettingFormat where Value == [NamedUpstream] {
    static let namedBackends = Self(
        "NAME=URL, or several such entries separated by commas; "
            + "an entry without a name is another URL for the preceding backend",
        hint: { text in
            do throws(NamedUpstream.Problem) {
                _ = try NamedUpstream.list(text)
                return ""
            } catch {
                return error.hint
            }
        }
    ) { try? NamedUpstream.list($0) }
}

extension SettingFormat where Value == [UpstreamTarget] {
    static let backends = Self(
        "http://HOST[:PORT], https://HOST[:PORT], h2c://HOST[:PORT] or unix:/PATH, "
            + "or several such URLs separated by commas",
        hint: { UpstreamTarget.hint(for: $0) }
    ) { UpstreamTarget.list($0) }
}

extension NamedUpstream {
    /// The reason why a list is invalid.
    fileprivate struct Problem: Error {
        /// The end of the error message: the reason, a suggested correction, or an empty string.
        let hint: String
    }

    /// Parses a comma-separated list of `NAME=URL`.
    ///
    /// An entry without a name is another target for the preceding backend.
    fileprivate static func list(_ text: String) throws(Problem) -> [NamedUpstream] {
        var backends: [NamedUpstream] = []
        for item in self.items(of: text) {
            if let name = item.name {
                do throws(InvalidText) {
                    _ = try BackendName(parsing: name)
                } catch {
                    throw Problem(hint: "; '\(name)' is not a valid backend name: \(error)")
                }
                guard !backends.contains(where: { $0.name == name }) else {
                    throw Problem(
                        hint:
                            "; the name '\(name)' occurs twice: write \(name)=URL,URL for several URLs"
                    )
                }
                backends.append(NamedUpstream(name: name, targets: []))
            } else if backends.isEmpty {
                throw Problem(hint: "; write NAME=\(item.url)")
            }
            guard let target = UpstreamTarget(item.url) else {
                throw Problem(hint: UpstreamTarget.hint(for: item.url))
            }
            backends[backends.count - 1].targets.append(target)
        }
        return backends
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
