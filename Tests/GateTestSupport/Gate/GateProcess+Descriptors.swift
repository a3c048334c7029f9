import Foundation

/// The gate's descriptors, as reported by the kernel.
extension GateProcess {
    /// Returns the number of open descriptors.
    package func descriptorCount() throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: self.folder("fd")).count
    }

    /// Returns the number of parked connections.
    ///
    /// These are the sockets that epoll is to report only once (see proc(5) on epoll's `fdinfo`). NIO registers no
    /// socket that way, and Dispatch registers no sockets at all.
    package func parkedCount() throws -> Int {
        let folder = self.folder("fdinfo")
        var count = 0
        for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
            // The descriptor may have been closed in between.
            guard let info = try? String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8)
            else { continue }
            for line in info.split(separator: "\n") where line.hasPrefix("tfd:") {
                let words = line.split { $0 == " " || $0 == "\t" }
                guard let label = words.firstIndex(of: "events:"), words.count > label + 1,
                    words.count > 1, let events = UInt32(words[label + 1], radix: 16)
                else { throw HarnessError("cannot parse: \(line)") }
                guard events & Self.once != 0, self.isSocket(words[1]) else { continue }
                count += 1
            }
        }
        return count
    }

    /// Blocks until exactly this number of connections is parked.
    package func waitUntilParked(_ count: Int, by deadline: Deadline = .usual) throws {
        try deadline.poll("\(count) parked, not \(self.parkedCount())") {
            try self.parkedCount() == count ? true : nil
        }
    }

    private func isSocket(_ descriptor: Substring) -> Bool {
        let path = "\(self.folder("fd"))/\(descriptor)"
        let target = try? FileManager.default.destinationOfSymbolicLink(atPath: path)
        return target?.hasPrefix("socket:") ?? false
    }

    private func folder(_ name: String) -> String { "/proc/\(self.processIdentifier)/\(name)" }

    /// `EPOLLONESHOT`.
    private static let once: UInt32 = 1 << 30
}
