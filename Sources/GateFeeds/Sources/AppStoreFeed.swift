internal import GatePolicy
internal import GateRules
internal import GateSystem

/// The versions of an app in the App Store by country, as release facts.
///
/// The lookup API needs no key and offers few guarantees. Responses are cached for hours, a release
/// reaches one country after another, and the result for a missing app is an empty list. If there
/// are too many requests, the API responds with status 403 and no body.
///
/// The newest versions seen in a country are kept, even if a later response lacks them. If the
/// request for a country fails, or the response is about another app or platform, the country keeps
/// its versions, and the other countries are not affected.
struct AppStoreFeed: FeedSource {
    static let address = try? FetchURL(parsing: "https://itunes.apple.com/lookup")
    /// The delay in seconds after exceeding the rate limit.
    private static let throttledFor: Int64 = 1_800

    let url: FetchURL
    let question: AppStoreQuestion
    let countries: [String]
    let store: StoreKeys

    var summary: String { "App Store \(self.question.app)" }
    var subject: FeedSubject { .releases }
    /// The version of the interpretation: since version 2, only records for the requested platform
    /// and app are used.
    var interpretation: Int { 2 }

    func follow(
        _ context: FeedContext,
        deliver: (FeedResult) async -> Void
    ) async throws(FeedFailure) -> FeedEnd {
        let remembered = AppStoreSightings(memory: context.last?.memory ?? [:])
        let isTrusted = context.last?.interpretation == self.interpretation
        var sightings = isTrusted ? remembered : AppStoreSightings()
        var failures: [(name: String, failure: FeedFailure)] = []
        for country in self.countries {
            do throws(FeedFailure) {
                if let sighting = try await self.ask(country, context) {
                    if !isTrusted { sightings.adopt(remembered, in: country, upTo: sighting) }
                    sightings.add(sighting, in: country)
                }
            } catch {
                failures.append((country, error))
                // While the rate limit is exceeded, requests for the other countries would also fail.
                if error.isThrottling { break }
            }
        }
        if failures.isEmpty, sightings.isEmpty {
            throw .content(
                "the App Store has no app \(self.question) in any of the feed's countries"
            )
        }
        let document = sightings.document(for: self.store, in: self.countries)
        let value = FeedValue(
            document: document.text,
            memory: sightings.memory,
            interpretation: self.interpretation
        )
        guard !failures.isEmpty else {
            await deliver(.value(value))
            return .complete
        }
        if !sightings.isEmpty, value != context.last { await deliver(.part(value)) }
        throw .parts(failures)
    }

    private func ask(
        _ country: String,
        _ context: FeedContext
    ) async throws(FeedFailure) -> AppStoreSightings.Sighting? {
        let request = FetchRequest(try self.address(country, context))
        let response = try await context.fetcher.response(to: request)
        switch response.status {
        case 200:
            return try self.sighting(in: try JSONValue.body(response.body))
        case let status where FeedFailure.throttlingStatuses.contains(status):
            throw FeedFailure(
                .status(status, detail: "too many requests"),
                retryAfter: RetryAfter(response.head)?.seconds ?? Self.throttledFor
            )
        default:
            throw .status(response.head)
        }
    }

    private func address(
        _ country: String,
        _ context: FeedContext
    ) throws(FeedFailure) -> FetchURL {
        // Intermediate caches store responses for hours; a parameter whose value changes every hour
        // bypasses them.
        let hour = context.now().secondsSinceEpoch / 3_600
        return try self.url.appending(
            self.question.parameters + [("country", country), ("hour", "\(hour)")]
        )
    }

    /// Returns the version in a country; `nil` if the app is not available there.
    private func sighting(
        in body: JSONValue
    ) throws(FeedFailure) -> AppStoreSightings.Sighting? {
        guard let results = body["results"]?.items else {
            throw .content("the response has no 'results'")
        }
        guard let result = try self.question.record(in: results) else { return nil }
        guard let version = try result.version(at: "version") else {
            throw .content("the response has no 'version'")
        }
        guard let since = try result.time(at: "currentVersionReleaseDate") else {
            throw .content("the response has no 'currentVersionReleaseDate'")
        }
        return AppStoreSightings.Sighting(
            version: version,
            since: since,
            link: try result.text(at: "trackViewUrl"),
            // The minimum OS version does not affect decisions, so an invalid one is ignored.
            minimumOS: try? result.version(at: "minimumOsVersion")
        )
    }
}

extension FeedFailure {
    /// The status codes with which the API responds when the rate limit is exceeded.
    fileprivate static let throttlingStatuses = [403, 429]

    fileprivate var isThrottling: Bool {
        if case .status(let status, _) = self.reason {
            Self.throttlingStatuses.contains(status)
        } else {
            false
        }
    }
}
