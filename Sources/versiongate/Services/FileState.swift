import Glibc

/// What tells one content of a file from another without reading it.
///
/// Links are followed, so that the swap of a folder that Kubernetes makes is seen as well.
struct FileState: Equatable {
    private let device: UInt64
    private let inode: UInt64
    private let size: Int64
    private let seconds: Int
    private let nanoseconds: Int

    /// All zero if there is no such file.
    init(_ path: String) {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else {
            (self.device, self.inode, self.size, self.seconds, self.nanoseconds) = (0, 0, 0, 0, 0)
            return
        }
        self.device = UInt64(status.st_dev)
        self.inode = UInt64(status.st_ino)
        self.size = Int64(status.st_size)
        self.seconds = status.st_mtim.tv_sec
        self.nanoseconds = status.st_mtim.tv_nsec
    }
}
