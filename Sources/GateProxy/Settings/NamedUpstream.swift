/// A backend that rules can select.
package struct NamedUpstream: Sendable, Equatable {
    package let name: String
    /// The targets, which are equivalent.
    package var targets: [UpstreamTarget]

    package init(name: String, targets: [UpstreamTarget]) {
        self.name = name
        self.targets = targets
    }

    /// The `Host` value for requests without `Host`.
    var authority: String { self.targets.first?.authority ?? "localhost" }
}
