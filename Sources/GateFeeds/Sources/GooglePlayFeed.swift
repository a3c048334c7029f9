internal import GateRules
internal import GateSystem

/// The releases on a Google Play track, as release facts.
///
/// https://developers.google.com/android-publisher/api-ref/rest/v3/applications.tracks.releases
struct GooglePlayFeed: FeedSource {
    /// The API that provides the releases.
    enum Method: String, Sendable, CaseIterable {
        /// The read-only release listing, which does not include the rollout percentage.
        case releases
        /// An edit, which is always discarded; it includes the rollout state, but may invalidate
        /// another open edit.
        case edits
    }

    static let production = "production"
    static let scopes = ["https://www.googleapis.com/auth/androidpublisher"]

    /// The API's URL for the app.
    let url: FetchURL
    let method: Method
    let tokens: AccessTokens
    let package: String
    let track: String
    let store: StoreKeys

    var summary: String { "Google Play \(self.package) \(self.track)" }
    var subject: FeedSubject { .releases }
    /// The version of the interpretation: since version 2, a release includes all of its builds,
    /// and a version only if its name states one unambiguously.
    var interpretation: Int { 2 }

    func follow(
        _ context: FeedContext,
        deliver: (FeedResult) async -> Void
    ) async throws(FeedFailure) -> FeedEnd {
        let releases =
            switch self.method {
            case .releases:
                try GooglePlayReleases(
                    listing: try await self.ask(["tracks", self.track, "releases"], context),
                    of: self.track
                )
            case .edits:
                try GooglePlayReleases(
                    track: try await self.editedTrack(context),
                    named: self.track
                )
            }
        let sightings = GooglePlaySightings(
            of: releases,
            after: context.last?.memory,
            isByHighestCode: context.last?.interpretation == 1,
            now: context.now()
        )
        let value = FeedValue(
            document: sightings.document(for: self.store).text,
            memory: sightings.memory,
            notes: releases.notes + self.notes,
            interpretation: self.interpretation
        )
        await deliver(.value(value))
        return .complete
    }

    /// Notes about the track.
    private var notes: [String] {
        guard self.track != Self.production, self.store.app == nil, self.store.channel == nil else {
            return []
        }
        return [
            "the track '\(self.track)' applies to all clients on \(self.store.platform): set "
                + "'channel' if it is only for testers"
        ]
    }

    /// Reads the track from an edit, which is always discarded.
    private func editedTrack(_ context: FeedContext) async throws(FeedFailure) -> JSONValue {
        let method = FetchRequest.Method.post(body: Array("{}".utf8), type: "application/json")
        let edit = try await self.ask(["edits"], method: method, context)
        guard let id = try edit.text(at: "id") else { throw .content("the edit has no 'id'") }
        let track: Result<JSONValue, FeedFailure>
        do throws(FeedFailure) {
            track = .success(try await self.ask(["edits", id, "tracks", self.track], context))
        } catch {
            track = .failure(error)
        }
        // An edit that is not deleted expires automatically.
        _ = try? await self.send(["edits", id], method: .delete, context)
        return try track.get()
    }

    private func ask(
        _ path: [String],
        method: FetchRequest.Method = .get,
        _ context: FeedContext
    ) async throws(FeedFailure) -> JSONValue {
        let response = try await self.send(path, method: method, context)
        guard response.status == 200 else { throw .google(response) }
        return try JSONValue.body(response.body)
    }

    private func send(
        _ path: [String],
        method: FetchRequest.Method,
        _ context: FeedContext
    ) async throws(FeedFailure) -> FetchResponse {
        guard let url = self.url.appending(components: path) else { throw .fetch(.unsendable) }
        return try await self.tokens.fetch(FetchRequest(url, method: method), context)
    }
}
