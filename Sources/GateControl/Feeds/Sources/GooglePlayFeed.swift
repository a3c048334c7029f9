internal import GatePolicy

/// The releases of a track of Google Play, as release facts.
///
/// https://developers.google.com/android-publisher/api-ref/rest/v3/applications.tracks.releases
struct GooglePlayFeed: FeedSource {
    static let scopes = ["https://www.googleapis.com/auth/androidpublisher"]

    let url: FetchURL
    let tokens: AccessTokens
    let track: String
    let shelf: StoreShelfKeys

    var summary: String { "Google Play \(self.track)" }
    var subject: FeedSubject { .releases }

    func follow(
        _ context: FeedContext,
        deliver: (FeedAnswer) async -> Void
    ) async throws(FeedFailure) -> FeedEnd {
        let response = try await self.tokens.fetch(FetchRequest(self.url), context)
        guard response.status == 200 else { throw .google(response) }
        let releases = try GooglePlayReleases(try JSONValue.body(of: response))
        let sightings = GooglePlaySightings(
            of: releases,
            after: context.last?.memory,
            now: context.now()
        )
        let document = sightings.document(for: self.shelf)
        await deliver(.value(FeedValue(document: document.text, memory: sightings.memory)))
        return .complete
    }
}
