private import FoundationEssentials
package import GateSystem
private import Glibc

/// The folder for data that persists across restarts (`--state-dir`).
///
/// The folder is optional: problems with it are reported, but never prevent the gate from starting
/// or serving requests.
package struct StateFolder: Sendable {
    /// The reason why a folder, or a file in it, cannot be used.
    package struct Failure: Error, Equatable, CustomStringConvertible {
        package let description: String
    }

    package let path: String
    /// The reason why nothing can be stored in the folder, which may still be readable; `nil` if
    /// the folder is writable.
    package let problem: Failure?

    /// Opens a folder, and creates it if it does not exist.
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

    /// Returns the names of the files with a suffix, in sorted order.
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

    /// Returns a value that was stored with `save`.
    ///
    /// - Parameters:
    ///   - name: The name of the file.
    ///   - limit: The maximum size in bytes.
    ///   - report: Called with the reason if the file cannot be used.
    /// - Returns: The value; `nil` if there is no file, or if the file cannot be used.
    package func value<Value: Decodable>(
        in name: String,
        atMost limit: Int,
        report: (String) -> Void
    ) -> Value? {
        do {
            return try self.value(in: name, atMost: limit)
        } catch FileContent.Failure.missing {
            return nil
        } catch {
            report("\(self.path)/\(name) cannot be used: \(error)")
            return nil
        }
    }

    /// Returns a value that was stored with `save`.
    func value<Value: Decodable>(in name: String, atMost limit: Int) throws -> Value {
        let bytes = try self.read(name, atMost: limit)
        return try JSONDecoder().decode(Value.self, from: Data(bytes))
    }

    /// Stores a value as JSON, replacing the file.
    package func save(_ value: some Encodable, as name: String) throws(Failure) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let bytes = try? encoder.encode(value) else { return }
        try self.replace(name, with: Array(bytes))
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
        let path = "\(self.path)/\(name)"
        try WholeFile.replace(path, by: temporary, with: bytes, flags: O_TRUNC)
        try self.flush()
    }

    /// Syncs the folder, so that the new name survives a power failure.
    private func flush() throws(Failure) {
        let descriptor = unsafe open(self.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Failure("cannot be read", errno) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw Failure("cannot be written", errno) }
    }
}

extension StateFolder.Failure {
    init(_ what: String, _ code: CInt) {
        self.init(description: "\(what): \(unsafe String(cString: strerror(code)))")
    }
}
