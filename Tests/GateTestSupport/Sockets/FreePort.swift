import Glibc
import Synchronization

/// A port of 127.0.0.1 for a program that cannot choose one itself.
package enum FreePort {
    /// Below those that the system gives to outgoing connections (32768 on Linux, if nothing is set):
    /// one of these could take the port before the program does, or while it is started again.
    private static let range: Range<UInt16> = 20_000..<32_000
    /// The one that is tried next; other processes begin elsewhere.
    private static let next = Mutex(UInt16.random(in: range))

    /// A port that nobody listened on a moment ago, and that is not given twice.
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
