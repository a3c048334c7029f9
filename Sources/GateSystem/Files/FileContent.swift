import Glibc

/// The bytes and the identity of a file, both from the same open descriptor.
package struct FileContent: Sendable, Equatable {
    /// The reason why a path cannot be read.
    package enum Failure: Error {
        case missing
        case isFolder
        case notAFile
        /// `limit` is in bytes.
        case tooLarge(limit: Int)
        case system(Int32)
    }

    /// The maximum size of a rules file in bytes: four times that of a Kubernetes ConfigMap.
    package static let maximumRulesSize = 4 << 20

    package let bytes: [UInt8]
    package let identity: FileIdentity

    /// Reads a regular file; symbolic links are followed.
    ///
    /// The file is opened without blocking, so that a named pipe at the path cannot delay a reload.
    package init(path: String, atMost limit: Int) throws(Failure) {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw Self.failure(errno) }
        defer { close(descriptor) }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw Self.failure(errno) }
        switch status.st_mode & S_IFMT {
        case S_IFREG: break
        case S_IFDIR: throw .isFolder
        default: throw .notAFile
        }
        guard status.st_size <= limit else { throw .tooLarge(limit: limit) }
        self.bytes = try Self.bytes(of: descriptor, atMost: limit)
        self.identity = FileIdentity(status)
    }

    /// Reads an open file to its end.
    package static func bytes(
        of descriptor: Int32,
        atMost limit: Int
    ) throws(Failure) -> [UInt8] {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = unsafe chunk.withUnsafeMutableBytes { buffer in
                unsafe read(descriptor, buffer.baseAddress, buffer.count)
            }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw Self.failure(errno) }
            guard count > 0 else { return bytes }
            bytes += chunk.prefix(count)
            // The file may grow while it is read.
            guard bytes.count <= limit else { throw .tooLarge(limit: limit) }
        }
    }

    private static func failure(_ code: Int32) -> Failure {
        code == ENOENT ? .missing : .system(code)
    }
}

/// The identity and state of the file that a path resolves to.
package struct FileIdentity: Sendable, Equatable {
    private let device: UInt64
    private let inode: UInt64
    private let kind: mode_t
    private let size: Int64
    private let modified: [Int]
    /// The change time (ctime), which programs cannot set.
    private let changed: [Int]

    init(_ status: stat) {
        self.device = UInt64(status.st_dev)
        self.inode = UInt64(status.st_ino)
        self.kind = status.st_mode & S_IFMT
        self.size = Int64(status.st_size)
        self.modified = [status.st_mtim.tv_sec, status.st_mtim.tv_nsec]
        self.changed = [status.st_ctim.tv_sec, status.st_ctim.tv_nsec]
    }

    /// Reads the identity of the file that a path resolves to; returns `nil` if there is none.
    // Not a default argument, because its code would be in an object file with fetch code, which
    // the module for Envoy excludes.
    package init?(path: String) {
        self.init(path: path, followsLinks: true)
    }

    /// Reads the identity of the file at a path; returns `nil` if there is none.
    package init?(path: String, followsLinks: Bool) {
        var status = stat()
        let flags = followsLinks ? 0 : AT_SYMLINK_NOFOLLOW
        guard unsafe fstatat(AT_FDCWD, path, &status, flags) == 0 else { return nil }
        self.init(status)
    }

    package var isFolder: Bool { self.kind == S_IFDIR }

    package var isEmptyFile: Bool { self.kind == S_IFREG && self.size == 0 }
}

extension FileContent.Failure: CustomStringConvertible {
    package var description: String {
        switch self {
        case .missing: "there is no such file or folder"
        case .isFolder: "this is a folder"
        case .notAFile: "this is neither a file nor a folder"
        case .tooLarge(let limit) where limit >= 1 << 20:
            "the file is larger than \(limit >> 20) MiB"
        case .tooLarge(let limit): "the file is larger than \(limit >> 10) KiB"
        case .system(let code): "cannot be read: \(unsafe String(cString: strerror(code)))"
        }
    }
}
