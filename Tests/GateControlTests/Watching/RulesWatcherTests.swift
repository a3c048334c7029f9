import Foundation
import GateRules
import GateTestSupport
import Synchronization
import Testing

@testable import GateControl

/// Tests with real files and notices.
///
/// Every wait ends with its event, or fails at the time limit.
@Suite(.ownThread, .serialized, .timeLimit(.minutes(5)))
struct RulesWatcherTests {
    private typealias Changes = AsyncStream<RulesSighting>.Iterator

    private let folder: TestFolder

    init() throws {
        self.folder = try TestFolder()
    }

    /// Starts a watch and consumes its initial element.
    ///
    /// The poll interval is longer than the test, so that only notices from the kernel report
    /// changes. The settling time is short, for tests that do not check that changes are merged.
    private func watch(
        _ name: String,
        pollInterval: Duration = .seconds(3600),
        settling: Duration = .milliseconds(50)
    ) async throws -> Changes {
        var timing = RulesWatcher.Timing.defaults
        timing.pollInterval = pollInterval
        timing.settling = settling
        timing.debounce = min(timing.debounce, settling)
        let path = name.isEmpty ? self.folder.path : self.folder.path(of: name)
        var changes = RulesWatcher(path: path, timing: timing, logger: LogRecorder().logger)
            .makeAsyncIterator()
        try #require(await changes.next() != nil)
        return changes
    }

    @Test func `every write in place is noticed`() async throws {
        try self.folder.write("a", to: "rules.yaml")
        var changes = try await self.watch("rules.yaml")
        for text in ["b", "c", "d"] {
            try self.folder.write(text, to: "rules.yaml")
            try #require(await changes.next() != nil)
        }
    }

    @Test func `truncating and then writing a file is one change`() async throws {
        try self.folder.write("a", to: "rules.yaml")
        let texts = try await Texts(of: "rules.yaml", in: self.folder)
        try self.folder.truncate("rules.yaml")
        try self.folder.write("b", to: "rules.yaml")
        try await texts.wait(for: "b")
        #expect(texts.seen == ["a", "b"])
    }

    @Test func `truncating a file without writing is a change`() async throws {
        try self.folder.write("a", to: "rules.yaml")
        var changes = try await self.watch("rules.yaml")
        try self.folder.truncate("rules.yaml")
        try #require(await changes.next() != nil)
    }

    @Test
    func `a file that is open for writing is not read until it is closed`() async throws {
        try self.folder.write("a", to: "rules.yaml")
        try self.folder.write("a", to: "other.yaml")
        let usual = RulesWatcher.Timing.defaults.settling
        var others = try await self.watch("other.yaml", settling: usual)
        let texts = try await Texts(of: "rules.yaml", in: self.folder)
        let file = try FileHandle(
            forWritingTo: URL(filePath: self.folder.path(of: "rules.yaml"))
        )
        try file.truncate(atOffset: 0)
        try file.write(contentsOf: Data("half".utf8))
        // In the meantime, the close of another watched file is reported.
        try self.folder.write("b", to: "other.yaml")
        try #require(await others.next() != nil)
        try file.write(contentsOf: Data(" and half".utf8))
        try file.close()
        try await texts.wait(for: "half and half")
        #expect(texts.seen == ["a", "half and half"])
    }

    @Test func `a file that stays open for writing is logged once`() async throws {
        try self.folder.write("a", to: "rules.yaml")
        var timing = RulesWatcher.Timing.defaults
        timing.abandonment = .zero
        let log = LogRecorder()
        let path = self.folder.path(of: "rules.yaml")
        let watcher = RulesWatcher(path: path, timing: timing, logger: log.logger)
        var changes = watcher.makeAsyncIterator()
        try #require(await changes.next() != nil)
        let file = try FileHandle(forWritingTo: URL(filePath: path))
        // This is slow enough for several notices.
        for _ in 0..<10 {
            try file.write(contentsOf: Data("#".utf8))
            try await Task.sleep(for: .milliseconds(5))
        }
        let warning = "warning the rules are still being written; they will be read once complete"
        try await log.says("\(warning), or on SIGHUP")
        try file.close()
        try #require(await changes.next() != nil)
        #expect(log.lines.count == 1)
    }

    @Test func `consecutive writes are one change`() async throws {
        try self.folder.write("a", to: "rules.yaml")
        let texts = try await Texts(of: "rules.yaml", in: self.folder)
        for text in ["b", "bc", "bcd"] { try self.folder.write(text, to: "rules.yaml") }
        try await texts.wait(for: "bcd")
        #expect(texts.seen == ["a", "bcd"])
    }

    @Test func `an editor that renames the old file causes one change`() async throws {
        try self.folder.write("a", to: "rules.yaml")
        let texts = try await Texts(of: "rules.yaml", in: self.folder)
        try self.folder.rename("rules.yaml", to: "rules.yaml~")
        try self.folder.write("b", to: "rules.yaml")
        try self.folder.remove("rules.yaml~")
        try await texts.wait(for: "b")
        #expect(texts.seen == ["a", "b"])
    }

    @Test(arguments: ["rules.yaml", ""])
    func `a log file next to the rules neither delays nor causes a reload`(
        _ watched: String
    ) async throws {
        try self.folder.write("a", to: "rules.yaml")
        try self.folder.write("", to: "gate.log")
        let path = self.folder.path(of: "gate.log")
        let log = Task {
            while !Task.isCancelled {
                let file = try FileHandle(forWritingTo: URL(filePath: path))
                try file.write(contentsOf: Data("a line\n".utf8))
                try file.close()
                try? await Task.sleep(for: .milliseconds(5))
            }
        }
        let texts = try await Texts(of: watched, in: self.folder)
        for text in ["b", "c"] {
            try self.folder.replace("rules.yaml", with: text)
            try await texts.wait(for: text)
        }
        try self.folder.write("d", to: "rules.yaml")
        try await texts.wait(for: "d")
        log.cancel()
        try await log.value
        #expect(texts.seen == ["a", "b", "c", "d"])
    }

    /// The text of `rules.yaml` at each report, including the initial one.
    ///
    /// A wait only ends after a quiet period, so that delays are detected.
    private final class Texts: Sendable {
        private let texts = Watched<[String]>([])
        private let watching = Mutex<Task<Void, Never>?>(nil)

        var seen: [String] { self.texts.current }

        init(of name: String, in folder: TestFolder) async throws {
            var timing = RulesWatcher.Timing.defaults
            timing.pollInterval = .seconds(3600)
            timing.longestDebounce = .seconds(3600)
            timing.longestSettling = .seconds(3600)
            let watcher = RulesWatcher(
                path: name.isEmpty ? folder.path : folder.path(of: name),
                timing: timing,
                logger: LogRecorder().logger
            )
            let path = folder.path(of: "rules.yaml")
            let task = Task { [weak self] in
                for await _ in watcher {
                    let text = try? String(contentsOfFile: path, encoding: .utf8)
                    self?.texts.update { $0.append(text ?? "nothing") }
                }
            }
            self.watching.withLock { $0 = task }
            try await self.texts.reaches("a first report") { $0.isEmpty ? nil : true }
        }

        deinit {
            self.watching.withLock { $0?.cancel() }
        }

        func wait(for text: String) async throws {
            try await self.texts.reaches(text) { $0.last == text ? true : nil }
        }
    }

    @Test func `every rename by an editor is noticed`() async throws {
        try self.folder.write("a", to: "rules.yaml")
        var changes = try await self.watch("rules.yaml")
        for text in ["b", "c", "d"] {
            try self.folder.replace("rules.yaml", with: text)
            try #require(await changes.next() != nil)
        }
    }

    @Test func `deleting and creating a file are two changes`() async throws {
        try self.folder.write("a", to: "rules.yaml")
        var changes = try await self.watch("rules.yaml")
        try self.folder.remove("rules.yaml")
        try #require(await changes.next() != nil)
        try self.folder.write("a", to: "rules.yaml")
        try #require(await changes.next() != nil)
    }

    @Test func `a file created after the start of the watch is noticed`() async throws {
        var changes = try await self.watch("rules.yaml")
        try self.folder.write("a", to: "rules.yaml")
        try #require(await changes.next() != nil)
    }

    @Test(arguments: ["rules.yaml", ""])
    func `every Kubernetes volume swap is noticed`(_ watched: String) async throws {
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

    /// Creates a version of a ConfigMap volume like kubelet, without activating it.
    private func mount(_ state: String, _ text: String) throws {
        try self.folder.makeFolder("..\(state)")
        try self.folder.write(text, to: "..\(state)/rules.yaml")
    }

    @Test func `created, changed, renamed and removed files of a folder are noticed`() async throws
    {
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

    @Test func `a replaced folder is noticed and watched`() async throws {
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

    @Test func `a change of a file behind a link is noticed`() async throws {
        try self.folder.makeFolder("elsewhere")
        try self.folder.write("a", to: "elsewhere/shared.yaml")
        try self.folder.link("rules.yaml", to: "elsewhere/shared.yaml")
        var changes = try await self.watch("rules.yaml")
        try self.folder.write("b", to: "elsewhere/shared.yaml")
        try #require(await changes.next() != nil)
    }

    @Test func `a swapped link in the path is noticed`() async throws {
        try self.makeReleases()
        try self.folder.link("current", to: "release-1")
        var changes = try await self.watch("current/conf/rules.yaml")
        try self.folder.link("next", to: "release-2")
        try self.folder.rename("next", to: "current")
        try #require(await changes.next() != nil)
    }

    @Test func `a change without notices is found by polling`() async throws {
        try self.makeReleases()
        let path = "release-1/conf/rules.yaml"
        var changes = try await self.watch(path, pollInterval: .milliseconds(50))
        try self.folder.rename("release-1", to: "release-0")
        try self.folder.rename("release-2", to: "release-1")
        try #require(await changes.next() != nil)
    }

    private func makeReleases() throws {
        for (name, text) in [("release-1", "a"), ("release-2", "b")] {
            try self.folder.makeFolder(name)
            try self.folder.makeFolder("\(name)/conf")
            try self.folder.write(text, to: "\(name)/conf/rules.yaml")
        }
    }

    @Test func `a canceled watch closes its descriptors`() async throws {
        try self.folder.write("a", to: "rules.yaml")
        let path = self.folder.path(of: "rules.yaml")
        // Watches of previous tests may still be closing.
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
        _ = try await withTaskExecutorPreference(BlockingExecutor.shared) {
            try Deadline.usual.poll("\(expected) watches, not \(self.openWatches)") {
                self.openWatches == expected ? true : nil
            }
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
