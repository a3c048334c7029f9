/// The policy for clients with a missing or unparsable part of the identity that decides whether they are denied.
package struct UnidentifiedPolicy: Sendable, Equatable {
    package enum Action: String, Sendable, Equatable, CaseIterable {
        /// The request passes.
        case allow
        /// The request passes, and the denial that `reject` would cause is only counted and logged.
        case observe
        /// The request is denied as if an upgrade were required.
        case reject
    }

    /// The action if the client sends no value.
    package var missing: Action
    /// The action if the client sends an unparsable value, or several different values.
    package var unreadable: Action
    /// The name of the notice for rejected clients; `nil` means the built-in notice.
    package var notice: String?
    /// The store URL for rejected clients.
    package var storeURL: StoreURL?
    /// The requests with a stricter policy.
    ///
    /// If several entries match a request, the strictest applies.
    package var paths: [UnidentifiedPath]

    /// The default policy, in which both actions are `allow`.
    ///
    /// No client is denied because of a missing header.
    package static let defaults = UnidentifiedPolicy(missing: .allow, unreadable: .allow)

    package init(
        missing: Action,
        unreadable: Action,
        notice: String? = nil,
        storeURL: StoreURL? = nil,
        paths: [UnidentifiedPath] = []
    ) {
        self.missing = missing
        self.unreadable = unreadable
        self.notice = notice
        self.storeURL = storeURL
        self.paths = paths
    }

    /// Whether the policy can deny requests.
    package var rejects: Bool {
        self.missing == .reject || self.unreadable == .reject
            || self.paths.contains { $0.missing == .reject || $0.unreadable == .reject }
    }
}

/// A stricter policy for unidentified clients, for some requests.
package struct UnidentifiedPath: Sendable, Equatable {
    package var request: RequestPattern
    /// The action if the client sends no value; `nil` means the default action of the policy.
    package var missing: UnidentifiedPolicy.Action?
    /// The action if the client sends an unparsable value, or several different values.
    ///
    /// `nil` means the default action of the policy.
    package var unreadable: UnidentifiedPolicy.Action?

    package init(
        request: RequestPattern,
        missing: UnidentifiedPolicy.Action? = nil,
        unreadable: UnidentifiedPolicy.Action? = nil
    ) {
        self.request = request
        self.missing = missing
        self.unreadable = unreadable
    }
}
