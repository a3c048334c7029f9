package import GateSystem
private import Glibc

/// The folder of what must outlive the process (`--state-dir`).
///
/// A gate without it is poorer, and still a gate: whatever is wrong with the folder is said, and
/// keeps nobody from starting or serving.
package struct StateFolder: Sendable {
    /// Why the folder, or a file in it, is of no use.
    package struct Failure: Error, CustomStringConvertible {
        package let description: String

        fileprivate init(_ what: String, _ code: Int32) {
            self.description = "\(what): \(unsafe String(cString: strerror(code)))"
        }
    }

    package let path: String
    /// Why nothing can be kept there, though it may be readable; `nil` if it can.
    package let problem: Failure?

    /// Makes the folder if it is not there.
    package init(path: String) {
        self.path = path
        let made = unsafe mkdir(path, 0o700)
        if made != 0, errno != EEXIST {
            self.problem = Failure("cannot be made", errno)
        } else if unsafe access(path, W_OK | X_OK) != 0 {
            self.problem = Failure("cannot be written to", errno)
        } else {
            self.problem = nil
        }
    }

    /// The names of the files with a suffix.
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

    /// Makes an empty file that its owner alone can read, unless there is one.
    func make(_ name: String) {
        let flags = O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW
        let descriptor = unsafe open("\(self.path)/\(name)", flags, 0o600)
        if descriptor >= 0 { close(descriptor) }
    }

    /// Replaces a file in one step: whoever reads sees the old or the new.
    package func replace(_ name: String, with bytes: [UInt8]) throws(Failure) {
        // Gates that share a folder must not write into each other's file.
        let temporary = "\(self.path)/.\(name).\(getpid()).new"
        do throws(Failure) {
            try Self.write(bytes, to: temporary)
            guard unsafe rename(temporary, "\(self.path)/\(name)") == 0 else {
                throw Failure("cannot be replaced", errno)
            }
        } catch {
            // On a full disk, the rest of it would keep the disk full.
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
    private func flush() throws(Failure) {
        let descriptor = unsafe open(self.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Failure("cannot be read", errno) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw Failure("cannot be written", errno) }
    }
}
