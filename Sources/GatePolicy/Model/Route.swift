/// The backend for clients that a rule matches, instead of the default one.
package struct Route: Sendable, Equatable {
    /// The action for a request while no address of the backend is reachable.
    package enum Fallback: String, Sendable, Equatable, CaseIterable {
        /// The request fails, as with the default backend.
        case refuse
        /// The default backend gets the request.
        case `default`
    }

    /// The name that stands for the default backend; no other backend can have it.
    package static let defaultBackend = "default"

    /// The name of the backend in the settings.
    package var backend: String
    /// Version ranges, one of which has to contain the client's version; empty for all clients.
    package var versions: [VersionRange]
    /// Build ranges, one of which has to contain the client's build; empty for all clients.
    package var builds: [BuildRange]
    package var fallback: Fallback

    package init(
        to backend: String,
        versions: [VersionRange] = [],
        builds: [BuildRange] = [],
        otherwise fallback: Fallback
    ) {
        self.backend = backend
        self.versions = versions
        self.builds = builds
        self.fallback = fallback
    }
}

extension RuleDefinition {
    /// Whether the ranges of the rule's route contain a client's version and build.
    ///
    /// The result is false for a client that does not send a required value: the default backend gets
    /// its requests. `release` is the release of the version; for a release, the version itself.
    func routes(_ version: AppVersion?, _ release: AppVersion?, build: BuildNumber?) -> Bool {
        guard let route else { return false }
        if !route.versions.isEmpty {
            guard let version,
                route.versions.contains(where: { self.contains($0, version, release ?? version) })
            else { return false }
        }
        if !route.builds.isEmpty {
            guard let build, route.builds.contains(where: { $0.contains(build) }) else {
                return false
            }
        }
        return true
    }
}
