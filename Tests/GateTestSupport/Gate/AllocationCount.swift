package import Foundation

/// The number of a gate's memory allocations, as counted by a library that is loaded before the C library.
package struct AllocationCount: Sendable {
    private static let library = "libAllocationCounter.so"
    private let file: URL

    /// The surroundings in which a gate's allocations are counted in the file.
    package let surroundings: GateSurroundings

    package init(into file: URL) throws {
        let folder = try GateExecutable.locate().deletingLastPathComponent()
        self.file = file
        self.surroundings = .environment([
            "LD_PRELOAD": folder.appendingPathComponent(Self.library).path,
            "ALLOCATION_COUNT": file.path,
        ])
    }

    /// Whether the gate's allocations can be counted.
    package static var isPossible: Bool {
        guard let executable = try? GateExecutable.locate() else { return false }
        let library = executable.deletingLastPathComponent().appendingPathComponent(Self.library)
        return FileManager.default.fileExists(atPath: library.path) && !GateExecutable.isSanitized
    }

    /// Returns the number of allocations so far.
    package func current() throws -> Int {
        let bytes = [UInt8](try Data(contentsOf: self.file))
        guard bytes.count == MemoryLayout<UInt64>.size else {
            throw HarnessError("no allocations were counted in \(self.file.path)")
        }
        return Int(bytes.reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
    }
}
