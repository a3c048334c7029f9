/// The backend, other than the default backend, for the clients that a rule matches.
package struct Route: Sendable, Equatable {
    /// The action for a request while no address of the backend can be reached.
    package enum Fallback: String, Sendable, Equatable, CaseIterable {
        /// The request fails, as with the default backend.
        case refuse
        /// The default backend gets the request.
        case `default`
    }

    /// The name of the default backend, which no other backend can have.
    package static let defaultBackend = "default"

    /// The name of the backend in the settings.
    package var backend: String
    /// The version ranges that the route includes; empty if the version does not matter.
    ///
    /// One of the ranges must contain the client's version.
    package var versions: [VersionRange]
    /// The build ranges that the route includes; empty if the build does not matter.
    ///
    /// One of the ranges must contain the client's build.
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
    /// The result is false for a client that does not send a required value, whose requests go to
    /// the default backend. `release` is the release that a pre-release precedes, or the version
    /// itself.
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
