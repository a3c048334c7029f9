internal import GatePolicy
internal import GateRules
internal import GateSystem

/// The versions that the App Store has of an app, country by country, as release facts.
///
/// The lookup needs no key and promises little: answers are cached for hours, countries get a
/// release one after the other, an app that is not there is an empty list, and who asks too often
/// gets 403 without a body. So what was seen once in a country is never taken back. A country that
/// does not answer mutes no other: it keeps what it had, and what was never seen there holds. The
/// same goes for one whose answer is about another app or platform.
struct AppStoreFeed: FeedSource {
    static let address = try? FetchURL(parsing: "https://itunes.apple.com/lookup")
    /// Seconds after which somebody who asked too often may ask again.
    private static let throttledFor: Int64 = 1_800

    let url: FetchURL
    let question: AppStoreQuestion
    let countries: [String]
    let store: StoreKeys

    var summary: String { "App Store \(self.question.app)" }
    var subject: FeedSubject { .releases }
    /// 2: a record counts only for the platform and the app that it is about.
    var interpretation: Int { 2 }

    func follow(
        _ context: FeedContext,
        deliver: (FeedAnswer) async -> Void
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
                // A source that says to go away is not asked next door.
                if error.isThrottling { break }
            }
        }
        if failures.isEmpty, sightings.isEmpty {
            throw .content("the App Store has no app \(self.question) in any of these countries")
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
            var url = self.url
            for (name, value) in self.question.parameters {
                url = try url.appending(query: name, value)
            }
            return try url.appending(query: "country", country)
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
        guard let result = try self.question.record(in: results) else { return nil }
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
