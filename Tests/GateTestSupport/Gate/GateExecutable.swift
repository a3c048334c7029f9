package import Foundation

/// The executable under test.
package enum GateExecutable {
    /// Whether the executable runs under a sanitizer.
    ///
    /// A sanitizer's allocator replaces the system's and keeps freed memory, so memory use and allocations then say
    /// nothing about the gate.
    package static let isSanitized =
        !Set(ProcessInfo.processInfo.environment.keys)
        .isDisjoint(with: ["ASAN_OPTIONS", "TSAN_OPTIONS"])

    /// The factor for time limits.
    ///
    /// A sanitizer slows the gate down to a tenth; the tests' time limits already allow for a part of that.
    package static let slowdown = Self.isSanitized ? 5 : 1

    /// Returns `VERSIONGATE_BINARY`, or the executable that was built with the test bundle.
    package static func locate() throws -> URL {
        if let path = ProcessInfo.processInfo.environment["VERSIONGATE_BINARY"] {
            return URL(fileURLWithPath: path)
        }
        let runner = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let candidates = [runner, CommandLine.arguments.first, Bundle.main.executablePath]
        for case let path? in candidates {
            let folder = URL(fileURLWithPath: path).deletingLastPathComponent()
            let executable = folder.appendingPathComponent("versiongate")
            if FileManager.default.isExecutableFile(atPath: executable.path) {
                return executable
            }
        }
        throw HarnessError("no versiongate next to the tests; build it or set VERSIONGATE_BINARY")
    }
}
