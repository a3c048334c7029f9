import GatePolicy
import GateRules
import Testing

@testable import GateFeeds

struct RemoteConfigConditionParserTests {
    typealias Element = RemoteConfigCondition.Element

    static func elements() throws -> [(String, [Element])] {
        let version = try AppVersion(parsing: "1.2.0")
        let other = try AppVersion(parsing: "1.2.1")
        let time = try Timestamp(parsing: "2026-01-02T03:04:05Z")
        let pattern = { (text: String) in try WrittenPattern(parsing: text) }
        let (ten, either) = (try pattern("10"), try pattern(#"1\.2|x"#))
        let start = try pattern("^1.2")
        return [
            ("true", [.constant(true)]),
            ("false && true", [.constant(false), .constant(true)]),
            ("device.os == 'ios'", [.platform(["ios"])]),
            ("device.os in ['ios', 'Android']", [.platform(["ios", "android"])]),
            ("app.id == '1:2:ios:3'", [.app("1:2:ios:3")]),
            ("device.language in ['en-US', 'zh_TW']", [.language(["en-us", "zh-tw"])]),
            ("device.language == 'ja'", [.language(["ja"])]),
            ("app.version.>=(['1.2.0'])", [.version(.atLeast, [version])]),
            ("app.version.<(['1.2.0'])", [.version(.below, [version])]),
            ("app.version.!=(['1.2.0'])", [.version(.unequal, [version])]),
            (
                "app.version.exactlyMatches(['1.2.0', '1.2.1'])",
                [.version(.equal, [version, other])]
            ),
            ("app.build.>=(['100'])", [.build(.atLeast, [100])]),
            ("app.build.exactlyMatches(['100', '101'])", [.build(.equal, [100, 101])]),
            (
                "app.build.contains(['10'])",
                [.written(.init(part: .build, pattern: ten), isMet: true)]
            ),
            (
                "app.version.notContains(['1.2', 'x'])",
                [.written(.init(part: .version, pattern: either), isMet: false)]
            ),
            (
                "app.version.matches(['^1.2'])",
                [.written(.init(part: .version, pattern: start), isMet: true)]
            ),
            (
                "device.os == 'ios' && app.version.<=(['1.2.0'])",
                [.platform(["ios"]), .version(.atMost, [version])]
            ),
            (
                "dateTime >= dateTime('2026-01-02T03:04:05')",
                [.time(.atLeast, time, zone: "GMT")]
            ),
            (
                "dateTime < dateTime('2026-01-02T03:04:05', 'UTC')",
                [.time(.below, time, zone: "UTC")]
            ),
            (
                "dateTime < dateTime('2026-01-02T03:04:05', 'Asia/Tokyo')",
                [.time(.below, time, zone: "Asia/Tokyo")]
            ),
            (#"app.id == 'a && b\'c'"#, [.app("a && b'c")]),
        ]
    }

    @Test(arguments: try elements())
    func `an expression is split into its conditions`(expression: String, elements: [Element]) {
        #expect(RemoteConfigConditionParser.parse(expression).elements == elements)
    }

    @Test(arguments: [
        "",
        "percent <= 10",
        "percent('seed') between 0 and 20",
        "app.audiences.inAtLeastOne(['purchasers'])",
        "app.userProperty['tier'].exactlyMatches(['gold'])",
        "device.country in ['US', 'CA']",
        "app.build.>=(['100', '101'])",
        "app.build.>=(['1.0.1'])",
        "app.build.exactlyMatches(['100', 'next'])",
        "app.build.contains([])",
        "app.version.contains(['1.2+debug'])",
        "app.version.notMatches(['^1.2'])",
        "app.operatingSystemAndVersion.inAtLeastOne([('Windows', ['10.0'])])",
        "app.browserAndVersion.inAtLeastOne([('Chrome', ['120'])])",
        "app.customSignal['tier'].exactlyMatches(['gold'])",
        "app.firebaseInstallationId in ['c123456789A']",
        "app.firstOpenTimestamp >= ('2026-01-02T03:04:05', 'UTC')",
        "app.version.>=(['1.2.0', '1.3.0'])",
        "app.version.>=(['next'])",
        "app.version >= '1.2.0'",
        "firebaseInstallationId in ['c123456789A']",
        "firstOpenTimestamp >= dateTime('2026-01-02T03:04:05', 'UTC')",
        "dateTime >= dateTime('soon')",
        "device.os == 'ios' || device.os == 'android'",
        "device.os == 'ios",
        "device.os in []",
        "truely",
        "!true",
    ])
    func `a condition that depends on Firebase is undecidable`(expression: String) {
        let elements = RemoteConfigConditionParser.parse(expression).elements
        #expect(elements == [.undecidable(expression)])
    }
}
