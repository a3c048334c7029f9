import GatePolicy
import GateRules
import GateTestSupport
import Testing

@testable import GateFeeds

/// Lookup responses with records of another app or platform.
struct AppStoreQuestionTests {
    /// The lookup parameters, and the content of the returned records.
    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        var app: AppStoreApp = .bundle("com.example.hub")
        var platform: Platform = .ios
        let records: [String]
        /// The accepted version, or the error message.
        let outcome: Outcome

        enum Outcome: Sendable {
            case version(String)
            case nothing
            case error(String)
        }

        var testDescription: String { self.name }

        var found: Outcome {
            let list = self.records.joined(separator: ",")
            guard let results = try? JSONParser.parse(Array("[\(list)]".utf8)).items else {
                return .error("the records of the case are not JSON")
            }
            let question = AppStoreQuestion(app: self.app, platform: self.platform)
            do throws(FeedFailure) {
                guard let record = try question.record(in: results) else { return .nothing }
                return .version(record["version"]?.text ?? "none")
            } catch {
                return .error("\(error)")
            }
        }
    }

    private static func record(
        _ kind: String?,
        _ version: String,
        devices: [String]? = nil,
        bundle: String? = "com.example.hub",
        number: String? = "1234567890",
        wrapper: String? = "software"
    ) -> String {
        let texts = [
            ("kind", kind), ("version", version), ("bundleId", bundle), ("wrapperType", wrapper),
        ].compactMap { name, text in text.map { "\"\(name)\":\"\($0)\"" } }
        let list = devices.map { devices in
            "\"supportedDevices\":[\(devices.map { "\"\($0)\"" }.joined(separator: ","))]"
        }
        let others = [number.map { "\"trackId\":\($0)" }, list].compactMap(\.self)
        return "{\((texts + others).joined(separator: ","))}"
    }

    private static let phones = ["iPhone5s-iPhone5s", "iPhone15-iPhone15", "iPadAir-iPadAir"]
    private static let televisions = ["AppleTV4-AppleTV4", "AppleTV62-AppleTV5"]
    private static let headsets = ["RealityDevice-RealityDevice"]
    private static let universal = record("software", "3.0.3", devices: phones)
    private static let mac = record("mac-software", "2.3.5")

    private static let cases: [Case] = [
        .init(name: "an iPhone app", records: [universal], outcome: .version("3.0.3")),
        .init(
            name: "an app without devices is an iPhone app",
            records: [record("software", "3.0.3")],
            outcome: .version("3.0.3")
        ),
        .init(
            name: "an app for iPads only",
            records: [record("software", "5.0", devices: ["iPadPro-iPadPro"])],
            outcome: .version("5.0")
        ),
        .init(
            name: "an app that also runs on Macs and an Apple Vision Pro is an iOS app",
            records: [
                record("software", "4.1", devices: ["MacDesktop-MacDesktop"] + headsets + phones)
            ],
            outcome: .version("4.1")
        ),
        .init(
            name: "a Mac app",
            platform: .macos,
            records: [mac],
            outcome: .version("2.3.5")
        ),
        .init(
            name: "the iPhone record for a Mac",
            platform: .macos,
            records: [universal],
            outcome: .error(
                "requested com.example.hub for macos, but the App Store returned a record of the "
                    + "kind 'software' (com.example.hub, for ios, version 3.0.3), which is "
                    + "ignored; identify the app by 'trackId', or use 'source: appStoreConnect', "
                    + "or list the versions under 'releases'"
            )
        ),
        .init(
            name: "an iPad app that runs on Macs is not a Mac app",
            app: .number(1_234_567_890),
            platform: .macos,
            records: [
                record("software", "4.1", devices: ["MacDesktop-MacDesktop", "iPadAir-iPadAir"])
            ],
            outcome: .error("(com.example.hub, for ios, version 4.1), which is ignored; use")
        ),
        .init(
            name: "the Mac record for an iPhone",
            records: [mac],
            outcome: .error("if the app is only for macos, write 'platform: macos', otherwise")
        ),
        .init(
            name: "the Mac's record before the iPhone's, for an iPhone",
            records: [record("mac-software", "9.0.0"), record("software", "1.3.0")],
            outcome: .version("1.3.0")
        ),
        .init(
            name: "the Mac's record after the iPhone's, for a Mac",
            platform: .macos,
            records: [record("software", "1.3.0"), record("mac-software", "9.0.0")],
            outcome: .version("9.0.0")
        ),
        .init(
            name: "an app for Apple TV only",
            platform: .tvos,
            records: [record("software", "1.3", devices: televisions)],
            outcome: .version("1.3")
        ),
        .init(
            name: "an Apple TV app for an iPhone",
            records: [record("software", "1.3", devices: televisions)],
            outcome: .error("if the app is only for tvos, write 'platform: tvos', otherwise")
        ),
        .init(
            name: "the iPhone record for an Apple TV",
            platform: .tvos,
            records: [universal],
            outcome: .error("(com.example.hub, for ios, version 3.0.3), which is ignored")
        ),
        .init(
            name: "an iPhone record that lists an Apple TV is not an Apple TV record",
            platform: .tvos,
            records: [record("software", "3.0.3", devices: phones + televisions)],
            outcome: .error("for ios, version 3.0.3")
        ),
        .init(
            name: "both records, for an Apple TV",
            platform: .tvos,
            records: [universal, record("software", "1.3", devices: televisions)],
            outcome: .version("1.3")
        ),
        .init(
            name: "a record without devices is not an Apple TV record",
            platform: .tvos,
            records: [record("software", "3.0.3")],
            outcome: .error("for ios, version 3.0.3")
        ),
        .init(
            name: "an app for Apple Vision Pro only",
            platform: .visionos,
            records: [record("software", "1.0", devices: headsets)],
            outcome: .version("1.0")
        ),
        .init(
            name: "an iPhone app on an Apple Vision Pro is not a visionOS app",
            platform: .visionos,
            records: [record("software", "4.1", devices: phones + headsets)],
            outcome: .error("for ios, version 4.1")
        ),
        .init(
            name: "an app for watches only",
            platform: .watchos,
            records: [record("software", "2.0", devices: ["Watch4-Watch4"])],
            outcome: .version("2.0")
        ),
        .init(
            name: "only unknown devices",
            records: [record("software", "1.0", devices: ["FutureDevice-FutureDevice"])],
            outcome: .error("(com.example.hub, version 1.0), which is ignored")
        ),
        .init(
            name: "another bundle",
            records: [record("software", "3.0.3", bundle: "com.example.other")],
            outcome: .error("(com.example.other, for ios, version 3.0.3), which is ignored")
        ),
        .init(
            name: "a bundle ID that is a prefix of the requested one",
            records: [record("software", "3.0.3", bundle: "com.example")],
            outcome: .error("check 'trackId' or 'bundleId'")
        ),
        .init(
            name: "bundle IDs are compared regardless of case",
            records: [record("software", "3.0.3", bundle: "com.Example.Hub")],
            outcome: .version("3.0.3")
        ),
        .init(
            name: "another bundle ID before the right one",
            records: [
                record("software", "9.0", bundle: "com.example.other", number: "1"), universal,
            ],
            outcome: .version("3.0.3")
        ),
        .init(
            name: "another number",
            app: .number(1_234_567_890),
            records: [record("software", "3.0.3", number: "1234567891")],
            outcome: .error("requested 1234567890 for ios")
        ),
        .init(
            name: "the number as a text",
            app: .number(1_234_567_890),
            records: [record("software", "3.0.3", number: "\"1234567890\"")],
            outcome: .version("3.0.3")
        ),
        .init(
            name: "an app looked up by its number may have any bundle ID",
            app: .number(1_234_567_890),
            records: [record("software", "3.0.3", bundle: "com.example.other")],
            outcome: .version("3.0.3")
        ),
        .init(
            name: "a record without a kind",
            records: [record(nil, "3.0.3")],
            outcome: .error("a record without a 'kind' (com.example.hub, version 3.0.3)")
        ),
        .init(
            name: "an unknown kind",
            records: [record("vision-software", "3.0.3")],
            outcome: .error("a record of the kind 'vision-software'")
        ),
        .init(
            name: "a bundle of several apps",
            records: [record("software", "3.0.3", wrapper: "bundle")],
            outcome: .error("a record of the kind 'bundle'")
        ),
        .init(
            name: "the developer before the app",
            records: [#"{"wrapperType":"artist","artistType":"Software Artist"}"#, universal],
            outcome: .version("3.0.3")
        ),
        .init(
            name: "the developer alone",
            records: [#"{"wrapperType":"artist","artistType":"Software Artist"}"#],
            outcome: .error("a record of the kind 'artist', which is ignored")
        ),
        .init(
            name: "the same record twice",
            records: [universal, universal],
            outcome: .version("3.0.3")
        ),
        .init(
            name: "two records that differ in the version",
            records: [universal, record("software", "3.0.4")],
            outcome: .error(
                "2 different records: 1234567890 3.0.3, 1234567890 3.0.4; none of them is used"
            )
        ),
        .init(
            name: "two apps with one bundle ID",
            records: [universal, record("software", "3.0.3", number: "2")],
            outcome: .error("identify the app by 'trackId'")
        ),
        .init(name: "no record", records: [], outcome: .nothing),
    ]

    @Test(arguments: Self.cases)
    func `only a record of the requested app and platform is accepted`(_ each: Case) {
        switch (each.outcome, each.found) {
        case (.version(let expected), .version(let found)): #expect(found == expected)
        case (.nothing, .nothing): break
        case (.error(let words), .error(let message)):
            #expect(message.contains(words), "\(message)")
        case (_, let found): Issue.record("\(found)")
        }
    }

    @Test(arguments: [
        (Platform.ios, nil), (.macos, "desktopSoftware"), (.tvos, "tvSoftware"), (.visionos, nil),
        (.watchos, nil),
    ])
    func `the lookup requests the records of the platform if possible`(
        platform: Platform,
        entity: String?
    ) {
        let question = AppStoreQuestion(app: .number(7), platform: platform)
        #expect(question.parameters.first { $0.name == "entity" }?.value == entity)
        #expect(question.parameters.first { $0.name == "id" }?.value == "7")
    }
}
