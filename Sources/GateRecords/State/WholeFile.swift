private import Glibc

/// Writing a new file that replaces another one.
enum WholeFile {
    /// Writes all bytes to an open file, and waits until they are on the disk.
    ///
    /// - Returns: Whether this succeeded; otherwise, `errno` has the reason.
    static func write(_ bytes: [UInt8], to descriptor: CInt) -> Bool {
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
