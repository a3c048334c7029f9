/// The hosts that a source may send its caller to, and those of them that learn the caller's
/// secret.
package struct RedirectRule: Sendable, Equatable {
    /// The most hops in a row.
    static let limit = 5
    private static let statuses: Set<Int> = [301, 302, 303, 307, 308]

    /// Hosts besides the first that may answer.
    let hosts: [HostPattern]
    /// Hosts that may answer and are shown the credential, too.
    let trustedHosts: [HostPattern]

    /// Only the origin that was asked first may answer.
    package static let sameOrigin = RedirectRule(hosts: [], trustedHosts: [])

    package init(hosts: [HostPattern] = [], trustedHosts: [HostPattern] = []) {
        self.hosts = hosts
        self.trustedHosts = trustedHosts
    }

    static func isRedirect(_ head: ResponseHead) -> Bool { Self.statuses.contains(head.status) }

    /// The request that a redirect asks for.
    ///
    /// - Parameters:
    ///   - request: The request that was redirected.
    ///   - first: The request of the caller, whose credential and origin count.
    ///   - head: The redirect.
    /// - Returns: The next hop.
    /// - Throws: `FetchFailure` if the redirect must not be followed.
    func next(
        after request: FetchRequest,
        first: FetchRequest,
        _ head: ResponseHead
    ) throws(FetchFailure) -> FetchRequest {
        // Only what can be asked twice: a body may be worth something to whoever gets it.
        guard request.method == .get else { throw .unexpectedRedirect(status: head.status) }
        guard let location = head["Location"] else {
            throw .unexpectedRedirect(status: head.status)
        }
        let url: FetchURL
        do {
            url = try request.url.resolving(location)
        } catch {
            throw .refusedRedirect(host: nil, error)
        }
        let isOrigin = url.hasSameOrigin(as: first.url)
        let isTrusted = isOrigin || self.trustedHosts.contains { $0.matches(url.host) }
        guard isTrusted || self.hosts.contains(where: { $0.matches(url.host) }) else {
            throw .refusedRedirect(host: url.host, nil)
        }
        var next = request
        next.url = url
        next.credential = isTrusted ? first.credential : nil
        next.certificate = isTrusted ? first.certificate : nil
        return next
    }
}

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
