import GateAdmin
import GateProxy
import Glibc
import Logging

/// The maximum number of files and sockets that the process can have open.
struct DescriptorLimit: Equatable {
    /// The limit; `nil` if there is none.
    var count: UInt64?

    /// Raises the soft limit to the hard limit.
    ///
    /// The default soft limit is low to protect programs that use `select`. The gate does not use `select`.
    static func raised() -> DescriptorLimit {
        var limit = rlimit()
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        guard unsafe getrlimit(resource, &limit) == 0 else {
            return DescriptorLimit(count: nil)
        }
        var higher = limit
        higher.rlim_cur = limit.rlim_max
        if unsafe setrlimit(resource, &higher) == 0 { limit = higher }
        return DescriptorLimit(count: limit.rlim_cur == .max ? nil : UInt64(limit.rlim_cur))
    }

    /// Returns the number of descriptors needed: two per client connection, one per connection to the admin listener,
    /// and those that the gate itself opens.
    static func needed(connections: Int, operators: Int, threads: Int) -> UInt64 {
        UInt64(connections) * 2 + UInt64(operators) + UInt64(threads) * 4 + 64
    }

    /// Returns the number of descriptors that a gate needs, and limits for its admin listener that fit this limit.
    func demand(
        of gate: GateSettings,
        hasAdminListener: Bool
    ) -> (needed: UInt64, operators: AdminLimits) {
        let operators = AdminLimits.defaults.fitting(descriptors: self.count)
        let needed = Self.needed(
            connections: gate.maxConnections,
            operators: hasAdminListener ? operators.connections : 0,
            threads: gate.threads
        )
        return (needed, operators)
    }

    /// Raises the limit, and logs a message if it is still too low for the settings.
    ///
    /// - Returns: Limits for the admin listener that fit the descriptor limit.
    static func raise(
        for gate: GateSettings,
        hasAdminListener: Bool,
        logger: Logger
    ) -> AdminLimits {
        let limit = self.raised()
        let (needed, operators) = limit.demand(of: gate, hasAdminListener: hasAdminListener)
        if let count = limit.count, count < needed {
            logger.info(
                "the file descriptor limit is too low for --max-connections",
                metadata: [
                    "limit": .stringConvertible(count), "needed": .stringConvertible(needed),
                ]
            )
        }
        return operators
    }
}
