/// A pattern for hosts to which redirects are allowed: a single host, or all hosts below a domain.
package struct HostPattern: Sendable, Hashable {
    /// The pattern in lowercase; a leading dot matches all hosts below a domain.
    private let text: String

    /// Parses `example.com`, or `.example.com` for all hosts with that suffix.
    ///
    /// Returns `nil` for a string that cannot match a host.
    package init?(_ text: String) {
        let name = text.hasPrefix(".") ? text.dropFirst() : text[...]
        let isName = name.wholeMatch(of: /[A-Za-z0-9\-_]+(\.[A-Za-z0-9\-_]+)*/) != nil
        let isAddress = name.wholeMatch(of: /\[[0-9A-Fa-f:.]+\]/) != nil && name == text[...]
        guard isName || isAddress else { return nil }
        // The hosts below a top-level domain belong to many owners.
        guard !text.hasPrefix(".") || name.contains(".") else { return nil }
        self.text = text.lowercased()
    }

    func matches(_ host: String) -> Bool {
        self.text.hasPrefix(".") ? host.hasSuffix(self.text) : host == self.text
    }
}
