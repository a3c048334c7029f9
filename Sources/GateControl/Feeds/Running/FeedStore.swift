private import FoundationEssentials
private import Glibc

/// Keeps what feeds said last in a folder, so that a restart needs no source.
package struct FeedStore: Sendable {
    /// What is kept of a feed.
    struct Entry: Sendable, Equatable, Codable {
        var fingerprint: String
        /// When the source last gave a good answer, seconds since 1970.
        var confirmedAt: Int64
        var value: FeedValue
    }

    /// Why the folder is of no use.
    package struct Failure: Error, CustomStringConvertible {
        package let description: String

        fileprivate init(_ what: String, _ code: Int32) {
            self.description = "\(what): \(unsafe String(cString: strerror(code)))"
        }
    }

    private static let suffix = ".feed.json"
    /// Every character may take six bytes in JSON.
    private static let maximumSize = 6 * RulesSource.maximumSize + (64 << 10)

    private let folder: String

    /// Makes the folder if it is not there, and makes sure that files can be written.
    package init(folder: String) throws(Failure) {
        self.folder = folder
        let made = unsafe mkdir(folder, 0o700)
        guard made == 0 || errno == EEXIST else { throw Failure("cannot be made", errno) }
        guard unsafe access(folder, W_OK | X_OK) == 0 else {
            throw Failure("cannot be written to", errno)
        }
    }

    /// What the feeds had said before the restart; `report` is told of files that cannot be used.
    package func contributions(report: (String) -> Void) -> [String: FeedContribution] {
        self.entries(report: report).mapValues { entry in
            FeedContribution(fingerprint: entry.fingerprint, value: entry.value)
        }
    }

    /// Everything that is there, by feed; `report` is told of files that cannot be used.
    func entries(report: (String) -> Void) -> [String: Entry] {
        guard let folder = unsafe opendir(self.folder) else { return [:] }
        defer { unsafe closedir(folder) }
        var entries: [String: Entry] = [:]
        while let item = unsafe readdir(folder) {
            let name = unsafe withUnsafeBytes(of: &item.pointee.d_name) { bytes in
                unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            guard name.hasSuffix(Self.suffix), !name.hasPrefix(".") else { continue }
            do {
                let path = "\(self.folder)/\(name)"
                let bytes = try FileContent(path: path, atMost: Self.maximumSize).bytes
                let id = String(name.dropLast(Self.suffix.count))
                entries[id] = try JSONDecoder().decode(Entry.self, from: Data(bytes))
            } catch {
                report("\(self.folder)/\(name) cannot be used: \(error)")
            }
        }
        return entries
    }

    /// Replaces what is kept of a feed in one step: whoever reads sees the old or the new.
    func save(_ entry: Entry, of id: String) throws(Failure) {
        let temporary = "\(self.folder)/.\(id)\(Self.suffix).new"
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let bytes = try? encoder.encode(entry) else { return }
        try Self.write(Array(bytes), to: temporary)
        guard unsafe rename(temporary, "\(self.folder)/\(id)\(Self.suffix)") == 0 else {
            throw Failure("cannot be replaced", errno)
        }
        try Self.flush(folder: self.folder)
    }

    private static func write(_ bytes: [UInt8], to path: String) throws(Failure) {
        let flags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW
        let descriptor = unsafe open(path, flags, 0o600)
        guard descriptor >= 0 else { throw Failure("cannot be written", errno) }
        defer { close(descriptor) }
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

    /// The new name, too, must outlive a loss of power.
    private static func flush(folder: String) throws(Failure) {
        let descriptor = unsafe open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Failure("cannot be read", errno) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw Failure("cannot be written", errno) }
    }
}
