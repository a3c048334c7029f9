private import Glibc

/// Atomic replacement of files: readers see either the old or the new content.
enum WholeFile {
    /// Writes a temporary file, and renames it to the path of the file to replace.
    ///
    /// - Parameters:
    ///   - path: The path of the file to replace.
    ///   - temporary: The path of the temporary file, in the same folder.
    ///   - bytes: The new content.
    ///   - flags: Additional flags for opening the temporary file.
    ///   - prepare: Called with the descriptor of the temporary file; if it fails, it returns
    ///     `false` and sets `errno`.
    /// - Throws: The reason why the file cannot be replaced.
    static func replace(
        _ path: String,
        by temporary: String,
        with bytes: [UInt8],
        flags: CInt,
        prepare: (CInt) -> Bool = { _ in true }
    ) throws(StateFolder.Failure) {
        do throws(StateFolder.Failure) {
            let flags = O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | flags
            let descriptor = unsafe open(temporary, flags, 0o600)
            guard descriptor >= 0 else { throw StateFolder.Failure("cannot be written", errno) }
            let isWritten = prepare(descriptor) && self.write(bytes, to: descriptor)
            let code = errno
            close(descriptor)
            guard isWritten else { throw StateFolder.Failure("cannot be written", code) }
            guard unsafe rename(temporary, path) == 0 else {
                throw StateFolder.Failure("cannot be replaced", errno)
            }
        } catch {
            // If the disk is full, this frees the space of the temporary file.
            _ = unsafe unlink(temporary)
            throw error
        }
    }

    /// Writes all bytes to an open file, and waits until they are on the disk.
    ///
    /// - Returns: Whether this succeeded; if not, `errno` contains the reason.
    private static func write(_ bytes: [UInt8], to descriptor: CInt) -> Bool {
        var written = 0
        while written < bytes.count {
            let count = unsafe bytes.withUnsafeBytes { buffer in
                let rest = unsafe UnsafeRawBufferPointer(rebasing: buffer[written...])
                return unsafe Glibc.write(descriptor, rest.baseAddress, rest.count)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            written += count
        }
        return fsync(descriptor) == 0
    }
}
