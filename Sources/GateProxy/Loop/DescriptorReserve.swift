import Glibc

/// A reserve of file descriptors that connections must not use.
///
/// Without free descriptors, a gate could not read its rules. libdispatch, which occasionally reads `/proc`, terminates
/// the process if it cannot open a file.
package struct DescriptorReserve: Sendable {
    package enum Purpose: Sendable {
        /// Client connections, which must leave descriptors for backend connections and operators.
        case client
        case backend
        case `operator`
    }

    /// The maximum number of open descriptors of the process.
    private let limit: Int

    /// Creates a reserve with a limit on the number of open descriptors, or with no limit if `limit` is `nil`.
    init(limit: Int?) {
        self.limit = limit ?? .max
    }

    /// Creates a reserve with the current limit of the process.
    init() {
        var limit = rlimit()
        let result = unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        self.init(limit: result == 0 ? Int(clamping: limit.rlim_cur) : nil)
    }

    /// Returns whether another connection for this purpose leaves enough descriptors for other purposes.
    func hasRoom(for purpose: Purpose) -> Bool {
        guard let next = Self.nextDescriptor() else { return false }
        return next < self.end(for: purpose)
    }

    /// Returns the first descriptor that this purpose must not use.
    ///
    /// The kernel assigns the lowest free descriptor.
    func end(for purpose: Purpose) -> Int {
        let process = min(max(4, self.limit / 64), 32)
        let backends = min(max(4, self.limit / 16), 256)
        switch purpose {
        case .client: return self.limit - process - backends
        case .backend, .operator: return self.limit - process
        }
    }

    /// Returns the descriptor that the kernel would assign next, or `nil` if no descriptor is free.
    private static func nextDescriptor() -> Int? {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return nil }
        Glibc.close(descriptor)
        return Int(descriptor)
    }
}
