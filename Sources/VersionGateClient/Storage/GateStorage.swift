public import Foundation

/// A place that keeps what the gate said last until the app starts again.
///
/// One that cannot keep anything, or has lost it, is no error: the gate is asked again.
public protocol GateStorage: Sendable {
    /// Reads what is kept under a key.
    ///
    /// - Parameter key: A file name of small letters, digits and hyphens.
    /// - Returns: What was stored; `nil` if nothing was, or it cannot be read.
    func data(for key: String) -> Data?

    /// Keeps something under a key, in the place of what was there.
    ///
    /// - Parameters:
    ///   - data: Less than a KiB as a rule.
    ///   - key: A file name of small letters, digits and hyphens.
    func store(_ data: Data, for key: String)
}

/// Keeps each key in a file of its own.
public struct FileStorage: GateStorage {
    private let folder: URL

    /// Keeps files in a folder, which is made if it is not there.
    ///
    /// - Parameter folder: The address of the folder.
    public init(folder: URL) {
        self.folder = folder
    }

    /// The folder `VersionGate` among the app's own files (Application Support).
    public static let standard: FileStorage = {
        let manager = FileManager.default
        let folders = manager.urls(for: .applicationSupportDirectory, in: .userDomainMask)
        let parent = folders.first ?? manager.temporaryDirectory
        return FileStorage(folder: parent.appendingPathComponent("VersionGate"))
    }()

    /// Reads a file; `nil` if it is not there or cannot be read.
    public func data(for key: String) -> Data? {
        try? Data(contentsOf: self.file(key))
    }

    /// Writes a file aside and puts it in the place of the old one.
    public func store(_ data: Data, for key: String) {
        let manager = FileManager.default
        try? manager.createDirectory(at: self.folder, withIntermediateDirectories: true)
        try? data.write(to: self.file(key), options: .atomic)
    }

    private func file(_ key: String) -> URL {
        self.folder.appendingPathComponent("\(key).json")
    }
}
