import Foundation
import Testing

@testable import GateControl

/// Real files and real notices: every wait ends with its event, or fails at the time limit.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct RulesWatcherTests {
    private typealias Changes = AsyncStream<Void>.Iterator

    private let folder: TemporaryFolder

    init() throws {
        self.folder = try TemporaryFolder()
    }

    /// Starts to watch and takes the element that every watch begins with.
    ///
    /// The poll is out of reach, so that only the kernel's notices can tell of a change.
    private func watch(
        _ name: String,
        pollInterval: Duration = .seconds(3600)
    ) async throws -> Changes {
        var timing = RulesWatcher.Timing.defaults
        timing.pollInterval = pollInterval
        let path = name.isEmpty ? self.folder.path : self.folder.path(of: name)
        var changes = RulesWatcher(path: path, timing: timing, logger: LogRecorder().logger)
            .makeAsyncIterator()
        try #require(await changes.next() != nil)
        return changes
    }

    @Test func `a write in place is noticed, every time`() async throws {
        try self.folder.write("a", to: "rules.yaml")
        var changes = try await self.watch("rules.yaml")
        for text in ["b", "c", "d"] {
            try self.folder.write(text, to: "rules.yaml")
            try #require(await changes.next() != nil)
        }
    }

    @Test func `a truncated file that is written later is noticed in both states`() async throws {
        try self.folder.write("a", to: "rules.yaml")
        var changes = try await self.watch("rules.yaml")
        try self.folder.truncate("rules.yaml")
        try #require(await changes.next() != nil)
        try self.folder.write("a", to: "rules.yaml")
        try #require(await changes.next() != nil)
    }

    @Test func `an editor's rename is noticed, every time`() async throws {
        try self.folder.write("a", to: "rules.yaml")
        var changes = try await self.watch("rules.yaml")
        for text in ["b", "c", "d"] {
            try self.folder.replace("rules.yaml", with: text)
            try #require(await changes.next() != nil)
        }
    }

    @Test func `a file that is deleted and made again is noticed twice`() async throws {
        try self.folder.write("a", to: "rules.yaml")
        var changes = try await self.watch("rules.yaml")
        try self.folder.remove("rules.yaml")
        try #require(await changes.next() != nil)
        try self.folder.write("a", to: "rules.yaml")
        try #require(await changes.next() != nil)
    }

    @Test func `a file that comes after the watch began is noticed`() async throws {
        var changes = try await self.watch("rules.yaml")
        try self.folder.write("a", to: "rules.yaml")
        try #require(await changes.next() != nil)
    }

    @Test(arguments: ["rules.yaml", ""])
    func `a swap of Kubernetes is noticed, every time`(_ watched: String) async throws {
        try self.mount("2026_01", "a")
        try self.folder.link("..data", to: "..2026_01")
        try self.folder.link("rules.yaml", to: "..data/rules.yaml")
        var changes = try await self.watch(watched)
        var old = "2026_01"
        for (new, text) in [("2026_02", "b"), ("2026_03", "c")] {
            try self.mount(new, text)
            try self.folder.link("..data_tmp", to: "..\(new)")
            try self.folder.rename("..data_tmp", to: "..data")
            try self.folder.remove("..\(old)")
            old = new
            try #require(await changes.next() != nil)
        }
    }

    /// Writes one state of a ConfigMap volume as kubelet does, not yet in force.
    private func mount(_ state: String, _ text: String) throws {
        try self.folder.makeFolder("..\(state)")
        try self.folder.write(text, to: "..\(state)/rules.yaml")
    }

    @Test func `a folder's files are noticed when they come, change and go`() async throws {
        try self.folder.write("a", to: "10.yaml")
        var changes = try await self.watch("")
        try self.folder.write("b", to: "20.yaml")
        try #require(await changes.next() != nil)
        try self.folder.write("c", to: "20.yaml")
        try #require(await changes.next() != nil)
        try self.folder.rename("20.yaml", to: "30.yaml")
        try #require(await changes.next() != nil)
        try self.folder.remove("30.yaml")
        try #require(await changes.next() != nil)
    }

    @Test func `a folder that is replaced under its name is noticed and watched on`() async throws {
        for (name, text) in [("rules", "a"), ("new", "b")] {
            try self.folder.makeFolder(name)
            try self.folder.write(text, to: "\(name)/rules.yaml")
        }
        var changes = try await self.watch("rules/rules.yaml")
        try self.folder.rename("rules", to: "old")
        try self.folder.rename("new", to: "rules")
        try #require(await changes.next() != nil)
        try self.folder.write("c", to: "rules/rules.yaml")
        try #require(await changes.next() != nil)
    }

    @Test func `a file in another folder, behind a link, is noticed`() async throws {
        try self.folder.makeFolder("elsewhere")
        try self.folder.write("a", to: "elsewhere/shared.yaml")
        try self.folder.link("rules.yaml", to: "elsewhere/shared.yaml")
        var changes = try await self.watch("rules.yaml")
        try self.folder.write("b", to: "elsewhere/shared.yaml")
        try #require(await changes.next() != nil)
    }

    @Test func `what sends no notice is found by the poll`() async throws {
        for (name, text) in [("release-1", "a"), ("release-2", "b")] {
            try self.folder.makeFolder(name)
            try self.folder.makeFolder("\(name)/conf")
            try self.folder.write(text, to: "\(name)/conf/rules.yaml")
        }
        try self.folder.link("current", to: "release-1")
        let path = "current/conf/rules.yaml"
        var changes = try await self.watch(path, pollInterval: .milliseconds(50))
        try self.folder.link("next", to: "release-2")
        try self.folder.rename("next", to: "current")
        try #require(await changes.next() != nil)
    }

    @Test func `a cancelled watch gives its descriptors back`() async throws {
        try self.folder.write("a", to: "rules.yaml")
        let path = self.folder.path(of: "rules.yaml")
        // Watches of the tests before this one may still be on their way out.
        try await self.untilWatches(are: 0)
        let watching = Task {
            for await _ in RulesWatcher(path: path, logger: LogRecorder().logger) {}
        }
        try await self.untilWatches(are: 1)
        watching.cancel()
        await watching.value
        try await self.untilWatches(are: 0)
    }

    private func untilWatches(are expected: Int) async throws {
        while self.openWatches != expected {
            try await Task.sleep(for: .milliseconds(5))
        }
    }

    private var openWatches: Int {
        let folder = "/proc/self/fd"
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.filter { name in
            let link = "\(folder)/\(name)"
            let target = try? FileManager.default.destinationOfSymbolicLink(atPath: link)
            return target == "anon_inode:inotify"
        }.count
    }
}
