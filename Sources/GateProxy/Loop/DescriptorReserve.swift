import Glibc

/// The last descriptors of the process, which connections leave to the rest of it.
///
/// A gate that has none left could not read its rules; and libdispatch, which looks into `/proc` now
/// and then, ends a process in which it cannot open a file.
package struct DescriptorReserve: Sendable {
    package enum Purpose: Sendable {
        /// Clients leave some to the connections that their requests need, and to operators.
        case client
        case backend
        case `operator`
    }

    /// How many descriptors the process may have open.
    private let limit: Int

    /// `limit`: `nil` for any number.
    init(limit: Int?) {
        self.limit = limit ?? .max
    }

    /// By the limit of this process, as it is now.
    init() {
        var limit = rlimit()
        let result = unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        self.init(limit: result == 0 ? Int(clamping: limit.rlim_cur) : nil)
    }

    /// Whether one more connection leaves enough to others.
    func hasRoom(for purpose: Purpose) -> Bool {
        guard let next = Self.nextDescriptor() else { return false }
        return next < self.end(for: purpose)
    }

    /// The first descriptor that is not for this purpose; the kernel gives out the lowest free one.
    func end(for purpose: Purpose) -> Int {
        let process = min(max(4, self.limit / 64), 32)
        let backends = min(max(4, self.limit / 16), 256)
        switch purpose {
        case .client: return self.limit - process - backends
        case .backend, .operator: return self.limit - process
        }
    }

    /// The descriptor that would be given out next; `nil` if there is none.
    private static func nextDescriptor() -> Int? {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return nil }
        Glibc.close(descriptor)
        return Int(descriptor)
    }
}
