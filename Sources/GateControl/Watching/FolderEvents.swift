internal import GateSystem
private import Glibc

/// The inotify events that affect the rules, from the watched folders.
///
/// Folders are watched instead of files, because a watch on a file follows its inode, whereas
/// editors and Kubernetes replace the file with a different one.
struct FolderEvents: ~Copyable {
    /// An event from the kernel.
    enum Notice: Equatable {
        case of(CheckSchedule.Entry, CheckSchedule.Notice)
        /// Events were lost because the queue was full.
        case lost
    }

    private struct Folder {
        let path: String
        var names: WatchedPaths.Names
    }

    /// The requested events; opening and reading a file are not included.
    private static let mask = [
        IN_CLOSE_WRITE, IN_MODIFY, IN_CREATE, IN_DELETE, IN_MOVED_FROM, IN_MOVED_TO,
        IN_DELETE_SELF, IN_MOVE_SELF, IN_ATTRIB, Int32(IN_ONLYDIR),
    ].reduce(0) { $0 | UInt32($1) }

    /// The inotify descriptor; negative if no instance was available, for example because the limit
    /// on instances was reached.
    let descriptor: Int32
    private var folders: [Int32: Folder] = [:]

    /// Creates an inotify instance.
    init() {
        self.descriptor = inotify_init1(Int32(IN_CLOEXEC | IN_NONBLOCK))
    }

    deinit {
        if self.descriptor >= 0 { close(self.descriptor) }
    }

    /// Watches exactly these folders, and skips missing ones.
    ///
    /// A second watch on the same folder has no effect, and a folder that was replaced gets a new
    /// watch, so this method should be called again after every event.
    mutating func watch(_ places: WatchedPaths) {
        guard self.descriptor >= 0 else { return }
        var current: [Int32: Folder] = [:]
        for (path, names) in places.folders {
            let watch = unsafe inotify_add_watch(self.descriptor, path, Self.mask)
            if watch >= 0 {
                current[watch, default: Folder(path: path, names: .init())].names.formUnion(names)
            }
        }
        for stale in self.folders.keys where current[stale] == nil {
            inotify_rm_watch(self.descriptor, stale)
        }
        self.folders = current
    }

    /// Returns whether an entry is part of the rules.
    func concern(_ entry: CheckSchedule.Entry) -> Bool {
        guard let folder = self.folders[entry.folder] else { return false }
        return entry.name.isEmpty || folder.names.contains(entry.name)
    }

    /// Returns the pending events that concern the rules.
    func take() -> [Notice] {
        var notices: [Notice] = []
        // The buffer is large enough for the longest name, and for many names of the usual length.
        var buffer = [UInt8](repeating: 0, count: 16 << 10)
        while true {
            let count = unsafe buffer.withUnsafeMutableBytes { bytes in
                unsafe read(self.descriptor, bytes.baseAddress, bytes.count)
            }
            guard count > 0 else { return notices }
            for notice in InotifyEvent.parse(buffer[..<count]) {
                if let notice = self.meaning(of: notice) { notices.append(notice) }
            }
        }
    }

    private func meaning(of notice: InotifyEvent) -> Notice? {
        if notice.has(IN_Q_OVERFLOW) { return .lost }
        let entry = CheckSchedule.Entry(folder: notice.watch, name: notice.name)
        guard self.concern(entry), let folder = self.folders[entry.folder] else { return nil }
        if notice.name.isEmpty {
            // The attributes of a folder do not affect its rules.
            return notice.has(IN_DELETE_SELF | IN_MOVE_SELF) ? .of(entry, .removed) : nil
        }
        if notice.has(IN_CREATE) {
            return .of(entry, Self.eventForNewName("\(folder.path)/\(notice.name)"))
        }
        if notice.has(IN_MODIFY) { return .of(entry, .written) }
        if notice.has(IN_CLOSE_WRITE) { return .of(entry, .closed) }
        if notice.has(IN_MOVED_TO) { return .of(entry, .replaced) }
        if notice.has(IN_DELETE | IN_MOVED_FROM) { return .of(entry, .removed) }
        return notice.has(IN_ATTRIB) ? .of(entry, .touched) : nil
    }

    /// Returns the event for a new name.
    ///
    /// An empty file is about to be written; a link, or a file with content, is complete. If the
    /// file was written before its state is read here, an event for the write follows.
    private static func eventForNewName(_ path: String) -> CheckSchedule.Notice {
        guard let identity = FileIdentity(path: path, followsLinks: false) else { return .removed }
        return identity.isEmptyFile ? .written : .replaced
    }
}

/// An event in the kernel's format (inotify(7), `struct inotify_event`).
struct InotifyEvent: Equatable {
    let watch: Int32
    let mask: UInt32
    /// The file name; empty if the event is about the folder itself.
    let name: String

    func has(_ bits: Int32) -> Bool { self.mask & UInt32(bits) != 0 }

    /// Parses the result of one `read`, which always contains complete events.
    static func parse(_ bytes: ArraySlice<UInt8>) -> [InotifyEvent] {
        var notices: [InotifyEvent] = []
        var rest = bytes
        while rest.count >= MemoryLayout<inotify_event>.size {
            let head = unsafe rest.withUnsafeBytes { bytes in
                unsafe bytes.loadUnaligned(as: inotify_event.self)
            }
            rest = rest.dropFirst(MemoryLayout<inotify_event>.size)
            let name = rest.prefix(Int(head.len)).prefix { $0 != 0 }
            let text = String(decoding: name, as: UTF8.self)
            notices.append(InotifyEvent(watch: head.wd, mask: head.mask, name: text))
            rest = rest.dropFirst(Int(head.len))
        }
        return notices
    }
}
