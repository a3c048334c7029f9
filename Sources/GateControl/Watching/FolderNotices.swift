private import Glibc

/// The kernel's notices about a few folders (inotify); says that something happened, not what.
///
/// Folders are watched, never files: a watch follows the file that it was set on, and editors and
/// Kubernetes put another file in its place.
struct FolderNotices: ~Copyable {
    /// What wakes the watch; opening and reading do not.
    private static let mask = [
        IN_CLOSE_WRITE, IN_MODIFY, IN_CREATE, IN_DELETE, IN_MOVED_FROM, IN_MOVED_TO,
        IN_DELETE_SELF, IN_MOVE_SELF, IN_ATTRIB, Int32(IN_ONLYDIR),
    ].reduce(0) { $0 | UInt32($1) }

    /// What to poll; the folders send their notices here.
    let descriptor: Int32
    private var watches: Set<Int32> = []

    /// Opens the channel; `nil` if the system has none left, as happens in crowded containers.
    init?() {
        self.descriptor = inotify_init1(Int32(IN_CLOEXEC | IN_NONBLOCK))
        guard self.descriptor >= 0 else { return nil }
    }

    deinit {
        close(self.descriptor)
    }

    /// Watches these folders and no others; folders that are not there are left out.
    ///
    /// Setting a watch twice is one watch, and a folder that was replaced under its name gets a
    /// new one: it is right to call this again after every notice.
    mutating func watch(_ folders: Set<String>) {
        var current: Set<Int32> = []
        for folder in folders {
            let watch = unsafe inotify_add_watch(self.descriptor, folder, Self.mask)
            if watch >= 0 { current.insert(watch) }
        }
        for stale in self.watches.subtracting(current) {
            inotify_rm_watch(self.descriptor, stale)
        }
        self.watches = current
    }

    /// Throws away the notices that have arrived.
    func drain() {
        var buffer = [UInt8](repeating: 0, count: 16 << 10)
        var count = 1
        while count > 0 {
            count = unsafe buffer.withUnsafeMutableBytes { bytes in
                unsafe read(self.descriptor, bytes.baseAddress, bytes.count)
            }
        }
    }
}
