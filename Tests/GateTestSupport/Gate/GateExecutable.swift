package import Foundation

/// The executable under test.
package enum GateExecutable {
    /// Whether it runs under a sanitizer, whose allocator takes the place of the system's and keeps what
    /// is freed: then neither what it holds nor how often it asks says anything about the gate.
    package static let isSanitized =
        !Set(ProcessInfo.processInfo.environment.keys)
        .isDisjoint(with: ["ASAN_OPTIONS", "TSAN_OPTIONS"])

    /// The times as long that it may take for anything: a sanitizer makes it a tenth as fast, and the
    /// time limits of tests leave some room already.
    package static let slowdown = Self.isSanitized ? 5 : 1

    /// `VERSIONGATE_BINARY`, or the executable that was built beside the test bundle.
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
        throw HarnessError("no versiongate beside the tests; build it or set VERSIONGATE_BINARY")
    }
}
