internal import GatePolicy

/// The versions that the App Store has of an app, country by country, as release facts.
///
/// The lookup needs no key and promises little: answers are cached for hours, countries get a
/// release one after the other, an app that is not there is an empty list, and who asks too often
/// gets 403 without a body. So what was seen once in a country is never taken back. A country that
/// does not answer mutes no other: it keeps what it had, and what was never seen there holds.
struct AppStoreFeed: FeedSource {
    /// How an app is looked for.
    struct Query: Sendable, Equatable {
        let name: String
        let value: String
    }

    static let address = try? FetchURL(parsing: "https://itunes.apple.com/lookup")
    /// Seconds after which somebody who asked too often may ask again.
    private static let throttledFor: Int64 = 1_800

    let url: FetchURL
    let query: Query
    let countries: [String]
    let store: StoreKeys

    var summary: String { "App Store \(self.query.value)" }
    var subject: FeedSubject { .releases }

    func follow(
        _ context: FeedContext,
        deliver: (FeedAnswer) async -> Void
    ) async throws(FeedFailure) -> FeedEnd {
        var sightings = AppStoreSightings(memory: context.last?.memory ?? [:])
        var failures: [(name: String, failure: FeedFailure)] = []
        for country in self.countries {
            do throws(FeedFailure) {
                if let sighting = try await self.ask(country, context) {
                    sightings.add(sighting, in: country)
                }
            } catch {
                failures.append((country, error))
                // A source that says to go away is not asked next door.
                if error.isThrottling { break }
            }
        }
        if failures.isEmpty, sightings.isEmpty {
            throw .content("the App Store has no such app in any of these countries")
        }
        let document = sightings.document(for: self.store, in: self.countries)
        let value = FeedValue(document: document.text, memory: sightings.memory)
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
        let response: FetchResponse
        do {
            response = try await context.fetcher.fetch(
                FetchRequest(try self.address(country, context))
            )
        } catch {
            throw .fetch(error)
        }
        switch response.status {
        case 200:
            return try self.sighting(in: try JSONValue.body(of: response))
        case let status where FeedFailure.throttlingStatuses.contains(status):
            let detail = "asked too often"
            throw FeedFailure(
                .status(response.status, detail: detail),
                retryAfter: RetryAfter(response.head)?.seconds ?? Self.throttledFor
            )
        default:
            throw .status(response.head)
        }
    }

    private func address(
        _ country: String,
        _ context: FeedContext
    ) throws(FetchFailure) -> FetchURL {
        // The caches on the way keep an answer for hours; one question an hour goes past them.
        let hour = context.now().secondsSinceEpoch / 3_600
        do throws(FetchURL.Failure) {
            return try self.url.appending(query: self.query.name, self.query.value)
                .appending(query: "country", country)
                .appending(query: "hour", "\(hour)")
        } catch {
            throw .unsendable
        }
    }

    /// The version that a country has; `nil` if the app is not there.
    private func sighting(
        in body: JSONValue
    ) throws(FeedFailure) -> AppStoreSightings.Sighting? {
        guard let results = body["results"]?.items else {
            throw .content("the answer has no 'results'")
        }
        guard let result = results.first else { return nil }
        guard let version = try result.version(at: "version") else {
            throw .content("the answer has no 'version'")
        }
        guard let since = try result.time(at: "currentVersionReleaseDate") else {
            throw .content("the answer has no 'currentVersionReleaseDate'")
        }
        return AppStoreSightings.Sighting(
            version: version,
            since: since,
            link: try result.text(at: "trackViewUrl"),
            // Nobody is judged by it: one that makes no sense is no reason to take nothing.
            minimumOS: try? result.version(at: "minimumOsVersion")
        )
    }
}

extension FeedFailure {
    /// How the App Store sends somebody away who asks too often.
    fileprivate static let throttlingStatuses = [403, 429]

    fileprivate var isThrottling: Bool {
        if case .status(let status, _) = self.reason {
            Self.throttlingStatuses.contains(status)
        } else {
            false
        }
    }
}
