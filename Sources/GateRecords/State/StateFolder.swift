package import GateSystem
private import Glibc

/// The folder for data that persists across restarts (`--state-dir`).
///
/// The folder is optional: its problems are reported, but never prevent the gate from starting or
/// serving requests.
package struct StateFolder: Sendable {
    /// The reason why the folder, or a file in it, cannot be used.
    package struct Failure: Error, CustomStringConvertible {
        package let description: String

        fileprivate init(_ what: String, _ code: Int32) {
            self.description = "\(what): \(unsafe String(cString: strerror(code)))"
        }
    }

    package let path: String
    /// The reason why nothing can be stored in the folder, which may still be readable; `nil` if it
    /// is writable.
    package let problem: Failure?

    /// Creates the folder if it does not exist.
    package init(path: String) {
        self.path = path
        let made = unsafe mkdir(path, 0o700)
        if made != 0, errno != EEXIST {
            self.problem = Failure("cannot be created", errno)
        } else if unsafe access(path, W_OK | X_OK) != 0 {
            self.problem = Failure("cannot be written to", errno)
        } else {
            self.problem = nil
        }
    }

    /// Returns the names of the files with a suffix, sorted.
    func names(endingWith suffix: String) -> [String] {
        guard let folder = unsafe opendir(self.path) else { return [] }
        defer { unsafe closedir(folder) }
        var names: [String] = []
        while let item = unsafe readdir(folder) {
            let name = unsafe withUnsafeBytes(of: &item.pointee.d_name) { bytes in
                unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name.hasSuffix(suffix), !name.hasPrefix(".") { names.append(name) }
        }
        return names.sorted()
    }

    package func read(_ name: String, atMost limit: Int) throws(FileContent.Failure) -> [UInt8] {
        try FileContent(path: "\(self.path)/\(name)", atMost: limit).bytes
    }

    /// Creates an empty file that only its owner can read, unless the file exists.
    func make(_ name: String) {
        let flags = O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW
        let descriptor = unsafe open("\(self.path)/\(name)", flags, 0o600)
        if descriptor >= 0 { close(descriptor) }
    }

    /// Replaces a file atomically: readers see either the old or the new content.
    package func replace(_ name: String, with bytes: [UInt8]) throws(Failure) {
        // Gates that share a folder must not write to the same temporary file.
        let temporary = "\(self.path)/.\(name).\(getpid()).new"
        do throws(Failure) {
            try Self.write(bytes, to: temporary)
            guard unsafe rename(temporary, "\(self.path)/\(name)") == 0 else {
                throw Failure("cannot be replaced", errno)
            }
        } catch {
            // After a failed write to a full disk, frees the space of the temporary file.
            _ = unsafe unlink(temporary)
            throw error
        }
        try self.flush()
    }

    private static func write(_ bytes: [UInt8], to path: String) throws(Failure) {
        let flags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW
        let descriptor = unsafe open(path, flags, 0o600)
        guard descriptor >= 0 else { throw Failure("cannot be written", errno) }
        defer { close(descriptor) }
        guard WholeFile.write(bytes, to: descriptor) else {
            throw Failure("cannot be written", errno)
        }
    }

    /// Syncs the folder, so that the new name survives a power failure.
    private func flush() throws(Failure) {
        let descriptor = unsafe open(self.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Failure("cannot be read", errno) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw Failure("cannot be written", errno) }
    }
}
