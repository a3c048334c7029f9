import GatePolicy
import GateRules
import Testing

@testable import GateFeeds

struct SourceValueTests {
    private static func value(_ json: String) throws -> JSONValue {
        try JSONParser.parse(Array(json.utf8))
    }

    @Test(arguments: [
        ("true", true), ("false", false), (#""true""#, true), (#""FALSE""#, false),
        (#""yes""#, true),
        (#""off""#, false), (#""1""#, true), (#""0""#, false), (#""on""#, true), (#""""#, false),
        ("1", true), ("0", false), ("[true]", true),
    ])
    func `a switch is on or off`(json: String, isOn: Bool) throws {
        #expect(try SourceValue.isOn(Self.value(json)) == isOn)
    }

    @Test(arguments: [
        #""maybe""#, #""soon""#, "2", "-1", "1.0", "{}", "[]", "[true,false]", #""truе""#, #"" ""#,
        "null",
    ])
    func `an invalid switch is a fault`(json: String) throws {
        let value = try Self.value(json)
        #expect(throws: SourceValue.Fault.self) { try SourceValue.isOn(value) }
    }

    @Test(
        arguments: [
            ("41200", "41200"), (#""41200""#, "41200"), (#"" 41200 ""#, "41200"), ("0", "0"),
            (#"["41200"]"#, "41200"), (#""""#, nil), ("null", nil), ("[]", nil),
        ] as [(String, String?)]
    )
    func `a build is an integer or a text`(json: String, build: String?) throws {
        #expect(try SourceValue.build(Self.value(json))?.description == build)
    }

    @Test(arguments: [
        ("93.1", "found the number 93.1; numbers lose trailing zeros (93.10 is 93.1): quote it"),
        ("1e5", "found the number 1e5"), ("-3", "found the number -3"), ("true", "found true"),
        ("{}", "found an object"), (#""4.1.0 or later""#, "not a valid build"),
        (#""latest""#, "not a valid build"),
    ])
    func `an invalid build is a fault`(json: String, message: String) throws {
        let value = try Self.value(json)
        let fault = #expect(throws: SourceValue.Fault.self) { try SourceValue.build(value) }
        let words = fault.map { FeedFailure.fault($0, at: "minBuild").description } ?? ""
        #expect(words.contains(message), "\(words)")
    }

    @Test(arguments: [
        ("41200", "if it is a build, map it"),
        ("4.1", "numbers lose trailing zeros (1.10 is 1.1): quote it"),
        (#""4.1.0 or later""#, "is not a valid version"),
        (#""Version 4.1.0""#, "is not a valid version"),
        (#""4.1.0, 4.2.0""#, "is not a valid version"), (#"["4.1","4.2"]"#, "found a list of 2"),
        (#"{"ios":"4.1"}"#, "found an object"), ("true", "found true"),
    ])
    func `an invalid version is a fault`(json: String, message: String) throws {
        let value = try Self.value(json)
        let fault = #expect(throws: SourceValue.Fault.self) { try SourceValue.version(value) }
        let words = fault.map { FeedFailure.fault($0, at: "minVersion").description } ?? ""
        #expect(words.contains(message), "\(words)")
    }

    @Test(arguments: [
        (#""Update""#, ["en": "Update"]), (#"["Update"]"#, ["en": "Update"]), (#""""#, [:]),
        (#"{"en":"Update","ja":"更新"}"#, ["en": "Update", "ja": "更新"]),
        (#"{"pt_BR":"Atualizar","zh-Hant":"更新"}"#, ["pt-BR": "Atualizar", "zh-Hant": "更新"]),
        (#"{"en":"Update","ja":""}"#, ["en": "Update"]),
        (#"{"en":"Update","ja":null}"#, ["en": "Update"]),
        ("{}", [:]),
    ])
    func `texts have one language or several`(json: String, words: [String: String]) throws {
        let read = try SourceValue.words(Self.value(json), in: .english)
        let named = Dictionary(uniqueKeysWithValues: read.map { ("\($0)", $1) })
        #expect(named == words)
    }

    @Test(arguments: [
        #"{"text":"Update"}"#, #"{"en":1}"#, "7", "true", #"["a","b"]"#, #"{"en":{"title":"a"}}"#,
    ])
    func `invalid texts are a fault`(json: String) throws {
        let value = try Self.value(json)
        #expect(throws: SourceValue.Fault.self) { try SourceValue.words(value, in: .english) }
    }

    @Test(arguments: [
        (#""3.7.2""#, "3.7.2"), (#"">=3.9.0 <3.9.4""#, ">=3.9.0 <3.9.4"),
        (#"["3.7.2","3.8.x"]"#, "3.7.2, 3.8.x"), (#""""#, ""), ("[]", ""),
        (#"["3.7.2",""]"#, "3.7.2"),
    ])
    func `blocked versions are ranges`(json: String, ranges: String) throws {
        let read = try SourceValue.versionRanges(Self.value(json))
        #expect(read.map(\.description).joined(separator: ", ") == ranges)
    }

    @Test(arguments: [
        ("41215", "41215"), (#"">=41215 <41220""#, ">=41215 <41220"),
        (#"[41215,"41218"]"#, "41215, 41218"),
        (#""""#, ""),
    ])
    func `blocked builds are ranges`(json: String, ranges: String) throws {
        let read = try SourceValue.buildRanges(Self.value(json))
        #expect(read.map(\.description).joined(separator: ", ") == ranges)
    }
}

struct SourceMaintenanceTests {
    @Test(arguments: [
        ("true", "open"), ("false", "none"), (#""on""#, "open"), (#"{"enabled":true}"#, "open"),
        (
            #"{"enabled":false,"from":"2026-12-24T01:00:00Z","until":"2026-12-24T03:00:00Z"}"#,
            "none"
        ),
        (
            #"{"from":"2026-12-24T01:00:00Z","until":"2026-12-24T03:00:00Z"}"#,
            "2026-12-24T01:00:00Z 2026-12-24T03:00:00Z"
        ),
        (
            #"{"enabled":true,"from":"2026-12-24T10:00:00+09:00","until":"2026-12-24T03:00:00Z"}"#,
            "2026-12-24T01:00:00Z 2026-12-24T03:00:00Z"
        ),
        (#"{"enabled":true,"from":"","until":""}"#, "open"), (#"{"from":"","until":""}"#, "none"),
        (#"{"enabled":true,"message":"Back soon"}"#, "open"),
        // A window without an end, a window that ends before its start, and invalid values.
        (#"{"from":"2026-12-24T01:00:00Z"}"#, "fault"),
        (#"{"until":"2026-12-24T01:00:00Z"}"#, "fault"),
        (#"{"from":"2026-12-24T03:00:00Z","until":"2026-12-24T01:00:00Z"}"#, "fault"),
        (#"{"from":"tonight","until":"2026-12-24T01:00:00Z"}"#, "fault"),
        (#"{"enabled":"maybe"}"#, "fault"), (#"{"enable":true}"#, "fault"), ("{}", "fault"),
        (#"{"message":"Back soon"}"#, "fault"), (#""tonight""#, "fault"), ("5", "fault"),
    ])
    func `maintenance is a switch, a window or both`(json: String, expected: String) throws {
        let value = try JSONParser.parse(Array(json.utf8))
        let found: String
        do throws(SourceValue.Fault) {
            let window = try SourceMaintenance.reading(value, in: .english).window()
            found =
                window.map { window in
                    guard let from = window.from, let until = window.until else { return "open" }
                    return "\(from) \(until)"
                } ?? "none"
        } catch {
            found = "fault"
        }
        #expect(found == expected)
    }
}
