/// The treatment of clients that do not say, or not readably, which build they are.
package struct UnidentifiedPolicy: Sendable, Equatable {
    package enum Action: String, Sendable, Equatable, CaseIterable {
        /// The request passes.
        case allow
        /// The request passes; what `reject` would have done is counted and logged.
        case observe
        /// The request is denied as if an upgrade were required.
        case reject
    }

    /// The client says nothing.
    package var missing: Action
    /// The client says something that cannot be read, or two things at once.
    package var unreadable: Action
    /// The name of the notice of a rejection; `nil` for the built-in one.
    package var notice: String?
    /// The link of a rejection.
    package var storeURL: StoreURL?
    /// Requests for which it is stricter; of all that match, the strictest holds.
    package var paths: [UnidentifiedPath]

    /// Nobody is locked out for want of a header: both `allow`.
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

    /// Whether anybody is denied for what it does not say.
    package var rejects: Bool {
        self.missing == .reject || self.unreadable == .reject
            || self.paths.contains { $0.missing == .reject || $0.unreadable == .reject }
    }
}

/// The treatment of clients that do not say which build they are, for some requests.
package struct UnidentifiedPath: Sendable, Equatable {
    package var request: RequestPattern
    /// `nil` for what holds everywhere.
    package var missing: UnidentifiedPolicy.Action?
    /// `nil` for what holds everywhere.
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
