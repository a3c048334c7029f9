public import Foundation

/// Storage for the last known state between runs of the app.
///
/// It is not an error if data cannot be stored, or is lost: the client requests the state again.
public protocol GateStorage: Sendable {
    /// Returns the data stored under a key.
    ///
    /// - Parameter key: A file name of lowercase letters, digits and hyphens.
    /// - Returns: The stored data; `nil` if there is none, or it cannot be read.
    func data(for key: String) -> Data?

    /// Stores data under a key, replacing previous data.
    ///
    /// - Parameters:
    ///   - data: The data, usually less than 1 KiB.
    ///   - key: A file name of lowercase letters, digits and hyphens.
    func store(_ data: Data, for key: String)
}

/// Storage that uses one file per key.
public struct FileStorage: GateStorage {
    private let folder: URL

    /// Creates storage in a folder, which is created if it does not exist.
    ///
    /// - Parameter folder: The URL of the folder.
    public init(folder: URL) {
        self.folder = folder
    }

    /// The storage in the app's `VersionGate` folder (Application Support).
    public static let standard: FileStorage = {
        let manager = FileManager.default
        let folders = manager.urls(for: .applicationSupportDirectory, in: .userDomainMask)
        let parent = folders.first ?? manager.temporaryDirectory
        return FileStorage(folder: parent.appendingPathComponent("VersionGate"))
    }()

    /// Returns the content of a file; `nil` if it does not exist or cannot be read.
    public func data(for key: String) -> Data? {
        try? Data(contentsOf: self.file(key))
    }

    /// Writes a file atomically.
    public func store(_ data: Data, for key: String) {
        let manager = FileManager.default
        try? manager.createDirectory(at: self.folder, withIntermediateDirectories: true)
        try? data.write(to: self.file(key), options: .atomic)
    }

    private func file(_ key: String) -> URL {
        self.folder.appendingPathComponent("\(key).json")
    }
}
