import GatePolicy
import GateRules
import GateSystem
import GateTestSupport
import RulesTestSupport
import Synchronization
import Testing

@testable import GateFeeds

struct AppStoreSightingsTests {
    private typealias Sighting = AppStoreSightings.Sighting

    private func sighting(_ version: String, _ day: Int) throws -> Sighting {
        Sighting(
            version: try AppVersion(parsing: version),
            since: try Timestamp(parsing: "2026-11-\(day < 10 ? "0" : "")\(day)T10:00:00Z"),
            link: "https://apps.apple.com/app/id1",
            minimumOS: try AppVersion(parsing: "15.0")
        )
    }

    private static let store = StoreKeys(app: nil, platform: "ios", channel: nil)
    private static let asked = ["jp", "kr", "us"]

    /// Returns each release with the countries that have it.
    private func releases(_ sightings: AppStoreSightings) throws -> [String: [String]] {
        let text = sightings.document(for: Self.store, in: Self.asked).text
        let loaded = try RulesFileLoader.load(sources: [("feed", text)])
        #expect(loaded.definition.releases.allSatisfy { $0.storeCountries == Self.asked })
        return Dictionary(
            uniqueKeysWithValues: loaded.definition.releases.map { release in
                (release.version?.description ?? "", release.countries?.keys.sorted() ?? [])
            }
        )
    }

    @Test func `a country with a newer version also has the older ones`() throws {
        var sightings = AppStoreSightings(memory: [:])
        sightings.add(try self.sighting("4.3", 2), in: "jp")
        sightings.add(try self.sighting("4.2", 1), in: "kr")
        #expect(try self.releases(sightings) == ["4.3": ["jp"], "4.2": ["jp", "kr"]])
    }

    @Test func `sightings are never removed, and survive a restart`() throws {
        var sightings = AppStoreSightings(memory: [:])
        sightings.add(try self.sighting("4.3", 2), in: "jp")
        sightings.add(try self.sighting("4.2", 1), in: "jp")
        #expect(try self.releases(sightings) == ["4.3": ["jp"]])
        var again = AppStoreSightings(memory: sightings.memory)
        #expect(again == sightings)
        again.add(try self.sighting("4.4", 3), in: "jp")
        #expect(try self.releases(again) == ["4.4": ["jp"], "4.3": ["jp"]])
        #expect(again.memory["jp"]?.split(separator: "\n").count == 2)
    }

    @Test func `a country that is no longer configured is left out`() throws {
        var sightings = AppStoreSightings(memory: [:])
        sightings.add(try self.sighting("4.3", 2), in: "gb")
        sightings.add(try self.sighting("4.2", 1), in: "gb")
        sightings.add(try self.sighting("4.2", 1), in: "kr")
        #expect(try self.releases(sightings) == ["4.2": ["kr"]])
    }

    @Test func `two spellings of a version are one release`() throws {
        var sightings = AppStoreSightings(memory: [:])
        sightings.add(try self.sighting("4.3", 2), in: "jp")
        sightings.add(try self.sighting("4.3.0", 2), in: "kr")
        #expect(try self.releases(sightings).values.map { $0 } == [["jp", "kr"]])
    }

    @Test func `sightings stored by an older gate are restored`() throws {
        let link = "https://apps.apple.com/app/id1"
        let old = AppStoreSightings(memory: ["jp": "4.2 2026-11-01T10:00:00Z \(link)"])
        var new = AppStoreSightings(memory: [:])
        var seen = try self.sighting("4.2", 1)
        seen.minimumOS = nil
        new.add(seen, in: "jp")
        #expect(old == new)
        new.add(try self.sighting("4.2", 1), in: "jp")
        #expect(new.memory == ["jp": "4.2 2026-11-01T10:00:00Z os=15.0 \(link)"])
    }

    @Test func `an invalid memory is discarded`() {
        #expect(AppStoreSightings(memory: ["jp": "x", "kr": "4.2"]).isEmpty)
    }
}

/// A loopback server that emulates the App Store lookup.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct AppStoreFeedTests {
    private let fetcher: Fetcher
    private let store: AppStoreLookup

    init() throws {
        self.fetcher = try Fetcher()
        self.store = try AppStoreLookup()
    }

    private func ask(
        _ keys: String = "trackId: 1234567890",
        last: FeedValue? = nil
    ) async -> (value: FeedValue?, failure: FeedFailure?) {
        let file = """
            feeds: [{ id: s, source: appStore, \(keys), countries: [jp, kr, us], url: '\(self.store.url)' }]
            """
        guard let feed = try? RulesFileLoader.load(sources: [("r", file)]).feeds.first else {
            return (nil, nil)
        }
        let context = FeedContext(
            feed: "s",
            fetcher: self.fetcher,
            last: last,
            now: SystemClock.now
        )
        let values = Mutex<[FeedValue]>([])
        do throws(FeedFailure) {
            try await feed.source.follow(context) { answer in
                switch answer {
                case .value(let value), .part(let value): values.withLock { $0.append(value) }
                case .unchanged, .alive, .nonsense: break
                }
            }
            return (values.withLock(\.last), nil)
        } catch {
            return (values.withLock(\.last), error)
        }
    }

    @Test(arguments: ["trackId: 1234567890", "bundleId: com.example.shop"])
    func `each country is looked up`(keys: String) async throws {
        self.store.release("4.3.0", in: "jp", since: "2026-11-20T08:00:00Z")
        self.store.release("4.2.0", in: "us", since: "2026-11-01T08:00:00Z")
        let (value, failure) = await self.ask(keys)
        #expect(failure == nil)
        let document = try #require(value?.document)
        let loaded = try RulesFileLoader.load(sources: [("feed:s", document)])
        #expect(loaded.definition.releases.map { $0.version?.description } == ["4.3.0", "4.2.0"])
        #expect(loaded.definition.releases[1].countries?.keys.sorted() == ["jp", "us"])
        #expect(loaded.definition.releases[0].storeCountries == ["jp", "kr", "us"])
        #expect(
            loaded.definition.releases[0].storeURL
                == "https://apps.apple.com/jp/app/shop/id1234567890?uo=4"
        )
        let systems = loaded.definition.releases.map { $0.minimumOS?.description }
        #expect(systems == ["15.0", "15.0"])
        let targets = self.store.server.requests.map(\.target)
        #expect(targets.count == 3)
        #expect(targets.allSatisfy { $0.contains("country=") && $0.contains("hour=") })
    }

    @Test func `outdated and empty responses remove nothing`() async throws {
        self.store.release("4.3.0", in: "jp", since: "2026-11-20T08:00:00Z")
        let first = await self.ask()
        self.store.release("4.2.0", in: "jp", since: "2026-11-01T08:00:00Z")
        let second = await self.ask(last: first.value)
        #expect(second.value?.document == first.value?.document)
        self.store.remove(from: "jp")
        let third = await self.ask(last: second.value)
        #expect(third.value?.document == first.value?.document)
        #expect(third.failure == nil)
    }

    @Test func `a 403 pauses the feed for half an hour and gives no value`()
        async throws
    {
        self.store.release("4.3.0", in: "jp", since: "2026-11-20T08:00:00Z")
        let first = await self.ask()
        self.store.server.set(.forbidden)
        let second = await self.ask(last: first.value)
        #expect(second.value == nil)
        #expect(second.failure?.retryAfter == 1800)
        // The remaining countries are not requested.
        #expect(self.store.server.requests.count == 4)
    }

    @Test func `a record of another platform is an error and removes nothing`() async throws {
        let keys = "trackId: 1234567890, platform: macos"
        let mac = AppStoreLookup.Record("2.3.5", kind: "mac-software")
        let phone = AppStoreLookup.Record("3.0.3")
        for country in ["jp", "kr", "us"] { self.store.answer(with: [phone, mac], in: country) }
        let first = await self.ask(keys)
        #expect(first.failure == nil)
        #expect(first.value?.document.contains("\"version\": \"2.3.5\"") == true)
        #expect(first.value?.document.contains("3.0.3") == false)
        #expect(self.store.server.requests.allSatisfy { $0.target.contains("entity=desktopS") })

        self.store.answer(with: [phone], in: "us")
        let second = await self.ask(keys, last: first.value)
        #expect(second.value == nil, "nothing new was said")
        let failure = try #require(second.failure?.description)
        #expect(failure.hasPrefix("us: requested 1234567890 for macos"), "\(failure)")

        let alone = await self.ask(keys)
        let document = try #require(alone.value?.document)
        let facts = try RulesFileLoader.load(sources: [("feed:s", document)]).definition.releases
        #expect(facts.map { $0.countries?.keys.sorted() } == [["jp", "kr"]])
    }

    @Test func `remembered versions are kept only for the right platform`()
        async throws
    {
        let keys = "trackId: 1234567890, platform: macos"
        let old = FeedValue(
            document: "releases: []\n",
            memory: [
                "us": "3.0.3 2026-10-02T03:19:36Z\n2.3.0 2026-03-01T00:00:00Z",
                "jp": "3.0.3 2026-10-02T03:19:36Z",
            ]
        )
        let since = "2026-06-01T00:00:00Z"
        let mac = AppStoreLookup.Record("2.3.5", since: since, kind: "mac-software")
        self.store.answer(with: [mac], in: "us")
        self.store.answer(with: [AppStoreLookup.Record("3.0.3")], in: "jp")
        let first = await self.ask(keys, last: old)
        #expect(first.failure?.description.hasPrefix("jp: requested") == true)
        let value = try #require(first.value)
        #expect(value.memory.keys.sorted() == ["us"])
        let facts = try RulesFileLoader.load(sources: [("feed:s", value.document)]).definition
            .releases
        #expect(facts.map { $0.version?.description } == ["2.3.5", "2.3.0"])
        let march = try Timestamp(parsing: "2026-03-01T00:00:00Z")
        #expect(facts[1].countries == ["us": march])

        // From then on, an older response removes nothing, as usual.
        let older = AppStoreLookup.Record("2.2.0", since: since, kind: "mac-software")
        self.store.answer(with: [older], in: "us")
        let second = await self.ask(keys, last: value)
        #expect(second.value == nil)
    }

    @Test func `a failing country is reported and does not block the others`() async throws {
        for country in ["jp", "kr", "us"] {
            self.store.release("4.3.0", in: country, since: "2026-11-20T08:00:00Z")
        }
        self.store.refuse("kr", with: 500)
        let first = await self.ask()
        #expect(first.failure?.description == "kr: the source responded with 500")
        let document = try #require(first.value?.document)
        let facts = try RulesFileLoader.load(sources: [("feed:s", document)]).definition.releases
        #expect(facts.first?.countries?.keys.sorted() == ["jp", "us"])
        #expect(facts.first?.storeCountries == ["jp", "kr", "us"])
        // Without news there is no value, and the country's known versions are kept.
        let second = await self.ask(last: first.value)
        #expect(second.value == nil)
        #expect(second.failure != nil)
        self.store.refuse("us", with: 400)
        self.store.refuse("kr", with: nil)
        let third = await self.ask(last: first.value)
        #expect(third.failure?.description == "us: the source responded with 400")
        #expect(third.value?.document.contains("\"us\": \"2026-11-20T08:00:00Z\"") == true)
        for country in ["jp", "kr"] { self.store.refuse(country, with: 502) }
        let all = await self.ask(last: third.value)
        #expect(all.value == nil)
        #expect(
            all.failure?.description
                == "jp: the source responded with 502; kr: the source responded with 502; "
                + "us: the source responded with 400"
        )
    }

    @Test(arguments: [403, 429])
    func `a throttled feed requests no more countries`(status: Int) async throws {
        self.store.release("4.3.0", in: "jp", since: "2026-11-20T08:00:00Z")
        self.store.refuse("kr", with: status)
        let answer = await self.ask()
        #expect(answer.value != nil)
        #expect(
            answer.failure?.description
                == "kr: the source responded with \(status): too many requests"
        )
        #expect(answer.failure?.retryAfter == 1800)
        #expect(self.store.server.requests.count == 2)
    }

    @Test func `an app that is in no country is an error`() async throws {
        let answer = await self.ask()
        #expect(answer.value == nil)
        #expect(answer.failure != nil)
    }

    @Test(arguments: SourceFault.allCases.filter { $0 != .silent })
    func `a fault of the server never gives a value`(fault: SourceFault) async throws {
        self.store.release("4.3.0", in: "jp", since: "2026-11-20T08:00:00Z")
        let first = await self.ask()
        self.store.server.set(fault)
        let second = await self.ask(last: first.value)
        #expect(second.value == nil)
        #expect(second.failure != nil)
    }
}
