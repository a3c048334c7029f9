import Foundation
import Testing

@testable import VersionGateClient

struct StoredStateTests {
    private let update = Update.sample(latest: "4.2.0", snooze: 60)
    private let now = Date(timeIntervalSince1970: 1_000_000)

    @Test
    func `a stored state is restored only for the same build`() {
        var kept = StoredState(nil, for: "ios 3")
        kept.state = .required(self.update)
        kept.tag = "\"1\""
        _ = kept.snooze(self.update, at: self.now)
        #expect(StoredState(kept.data, for: "ios 3") == kept)
        let updated = StoredState(kept.data, for: "ios 4")
        #expect(updated.state == nil)
        #expect(updated.tag == nil)
        #expect(updated.snoozes == kept.snoozes)
    }

    @Test(arguments: ["", "{", "[]", "<html></html>", #"{"build":7}"#, #"{"build":"ios 3"}"#])
    func `an invalid stored state is ignored`(_ text: String) {
        #expect(StoredState(Data(text.utf8), for: "ios 3") == StoredState(nil, for: "ios 3"))
    }

    @Test
    func `a version is snoozed for the gate's current snooze time`() {
        var kept = StoredState(nil, for: "")
        _ = kept.snooze(self.update, at: self.now)
        #expect(kept.isSnoozed(self.update, at: self.now))
        #expect(kept.isSnoozed(self.update, at: self.now + 59))
        #expect(!kept.isSnoozed(self.update, at: self.now + 60))
        #expect(kept.isSnoozed(.sample(latest: "4.2.0", snooze: 90), at: self.now + 60))
        #expect(!kept.isSnoozed(.sample(latest: "4.3.0", snooze: 60), at: self.now))
    }

    @Test
    func `setting back the clock does not extend a snooze`() {
        var kept = StoredState(nil, for: "")
        _ = kept.snooze(self.update, at: self.now)
        #expect(!kept.isSnoozed(self.update, at: self.now - 1))
    }

    @Test
    func `a required update cannot be snoozed`() {
        var kept = StoredState(nil, for: "")
        _ = kept.snooze(self.update, at: self.now)
        let required = Update.sample(latest: "4.2.0", snooze: nil)
        let isPutOff = kept.snooze(required, at: self.now)
        #expect(!isPutOff)
        #expect(!kept.isSnoozed(required, at: self.now))
    }

    @Test
    func `only a limited number of the newest snoozes is kept`() {
        var kept = StoredState(nil, for: "")
        for number in 0..<20 {
            let update = Update.sample(latest: "\(number)", snooze: 600)
            _ = kept.snooze(update, at: self.now + Double(number))
        }
        #expect(kept.snoozes.count == 8)
        #expect(kept.isSnoozed(.sample(latest: "19", snooze: 600), at: self.now + 20))
        #expect(!kept.isSnoozed(.sample(latest: "0", snooze: 600), at: self.now + 20))
    }

    @Test
    func `each gate and each app has its own key`() throws {
        let shop = AppIdentity(platform: "ios", version: "1", app: "shop")
        let bank = AppIdentity(platform: "ios", version: "1", app: "bank")
        let one = try #require(URL(string: "https://one.example"))
        let two = try #require(URL(string: "https://two.example"))
        let keys = [
            StoredState.key(baseURL: one, shop), StoredState.key(baseURL: two, shop),
            StoredState.key(baseURL: one, bank),
        ]
        #expect(Set(keys).count == 3)
        let plain = Set("abcdefghijklmnopqrstuvwxyz0123456789-")
        #expect(keys.allSatisfy { $0.allSatisfy(plain.contains) })
    }
}

struct FileStorageTests {
    @Test
    func `a file storage returns stored data, and nothing without its folder`() throws {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("gate-client-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let storage = FileStorage(folder: folder.appendingPathComponent("a/b"))
        #expect(storage.data(for: "gate-1") == nil)
        storage.store(Data("one".utf8), for: "gate-1")
        storage.store(Data("two".utf8), for: "gate-1")
        #expect(storage.data(for: "gate-1") == Data("two".utf8))
        #expect(storage.data(for: "gate-2") == nil)
        let barred = FileStorage(folder: folder.appendingPathComponent("a/b/gate-1.json/c"))
        barred.store(Data("x".utf8), for: "gate-1")
        #expect(barred.data(for: "gate-1") == nil)
    }
}
