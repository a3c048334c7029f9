import GateRules
import Testing

@testable import GateFeeds

struct ConnectScopeTests {
    @Test(arguments: [
        ("{}", nil, nil), ("{}", "IOS", nil), ("{}", "MAC_OS", "MAC_OS"), ("{}", "TV_OS", "TV_OS"),
        ("{}", "VISION_OS", "VISION_OS"),
        (#"{"relationships":{"app":{"data":{"type":"apps","id":"1"}}}}"#, "IOS", nil),
        (#"{"relationships":{"app":{"data":{"type":"apps","id":"1"}}}}"#, "MAC_OS", "MAC_OS"),
        (#"{"relationships":{"app":{"data":{"type":"apps","id":"2"}}}}"#, "IOS", "the app 2"),
        (#"{"relationships":{"app":{"data":null}}}"#, "IOS", nil),
        (#"{"relationships":{"app":{"links":{}}}}"#, nil, nil),
        (#"{"relationships":{"app":{"data":{"type":"apps","id":"2"}}}}"#, nil, "the app 2"),
    ])
    func `a resource is accepted unless it has another app or platform`(
        resource: String,
        platform: String?,
        other: String?
    ) throws {
        var scope = ConnectScope(app: "1", platform: "IOS")
        let json = try JSONParser.parse(Array(resource.utf8))
        #expect(scope.accepts(json, for: platform) == (other == nil))
        #expect(scope.others == [other].compactMap(\.self))
        #expect((scope.note == nil) == (other == nil))
    }
}
