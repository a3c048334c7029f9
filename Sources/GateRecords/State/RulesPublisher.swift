package import GateRules
internal import GateSystem
private import Glibc
package import Logging
private import Synchronization

/// Writes the rules in force to a file, for the module in Envoy (`--publish-rules`).
///
/// A failed write is repeated until it succeeds. The file keeps its permissions and its group; a new one can be read by
/// all users, because Envoy is another one.
package final class RulesPublisher: Sendable {
    /// The reason why the file cannot be used.
    package struct Failure: Error, Equatable, CustomStringConvertible {
        package let description: String
    }

    private struct State {
        /// The rules to write; `nil` before the first ones.
        var wanted: PublishedRules?
        /// The reason why the file does not have these rules; `nil` if it has.
        var problem: Failure?
        var isRetrying = false
        var isStopped = false
    }

    private static let usualMode: mode_t = 0o644
    /// The number of seconds between two attempts, which doubles with each of them, and its limit.
    private static let pause = 1
    private static let longestPause = 60

    private let folder: String
    private let name: String
    private let logger: Logger
    private let state = Mutex(State())

    /// Creates a publisher; nothing is written yet.
    ///
    /// - Parameters:
    ///   - path: The file, in an existing folder.
    ///   - rules: The path of the rules, which must not contain the file.
    ///   - logger: Logs failed writes, and their end.
    /// - Throws: `Failure` if another file would be replaced, or if nothing can be written to the folder.
    package init(path: String, besides rules: String, logger: Logger) throws(Failure) {
        // A symbolic link stays: the file that it names is replaced.
        let path = Self.real(path) ?? path
        let slash = path.lastIndex(of: "/")
        let start = slash.map { path.index(after: $0) } ?? path.startIndex
        self.folder = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        self.name = String(path[start...])
        self.logger = logger
        guard !self.name.isEmpty, let folder = Self.real(self.folder),
            FileIdentity(path: folder)?.isFolder == true
        else { throw Failure(description: "there is no directory '\(self.folder)'") }
        guard unsafe access(folder, W_OK | X_OK) == 0 else {
            throw Failure("the directory '\(self.folder)' cannot be written to", errno)
        }
        if folder == Self.real(rules) {
            throw Failure(description: "the directory is that of the rules; write to another one")
        }
        do throws(FileContent.Failure) {
            let content = try FileContent(path: path, atMost: PublishedRules.maximumSize)
            guard content.bytes.isEmpty || PublishedRules.canReplace(content.bytes) else {
                throw FileContent.Failure.notAFile
            }
        } catch .missing {
            return
        } catch .notAFile {
            throw Failure(
                description: "the file was not written with this setting, so it is not replaced"
            )
        } catch {
            throw Failure(description: "\(error)")
        }
    }

    /// Whether the file has the rules in force; `nil` if nothing has been published yet.
    package var isCurrent: Bool? {
        self.state.withLock { $0.wanted == nil ? nil : $0.problem == nil }
    }

    /// Replaces the file if it has other rules; readers see either the old or the new ones.
    ///
    /// Returns after the first attempt.
    package func publish(_ rules: PublishedRules) async {
        self.state.withLock { $0.wanted = rules }
        await self.write()
    }

    /// Ends the writes: from now on, the file belongs to another gate.
    package func stop() {
        self.state.withLock { $0.isStopped = true }
    }

    private func write() async {
        await BackgroundThread.reloads.run { self.writeWanted() }
        let mustRetry = self.state.withLock { state in
            guard state.problem != nil, !state.isRetrying else { return false }
            state.isRetrying = true
            return true
        }
        if mustRetry { Task { await self.retry() } }
    }

    private func retry() async {
        var pause = Self.pause
        while true {
            try? await Task.sleep(for: .seconds(pause))
            pause = min(2 * pause, Self.longestPause)
            await BackgroundThread.reloads.run { self.writeWanted() }
            let isDone = self.state.withLock { state in
                guard state.problem == nil || state.isStopped else { return false }
                state.isRetrying = false
                return true
            }
            if isDone { return }
        }
    }

    private func writeWanted() {
        guard let rules = self.state.withLock({ $0.isStopped ? nil : $0.wanted }) else { return }
        let problem: Failure?
        do throws(Failure) {
            try self.replace(with: rules.json)
            problem = nil
        } catch {
            problem = error
        }
        let former = self.state.withLock { state in
            defer { state.problem = problem }
            return state.problem
        }
        guard problem != former else { return }
        let metadata: Logger.Metadata = [
            "file": "\(self.folder)/\(self.name)", "revision": "\(rules.revision)",
        ]
        if let problem {
            self.logger.error(
                "the rules cannot be published: modules keep the earlier ones",
                metadata: metadata.merging(["error": "\(problem)"]) { $1 }
            )
        } else {
            self.logger.notice("the rules are published again", metadata: metadata)
        }
    }

    private func replace(with bytes: [UInt8]) throws(Failure) {
        let path = "\(self.folder)/\(self.name)"
        let known = try? FileContent(path: path, atMost: PublishedRules.maximumSize)
        if known?.bytes == bytes { return }
        // Processes in different containers may have the same number.
        let temporary = "\(self.folder)/.\(self.name).\(UInt64.random(in: .min ... .max)).new"
        do throws(Failure) {
            try Self.write(bytes, to: temporary, like: path)
            guard unsafe rename(temporary, path) == 0 else {
                throw Failure("cannot be replaced", errno)
            }
        } catch {
            _ = unsafe unlink(temporary)
            throw error
        }
    }

    private static func write(
        _ bytes: [UInt8],
        to path: String,
        like former: String
    ) throws(Failure) {
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW
        let descriptor = unsafe open(path, flags, 0o600)
        guard descriptor >= 0 else { throw Failure("cannot be written", errno) }
        defer { close(descriptor) }
        var status = stat()
        let hasFormer = unsafe stat(former, &status) == 0
        // The umask of a service is often that of its secrets.
        if hasFormer { _ = fchown(descriptor, uid_t.max, status.st_gid) }
        let mode = hasFormer ? status.st_mode & 0o777 : Self.usualMode
        guard fchmod(descriptor, mode) == 0 else { throw Failure("cannot be written", errno) }
        var written = 0
        while written < bytes.count {
            let count = unsafe bytes.withUnsafeBytes { buffer in
                let rest = unsafe UnsafeRawBufferPointer(rebasing: buffer[written...])
                return unsafe Glibc.write(descriptor, rest.baseAddress, rest.count)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw Failure("cannot be written", errno) }
            written += count
        }
        guard fsync(descriptor) == 0 else { throw Failure("cannot be written", errno) }
    }

    /// Returns the path without symbolic links; `nil` if it does not exist.
    private static func real(_ path: String) -> String? {
        guard let real = unsafe realpath(path, nil) else { return nil }
        defer { unsafe free(real) }
        return unsafe String(cString: real)
    }
}

extension RulesPublisher.Failure {
    fileprivate init(_ what: String, _ code: CInt) {
        self.init(description: "\(what): \(unsafe String(cString: strerror(code)))")
    }
}
