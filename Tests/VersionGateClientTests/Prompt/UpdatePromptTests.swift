import Foundation
import Testing

@testable import VersionGateClient

struct UpdatePromptTests {
    private func client(_ storage: any GateStorage = MemoryStorage()) throws -> VersionGateClient {
        VersionGateClient(
            baseURL: try #require(URL(string: "https://gate.example")),
            identity: AppIdentity(platform: "ios", version: "4.0.0"),
            storage: storage
        )
    }

    @Test
    func `a recommendation can be dismissed, but a requirement cannot`() throws {
        #expect(try #require(UpdatePrompt(.recommended(.sample()))).isDismissible)
        #expect(try #require(UpdatePrompt(.required(.sample()))).isDismissible == false)
        let denial = Denial(reason: .updateRequired(.sample()), status: 426, retryAfter: nil)
        #expect(try #require(UpdatePrompt(denial)).isDismissible == false)
    }

    @Test(arguments: [
        GateState.allowed, .maintenance(MaintenanceWindow()), .unknown(last: nil),
        .unknown(last: .required(.sample())),
    ])
    func `a state without an update has no prompt`(_ state: GateState) {
        #expect(UpdatePrompt(state) == nil)
    }

    @Test
    func `a maintenance denial has no prompt`() {
        let denial = Denial(
            reason: .maintenance(MaintenanceWindow()),
            status: 503,
            retryAfter: nil
        )
        #expect(UpdatePrompt(denial) == nil)
    }

    @Test
    func `a device that cannot update gets texts but no button`() throws {
        let prompt = try #require(UpdatePrompt(.required(.sample(cannotUpdate: true))))
        #expect(prompt.title == "Update")
        #expect(prompt.message == "A newer version is there.")
        #expect(prompt.storeURL == nil)
        #expect(prompt.button == nil)
        let other = try #require(UpdatePrompt(.required(.sample())))
        #expect(other.storeURL?.absoluteString == "https://store.example/app")
        #expect(other.button == "Get it")
    }

    @Test
    func `snoozing hides a recommendation but not a requirement`() throws {
        let storage = MemoryStorage()
        let client = try self.client(storage)
        let update = Update.sample(latest: "4.2.0", snooze: 3600)
        #expect(client.prompt(for: .recommended(update)) != nil)
        #expect(client.snooze(update))
        #expect(client.isSnoozed(update))
        #expect(client.prompt(for: .recommended(update)) == nil)
        #expect(client.prompt(for: .recommended(.sample(latest: "4.3.0", snooze: 3600))) != nil)
        #expect(client.prompt(for: .required(.sample(latest: "4.2.0"))) != nil)
        #expect(client.snooze(.sample(latest: "4.2.0")) == false)
        // The snooze is kept across launches of the app.
        #expect(try self.client(storage).prompt(for: .recommended(update)) == nil)
    }

    @Test
    func `an unknown state has no prompt`() throws {
        let client = try self.client()
        #expect(client.prompt(for: .unknown(last: .required(.sample()))) == nil)
        #expect(client.prompt(for: .unknown(last: .recommended(.sample(snooze: 60)))) == nil)
    }
}
