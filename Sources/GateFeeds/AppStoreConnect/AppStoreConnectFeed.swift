internal import GatePolicy
internal import GateRules
internal import GateSystem

/// A feed of the builds and versions of an app, from App Store Connect.
///
/// The formats follow Apple's OpenAPI description of the App Store Connect API, version 4.4.
struct AppStoreConnectFeed: FeedSource {
    static let address = try? FetchURL(parsing: "https://api.appstoreconnect.apple.com")
    /// The platform names of the API.
    static let platforms: [Platform: String] = [
        .ios: "IOS", .macos: "MAC_OS", .tvos: "TV_OS", .visionos: "VISION_OS",
    ]
    /// The key in `FeedValue.memory` for the app's numeric ID, which the feed looks up once by bundle ID.
    private static let number = "app"

    let url: FetchURL
    let app: AppStoreApp
    let key: ConnectKey
    let readiness: ConnectReadiness
    let target: ConnectFacts.Target

    var summary: String { "App Store Connect \(self.app)" }
    var subject: FeedSubject { self.target.rule == nil ? .releases : .anything }

    func follow(
        _ context: FeedContext,
        deliver: (FeedResult) async -> Void
    ) async throws(FeedFailure) -> FeedEnd {
        let now = context.now()
        let token = try self.key.token(now: now)
        var client = ConnectClient(self.url, token: token, fetcher: context.fetcher)
        let number = try await self.number(&client, context)
        var scope = ConnectScope(app: number, platform: self.platform)
        let facts = ConnectFacts(
            builds: try await self.builds(in: &scope, &client),
            versions: try await self.versions(in: &scope, &client)
        )
        guard !facts.builds.isEmpty || !facts.versions.isEmpty else {
            throw .content(
                scope.note
                    ?? "App Store Connect has neither builds nor versions of \(self.app)"
            )
        }
        var memory = facts.sightings(after: context.last?.memory, now: now)
        memory[Self.number] = number
        let document = facts.document(of: context.feed, for: self.target, memory: memory, now: now)
        let notes = [scope.note].compactMap(\.self)
        await deliver(.value(FeedValue(document: document.text, memory: memory, notes: notes)))
        return .complete
    }

    private func number(
        _ client: inout ConnectClient,
        _ context: FeedContext
    ) async throws(FeedFailure) -> String {
        switch self.app {
        case .number(let number): return "\(number)"
        case .bundle(let name):
            if let known = context.last?.memory[Self.number] { return known }
            let apps = try await client.list(
                ["apps"],
                [("filter[bundleId]", name), ("fields[apps]", "bundleId")]
            )
            // The filter also matches bundle IDs that start with `name` but are longer.
            let found = apps.resources.first { $0[path: "attributes.bundleId"] == .text(name) }
            guard let number = found?["id"]?.text else {
                throw .content("App Store Connect has no app \(self.app) that the key can access")
            }
            return number
        }
    }

    private func builds(
        in scope: inout ConnectScope,
        _ client: inout ConnectClient
    ) async throws(FeedFailure) -> [ConnectBuild] {
        let list = try await client.list(
            ["builds"],
            [
                ("filter[app]", scope.app), ("filter[preReleaseVersion.platform]", self.platform),
                ("filter[expired]", "false"), ("sort", "-uploadedDate"),
                ("include", "preReleaseVersion,buildBetaDetail,betaBuildLocalizations"),
                ("fields[betaBuildLocalizations]", "locale,whatsNew"),
                ("limit[betaBuildLocalizations]", "50"),
                (
                    "fields[builds]",
                    "version,uploadedDate,expirationDate,expired,processingState,"
                        + "buildAudienceType,preReleaseVersion,buildBetaDetail,"
                        + "betaBuildLocalizations"
                ),
            ]
        )
        var builds: [ConnectBuild] = []
        for resource in list.resources {
            let platform = list.related("preReleaseVersion", of: resource)?[
                path: "attributes.platform"
            ]?.text
            guard scope.accepts(resource, for: platform) else { continue }
            guard let build = try ConnectBuild(resource, in: list, self.readiness) else { continue }
            builds.append(build)
        }
        return builds
    }

    private func versions(
        in scope: inout ConnectScope,
        _ client: inout ConnectClient
    ) async throws(FeedFailure) -> [ConnectVersion] {
        let list = try await client.list(
            ["apps", scope.app, "appStoreVersions"],
            [
                ("filter[platform]", self.platform),
                ("include", "build,appStoreVersionPhasedRelease"),
            ]
        )
        var versions: [ConnectVersion] = []
        for resource in list.resources {
            let platform = resource[path: "attributes.platform"]?.text
            guard scope.accepts(resource, for: platform) else { continue }
            guard let version = try ConnectVersion(resource, in: list) else { continue }
            versions.append(version)
        }
        return versions
    }

    private var platform: String {
        Self.platforms[self.target.platform] ?? self.target.platform.name.uppercased()
    }
}
