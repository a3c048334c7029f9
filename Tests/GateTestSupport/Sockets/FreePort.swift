import Glibc
import Synchronization

/// A port of 127.0.0.1 for a program that cannot select one itself.
package enum FreePort {
    /// Ports below those of outgoing connections, which start at 32768 by default on Linux.
    ///
    /// An outgoing connection could occupy such a port before the program starts or restarts.
    private static let range: Range<UInt16> = 20_000..<32_000
    /// The next port to try.
    ///
    /// Other processes start at other ports.
    private static let next = Mutex(UInt16.random(in: range))

    /// Returns a port that was free a moment ago, and that is not returned twice.
    package static func find() throws -> UInt16 {
        for _ in self.range {
            let port = self.next.withLock { next in
                defer { next = next + 1 < self.range.upperBound ? next + 1 : self.range.lowerBound }
                return next
            }
            guard let descriptor = try? LoopbackListener.listen(port: port) else { continue }
            _ = close(descriptor)
            return port
        }
        throw HarnessError("no port is free from \(self.range)")
    }
}
