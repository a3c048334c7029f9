import Glibc

/// Reads small files whole.
enum FileContent {
    /// Keys and certificates are a few kilobytes; a bundle of all public authorities is 250.
    private static let limit = 4 * 1024 * 1024

    /// - Throws: what the system says, or that the file is too large to be what it should be.
    static func read(_ path: String) throws(TLSFileError) -> [UInt8] {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw self.systemError(path) }
        defer { close(descriptor) }
        var content: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 64 * 1024)
        while true {
            let count = unsafe buffer.withUnsafeMutableBytes { bytes in
                unsafe Glibc.read(descriptor, bytes.baseAddress, bytes.count)
            }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw self.systemError(path) }
            guard count > 0 else { return content }
            content += buffer[..<count]
            guard content.count <= self.limit else {
                throw TLSFileError(file: path, reason: "is too large")
            }
        }
    }

    private static func systemError(_ path: String) -> TLSFileError {
        TLSFileError(file: path, reason: unsafe String(cString: strerror(errno)))
    }
}
