import GatePolicy
import Testing

@Suite struct PlatformTests {
    static let cases: [(String, Platform)] = [
        ("iOS", .ios), ("ios", .ios), ("IPHONE", .ios), ("iPhone", .ios), ("iPadOS", .ios),
        ("iphoneos", .ios), ("iPhone OS", .ios), ("iPod touch", .ios), (" iOS ", .ios),
        ("Android", .android), ("ANDROID", .android),
        ("Mac OS X", .macos), ("mac-os", .macos), ("macOS", .macos), ("Darwin", .macos),
        ("tvOS", .tvos), ("watchOS", .watchos), ("visionOS", .visionos), ("xrOS", .visionos),
        ("HarmonyOS", .harmonyos), ("Windows NT", .windows), ("Win32", .windows),
        ("Linux", .linux), ("Browser", .web),
    ]

    @Test(arguments: cases)
    func `the aliases of a platform are the same platform`(raw: String, platform: Platform) {
        #expect(Platform(raw) == platform)
    }

    @Test func `an unknown platform is compared regardless of case`() {
        #expect(Platform("Tizen").name == "tizen")
        #expect(Platform("KaiOS 3").description == "kaios 3")
        #expect(Platform("Tizen") == Platform("TIZEN"))
    }
}
