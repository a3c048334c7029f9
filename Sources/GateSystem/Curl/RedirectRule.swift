/// The hosts that redirects may lead to, and the hosts among them that receive the credential.
package struct RedirectRule: Sendable, Equatable {
    /// The maximum number of consecutive redirects.
    static let limit = 5
    private static let statuses: Set<Int> = [301, 302, 303, 307, 308]

    /// Additional hosts that redirects may lead to; they receive no credential.
    let hosts: [HostPattern]
    /// Additional hosts that redirects may lead to and that receive the credential.
    let trustedHosts: [HostPattern]

    /// Allows redirects only to the origin of the first request.
    package static let sameOrigin = RedirectRule(hosts: [], trustedHosts: [])

    package init(hosts: [HostPattern] = [], trustedHosts: [HostPattern] = []) {
        self.hosts = hosts
        self.trustedHosts = trustedHosts
    }

    static func isRedirect(_ head: ResponseHead) -> Bool { Self.statuses.contains(head.status) }

    /// Creates the request that follows a redirect.
    ///
    /// - Parameters:
    ///   - request: The request that was redirected.
    ///   - first: The caller's request, with its credential and origin.
    ///   - head: The head of the redirect.
    /// - Returns: The next request.
    /// - Throws: `FetchFailure` if the redirect must not be followed.
    func next(
        after request: FetchRequest,
        first: FetchRequest,
        _ head: ResponseHead
    ) throws(FetchFailure) -> FetchRequest {
        // Other requests are not sent again: a body may contain secrets for the original host.
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

/// A pattern for a host, or for all hosts below a domain, that a redirect may lead to.
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
