/// A port of 127.0.0.1 for a program that cannot choose one itself.
package enum FreePort {
    /// A port that nobody listened on a moment ago.
    package static func find() throws -> UInt16 {
        let listener = try LoopbackListener { _ in }
        defer { listener.stop() }
        return listener.port
    }
}
