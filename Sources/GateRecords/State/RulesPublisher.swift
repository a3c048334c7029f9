package import GateRules
internal import GateSystem
private import Glibc
package import Logging
private import Synchronization

/// Writes the active rules to a file, for the module in Envoy (`--publish-rules`).
///
/// The publisher checks the file every two seconds, and writes it again after a failed write, or if
/// the file is missing or has been changed. If several gates use the same file, the first gate
/// writes until it ends: it holds a lock on a second file in the same folder. The file keeps its
/// permissions and its group; a new file is readable by all users, because Envoy runs as a
/// different user.
package final class RulesPublisher: Sendable {
    /// The reason why the file cannot be used.
    package typealias Failure = StateFolder.Failure

    private struct State {
        /// The rules to write; `nil` before the first call of `publish(_:)`.
        var wanted: PublishedRules?
        /// The reason why the file does not contain `wanted`; `nil` if it does.
        var problem: Failure?
        /// The identity of the file after the last write.
        var written: FileIdentity?
        /// The descriptor of the lock file; `nil` while this gate does not hold the lock.
        var lock: CInt?
        var isWatching = false
        var isStopped = false
    }

    private static let usualMode: mode_t = 0o644
    /// The time between two checks of the file.
    private static let interval = Duration.seconds(2)

    private let folder: String
    private let name: String
    private let logger: Logger
    /// Held during a write, so that no write is in progress after `stop()`.
    private let writing = Mutex(())
    private let state = Mutex(State())

    /// Creates a publisher, without writing to the file.
    ///
    /// - Parameters:
    ///   - path: The path of the file, in an existing folder.
    ///   - rules: The path of the rules; the file must not be the rules file or be in the rules
    ///     folder.
    ///   - logger: Logs failed writes and the recovery from them.
    /// - Throws: `Failure` if an unrelated file would be replaced, or if the folder is not
    ///   writable.
    package init(path: String, besides rules: String, logger: Logger) throws(Failure) {
        // If the path is a symbolic link, the link is kept, and its target is replaced.
        let real = Self.real(path)
        guard real != nil || !Self.isLink(path) else {
            throw Failure(
                description:
                    "this is a symbolic link to a file that does not exist; create the file, or remove the link"
            )
        }
        let path = real ?? path
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
        guard path != Self.real(rules) ?? rules else {
            throw Failure(description: "this is the path of the rules; write to another file")
        }
        guard folder != Self.real(rules) else {
            throw Failure(description: "the directory contains the rules; use another directory")
        }
        let known: FileContent
        do throws(FileContent.Failure) {
            known = try FileContent(path: path, atMost: PublishedRules.maximumSize)
        } catch .missing {
            return
        } catch {
            throw Failure(description: "\(error)")
        }
        guard known.bytes.isEmpty || PublishedRules.canReplace(known.bytes) else {
            throw Failure(
                description: "the file was not written with this setting, so it is not replaced"
            )
        }
    }

    /// Whether the file contains the active rules; `nil` if nothing has been published yet.
    package var isCurrent: Bool? {
        self.state.withLock { $0.wanted == nil ? nil : $0.problem == nil }
    }

    /// Replaces the file if its content differs; readers see either the old or the new content.
    ///
    /// Returns after the first attempt to write; failed attempts are repeated in the background.
    package func publish(_ rules: PublishedRules) async {
        let isFirst = self.state.withLock { state in
            state.wanted = rules
            defer { state.isWatching = true }
            return !state.isWatching
        }
        await BackgroundThread.reloads.run { self.write() }
        if isFirst { Task { await self.watch() } }
    }

    /// Stops writing, so that another gate can take over the file.
    package func stop() {
        self.state.withLock { $0.isStopped = true }
        self.writing.withLock { _ in
            let lock = self.state.withLock { state in
                defer { state.lock = nil }
                return state.lock
            }
            if let lock { close(lock) }
        }
    }

    private func watch() async {
        let path = "\(self.folder)/\(self.name)"
        while true {
            try? await Task.sleep(for: Self.interval)
            let found = FileIdentity(path: path)
            let (isStopped, isCurrent) = self.state.withLock { state in
                (state.isStopped, state.problem == nil && state.written == found)
            }
            if isStopped { return }
            if !isCurrent { await BackgroundThread.reloads.run { self.write() } }
        }
    }

    private func write() {
        self.writing.withLock { _ in
            guard let rules = self.state.withLock({ $0.isStopped ? nil : $0.wanted }) else {
                return
            }
            var problem: Failure?
            do throws(Failure) {
                try self.acquire()
                try self.replace(with: rules.json)
            } catch {
                problem = error
            }
            self.note(problem, rules)
        }
    }

    private func note(_ problem: Failure?, _ rules: PublishedRules) {
        let written = FileIdentity(path: "\(self.folder)/\(self.name)")
        let former = self.state.withLock { state in
            defer { (state.problem, state.written) = (problem, written) }
            return state.problem
        }
        guard problem != former else { return }
        let metadata: Logger.Metadata = [
            "file": "\(self.folder)/\(self.name)", "revision": "\(rules.revision)",
        ]
        if let problem {
            self.logger.error(
                "the rules cannot be published: modules keep the previous rules",
                metadata: metadata.merging(["error": "\(problem)"]) { $1 }
            )
        } else {
            self.logger.notice("the rules can be published again", metadata: metadata)
        }
    }

    /// Locks the lock file, unless this gate already holds the lock; the lock ends with the process.
    private func acquire() throws(Failure) {
        guard self.state.withLock({ $0.lock == nil }) else { return }
        let path = "\(self.folder)/.\(self.name).lock"
        let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw Failure("cannot be locked", errno) }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let code = errno
            close(descriptor)
            guard code == EWOULDBLOCK else { throw Failure("cannot be locked", code) }
            throw Failure(description: "another gate publishes to this file until that gate ends")
        }
        self.state.withLock { $0.lock = descriptor }
    }

    private func replace(with bytes: [UInt8]) throws(Failure) {
        let path = "\(self.folder)/\(self.name)"
        let known = try? FileContent(path: path, atMost: PublishedRules.maximumSize)
        // Only the gate with the lock uses this name, but a gate that was killed may have left the
        // file behind.
        let temporary = "\(self.folder)/.\(self.name).new"
        _ = unsafe unlink(temporary)
        if known?.bytes == bytes { return }
        try WholeFile.replace(path, by: temporary, with: bytes, flags: O_EXCL) { descriptor in
            var status = stat()
            let hasFormer = unsafe stat(path, &status) == 0
            // The mode is set explicitly, because the umask of a service often denies access to
            // other users.
            if hasFormer { _ = fchown(descriptor, uid_t.max, status.st_gid) }
            let mode = hasFormer ? status.st_mode & 0o777 : Self.usualMode
            return fchmod(descriptor, mode) == 0
        }
    }

    private static func isLink(_ path: String) -> Bool {
        var status = stat()
        return unsafe lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
    }

    /// Returns the path without symbolic links; `nil` if it does not exist.
    private static func real(_ path: String) -> String? {
        guard let real = unsafe realpath(path, nil) else { return nil }
        defer { unsafe free(real) }
        return unsafe String(cString: real)
    }
}
