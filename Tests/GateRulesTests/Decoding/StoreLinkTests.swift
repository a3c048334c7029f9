import Testing

@testable import GateRules

struct StoreLinkTests {
    @Test(arguments: [
        "https://apps.apple.com/app/id1", "market://details?id=a", "itms-beta://",
        "ITMS-Beta://", "itms-beta://testflight.apple.com/join/AbCdEfGh",
    ])
    func `a store URL opens a page, a store or TestFlight`(text: String) throws {
        #expect(try StoreLink(parsing: text).text == text)
    }

    @Test(arguments: [
        "itms-beta:", "itms-beta:///", "itms-beta:// ", "https://", "itms-apps://",
        "itms-betas://", "://", "",
    ])
    func `a URL that cannot be opened is rejected`(text: String) {
        #expect(throws: StoreLink.Failure.self) { try StoreLink(parsing: text) }
    }
}
