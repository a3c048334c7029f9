/// A host, or all hosts below a domain, that a redirect may lead to.
package struct HostPattern: Sendable, Hashable {
    /// In lower case; begins with a dot if it stands for what is below a domain.
    private let text: String

    /// Reads `example.com`, or `.example.com` for every host that ends with it; `nil` for anything
    /// that no host can match.
    package init?(_ text: String) {
        let name = text.hasPrefix(".") ? text.dropFirst() : text[...]
        let isName = name.wholeMatch(of: /[A-Za-z0-9\-_]+(\.[A-Za-z0-9\-_]+)*/) != nil
        let isAddress = name.wholeMatch(of: /\[[0-9A-Fa-f:.]+\]/) != nil && name == text[...]
        guard isName || isAddress else { return nil }
        // All of a top-level domain is nobody's own.
        guard !text.hasPrefix(".") || name.contains(".") else { return nil }
        self.text = text.lowercased()
    }

    func matches(_ host: String) -> Bool {
        self.text.hasPrefix(".") ? host.hasSuffix(self.text) : host == self.text
    }
}
