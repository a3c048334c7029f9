import GateAdmin
import GateProxy
import Glibc
import Logging

/// How many files and sockets the process may have open.
struct DescriptorLimit: Equatable {
    /// `nil`: any number.
    var count: UInt64?

    /// Raises the limit as far as the system lets it.
    ///
    /// The low one is a relic of `select`, which nothing here uses.
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

    /// The descriptors that so many connections need, each with one to the backend, those of operators, and
    /// those that the gate itself has open.
    static func needed(connections: Int, operators: Int, threads: Int) -> UInt64 {
        UInt64(connections) * 2 + UInt64(operators) + UInt64(threads) * 4 + 64
    }

    /// Raises the limit, and logs if it is still too low for a gate.
    ///
    /// - Returns: The limits of the admin listener that fit.
    static func raise(
        for gate: GateSettings,
        hasAdminListener: Bool,
        logger: Logger
    ) -> AdminLimits {
        let limit = self.raised()
        let operators = AdminLimits.defaults.fitting(descriptors: limit.count)
        let needed = self.needed(
            connections: gate.maxConnections,
            operators: hasAdminListener ? operators.connections : 0,
            threads: gate.threads
        )
        if let count = limit.count, count < needed {
            logger.info(
                "fewer file descriptors than --max-connections may need",
                metadata: [
                    "limit": .stringConvertible(count), "needed": .stringConvertible(needed),
                ]
            )
        }
        return operators
    }
}
