/// The hosts to which redirects are allowed, and the hosts among them that receive the credential.
package struct RedirectRule: Sendable, Equatable {
    /// The maximum number of consecutive redirects.
    static let limit = 5
    private static let statuses: Set<Int> = [301, 302, 303, 307, 308]

    /// Additional hosts to which redirects are allowed, but without the credential.
    let hosts: [HostPattern]
    /// Additional hosts to which redirects are allowed, with the credential.
    let trustedHosts: [HostPattern]

    /// Allows redirects only to the origin of the first request.
    package static let sameOrigin = RedirectRule()

    package init(hosts: [HostPattern] = [], trustedHosts: [HostPattern] = []) {
        self.hosts = hosts
        self.trustedHosts = trustedHosts
    }

    static func isRedirect(_ head: ResponseHead) -> Bool { Self.statuses.contains(head.status) }

    /// Creates the request that follows a redirect of `request`.
    ///
    /// `first` is the caller's request; its origin and `trustedHosts` receive the credential.
    func next(
        after request: FetchRequest,
        first: FetchRequest,
        _ head: ResponseHead
    ) throws(FetchFailure) -> FetchRequest {
        // Other methods are not redirected: a body may contain secrets for the original host.
        guard request.method == .get, let location = head["Location"] else {
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
