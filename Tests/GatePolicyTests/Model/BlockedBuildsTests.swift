import Testing

@testable import GatePolicy

@Suite struct BlockedBuildsTests {
    private static func rules(_ prerelease: PrereleasePolicy = .asRelease) throws -> RuleSet {
        var rule = try rule("a", minimum: "2", prerelease: prerelease)
        rule.blockedBuilds = [
            BlockedBuilds(BuildRange(41...41)),
            BlockedBuilds(try BuildRange(parsing: ">=100 <200")),
            BlockedBuilds(BuildRange(7...7), of: try VersionRange(parsing: ">=3 <4")),
        ]
        return ruleSet([rule])
    }

    static let cases: [(String?, BuildNumber?, String)] = [
        ("3.0", 40, "the client meets every rule that applies"),
        ("3.0", 41, "the build is blocked by '41'"),
        ("5.0", 41, "the build is blocked by '41'"),
        (nil, 41, "the build is blocked by '41'"),
        ("3.0", 99, "the client meets every rule that applies"),
        ("3.0", 100, "the build is blocked by '>=100 <200'"),
        ("3.0", 199, "the build is blocked by '>=100 <200'"),
        ("3.0", 200, "the client meets every rule that applies"),
        ("3.9", 7, "the build is blocked by '7 of >=3 <4'"),
        ("4.0", 7, "the client meets every rule that applies"),
        ("4.0-rc.1", 7, "the client meets every rule that applies"),
        ("1.9", 41, "the version is below the minimum"),
        (nil, 7, "the client does not state its version"),
        ("3.0", nil, "the client does not state its build"),
    ]

    @Test(arguments: cases)
    func `a build is denied by its number or its version`(
        version: String?,
        build: BuildNumber?,
        reason: String
    ) throws {
        let rules = try Self.rules()
        let decision = rules.decide(
            try client(version: version, build: build),
            in: rules.scope()
        )
        #expect("\(decision.reason)" == reason)
        let isRefused = reason.contains("blocked") || reason.contains("below")
        #expect((decision.kind == .require) == isRefused)
    }

    static let forms: [(BlockedBuilds, String?, BuildNumber?, Bool)] = {
        func entry(
            _ builds: BuildRange? = nil,
            version: ([String], [String]) = ([], []),
            build: ([String], [String]) = ([], [])
        ) -> BlockedBuilds {
            func patterns(_ texts: ([String], [String])) -> WrittenForm.Patterns {
                let read = { (texts: [String]) in
                    texts.compactMap { try? WrittenPattern(parsing: $0) }
                }
                return WrittenForm.Patterns(all: read(texts.0), none: read(texts.1))
            }
            return BlockedBuilds(
                builds,
                written: WrittenForm(version: patterns(version), build: patterns(build))
            )
        }
        let beta = entry(version: (["-beta"], []))
        let other = entry(version: (["^3\\."], ["beta", "rc"]))
        let seven = entry(build: (["7$"], []))
        let both = entry(BuildRange(100...200), version: (["^3"], []), build: ([], ["5"]))
        return [
            (beta, "3.0-beta.1", nil, true), (beta, "3.0", nil, false), (beta, nil, 7, false),
            (other, "3.1", nil, true), (other, "3.1-rc.1", nil, false), (other, "30", nil, false),
            // A version is compared in its canonical form.
            (other, "v03.1+beta", nil, true),
            (seven, "3.0", 107, true), (seven, "3.0", 70, false), (seven, "3.0", nil, false),
            (both, "3.0", 104, true), (both, "3.0", 105, false), (both, "4.0", 104, false),
            (both, "3.0", 99, false),
        ]
    }()

    @Test(arguments: forms)
    func `a build is denied by the form of its text`(
        entry: BlockedBuilds,
        version: String?,
        build: BuildNumber?,
        isRefused: Bool
    ) throws {
        var rule = try rule("a")
        rule.blockedBuilds = [entry]
        let rules = ruleSet([rule])
        let decision = rules.decide(try client(version: version, build: build), in: rules.scope())
        #expect((decision.kind == .require) == isRefused, "\(decision.reason)")
        // Equal versions can have several spellings.
        #expect(rules.clientClasses == nil)
    }

    @Test func `a value that a form needs is a gap if it is missing`() throws {
        var rule = try rule("a")
        rule.blockedBuilds = [Self.like("beta", build: "7$")]
        let rules = ruleSet([rule])
        func reason(_ version: String?, _ build: BuildNumber?) throws -> String {
            let identity = try client(version: version, build: build)
            return "\(rules.decide(identity, in: rules.scope()).reason)"
        }
        #expect(try reason(nil, 7) == "the client does not state its version")
        #expect(try reason("3.0-beta", nil) == "the client does not state its build")
        #expect(try reason("3.0", 7) == "the client meets every rule that applies")
    }

    @Test func `a strict rule treats a pre-release as older than its release`() throws {
        let rules = try Self.rules(.strict)
        let identity = try client(version: "4.0-rc.1", build: 7)
        #expect(rules.decide(identity, in: rules.scope()).kind == .require)
    }

    @Test func `clients on both sides of a bound are in different classes`() throws {
        let classes = try #require(try Self.rules().clientClasses)
        let index = try #require(
            try Self.rules().identityHeaderNames.firstIndex(of: "x-app-build")
        )
        func key(_ build: String) -> [UInt8]? {
            var key: [UInt8] = []
            var told = ClientClasses.Told()
            let isTold = classes.tell(header: index, build.utf8.span, to: &key, &told)
            return isTold ? key : nil
        }
        let builds = ["6", "7", "8", "40", "41", "42", "99", "100", "199", "200"]
        let keys = try builds.map { try #require(key($0)) }
        // No rule distinguishes builds between two bounds.
        #expect(Set(keys).count == builds.count - 2)
        #expect(key("8") == key("40") && key("42") == key("99") && key("150") == key("199"))
        #expect(key("7") != key("7.1") && key("7.1") == key("8") && key("199.9") == key("199"))
    }

    @Test func `each of many bounds starts a class of its own`() throws {
        // More than the positions that fit into one and into two bytes of a key.
        var rule = try rule("a", minimum: "2")
        rule.blockedBuilds = (1...9_000).map { number in
            let build = BuildNumber(UInt64(2 * number))
            return BlockedBuilds(BuildRange(build...build))
        }
        let rules = ruleSet([rule])
        let classes = try #require(rules.clientClasses)
        let names = rules.identityHeaderNames
        let version = try #require(names.firstIndex(of: "x-app-version"))
        let build = try #require(names.firstIndex(of: "x-app-build"))
        var keys: Set<[UInt8]> = []
        for number in 1...18_001 {
            var key: [UInt8] = []
            var told = ClientClasses.Told()
            for (index, value) in [(version, "3.0"), (build, "\(number)")] {
                let isTold = classes.tell(header: index, value.utf8Span.span, to: &key, &told)
                #expect(isTold)
            }
            keys.insert(key)
        }
        #expect(keys.count == 18_001)
    }

    @Test func `a comparison reports changed builds by their ranges`() throws {
        let before = ruleSet([try rule("a", minimum: "2")])
        let difference = RuleSetComparison(old: before, new: try Self.rules())
            .difference(at: second(0))
        let builds = difference.periods.flatMap(\.changes).compactMap(\.builds)
        #expect(builds.contains(.only(["41", ">=100 <200"])), "\(builds)")
    }

    private static func like(_ pattern: String, build: String? = nil) -> BlockedBuilds {
        func patterns(_ text: String?) -> WrittenForm.Patterns {
            .init(all: [text].compactMap { $0.flatMap { try? WrittenPattern(parsing: $0) } })
        }
        return BlockedBuilds(
            nil,
            written: WrittenForm(version: patterns(pattern), build: patterns(build))
        )
    }

    static let reaches: [([BlockedBuilds], VersionReach)] = [
        ([like("beta")], .open), ([like("[0-9]")], .closed), ([like(".", build: "7$")], .open),
        ([like(".", build: "[0-9]")], .closedAbove),
        ([BlockedBuilds(BuildRange(41...41))], .open),
        ([BlockedBuilds(BuildRange(41 ... .max))], .closedAbove),
        ([BlockedBuilds(BuildRange(0 ... .max), of: try? VersionRange(parsing: "3.x"))], .open),
        (
            [BlockedBuilds(BuildRange(0 ... .max), of: try? VersionRange(parsing: ">=3"))],
            .closedAbove
        ),
    ]

    @Test(arguments: reaches)
    func `blocking all builds above a bound leaves no update`(
        blocked: [BlockedBuilds],
        reach: VersionReach
    ) throws {
        var rule = try rule("a", minimum: "2")
        rule.blockedBuilds = blocked
        #expect(VersionReach(of: [rule]) == reach)
    }
}
