import Foundation
import Testing

@testable import VersionGateClient

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

struct AppIdentityTests {
    @Test
    func `each property with a value is a header field`() {
        let identity = AppIdentity(
            platform: "ios",
            version: "4.2.0",
            app: "com.example.shop",
            build: "41200",
            channel: "testflight-internal",
            systemVersion: "16.4",
            deviceID: "d-1",
            storefront: "JPN",
            languages: ["ja-JP", "en;q=0.5"]
        )
        #expect(
            identity.fields.map { "\($0.name): \($0.value)" } == [
                "X-App-Platform: ios", "X-App-Version: 4.2.0", "X-App-Id: com.example.shop",
                "X-App-Build: 41200", "X-App-Channel: testflight-internal", "X-OS-Version: 16.4",
                "X-Device-Id: d-1", "X-App-Storefront: JPN", "Accept-Language: ja-JP, en;q=0.5",
            ]
        )
        let least = AppIdentity(platform: "ios", version: "4.2.0")
        #expect(least.fields.map(\.name) == ["X-App-Platform", "X-App-Version"])
    }

    @Test
    func `custom field names are used`() {
        var names = AppIdentity.FieldNames()
        names.version = "X-Client-Version"
        let identity = AppIdentity(platform: "ios", version: "4.2.0", fieldNames: names)
        #expect(identity.fields.map(\.name) == ["X-App-Platform", "X-Client-Version"])
    }

    @Test(arguments: ["", "a\r\nX-Admin: 1", "a\nb", "a\u{0}", "\u{7F}", "böse", "🙂"])
    func `a value that is invalid in a header field is omitted`(_ value: String) {
        let identity = AppIdentity(platform: "ios", version: "4.2.0", deviceID: value)
        #expect(identity.fields.map(\.name) == ["X-App-Platform", "X-App-Version"])
    }

    @Test
    func `preparing a request replaces existing identity fields`() throws {
        let client = VersionGateClient(
            baseURL: try #require(URL(string: "https://gate.example")),
            identity: AppIdentity(platform: "ios", version: "4.2.0"),
            storage: MemoryStorage()
        )
        var request = URLRequest(url: try #require(URL(string: "https://gate.example/a")))
        request.setValue("1.0", forHTTPHeaderField: "x-app-version")
        request.setValue("application/json", forHTTPHeaderField: "Accept")
        client.prepare(&request)
        #expect(request.value(forHTTPHeaderField: "X-App-Version") == "4.2.0")
        #expect(request.value(forHTTPHeaderField: "X-App-Platform") == "ios")
        #expect(request.value(forHTTPHeaderField: "Accept") == "application/json")
    }
}
