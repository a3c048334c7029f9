import GateTestSupport

extension Demand {
    /// No byte of a request reaches the backend, except perhaps the follower.
    static let nothingReaches = Demand { observation in
        let targets = observation.exchanges.map { "\($0.request.method) \($0.request.target)" }
        if !targets.isEmpty { return "reaches the backend: \(targets[0].prefix(60))" }
        let failed = observation.record.connections.contains { connection in
            connection.exchanges.isEmpty && !connection.received.isEmpty
        }
        return failed ? "something reaches the backend" : nil
    }

    /// This number of requests reaches the backend, not counting the follower.
    static func requests(_ count: Int) -> Demand {
        Demand { observation in
            let targets = observation.exchanges.map(\.request.target)
            return targets.count == count ? nil : "\(targets.count) requests: \(targets)"
        }
    }

    static func atMost(_ count: Int, requestsTo target: String) -> Demand {
        Demand { observation in
            let found = observation.exchanges.count { $0.request.target == target }
            return found <= count ? nil : "\(found) requests to \(target)"
        }
    }

    /// These bytes never reach the backend.
    static func neverReaches(_ text: String) -> Demand {
        let pattern = text.latin1
        return Demand("reaches the backend: \(text.debugDescription)") { observation in
            !observation.record.connections.contains { $0.received.contains(pattern) }
        }
    }

    /// No complete request reaches the backend, and at most the start of one does.
    static let neverCompletes = Demand { observation in
        let exchanges = observation.exchanges
        if exchanges.contains(where: \.isComplete) { return "a truncated request looks complete" }
        return exchanges.count > 1 ? "\(exchanges.count) requests begin" : nil
    }

    /// The first request reaches the backend with exactly this body.
    static func arrives(_ body: String) -> Demand { .arrives(oneOf: [body]) }

    static func arrives(oneOf bodies: [String]) -> Demand {
        Demand { observation in
            guard let exchange = observation.exchanges.first else {
                return "does not reach the backend"
            }
            guard exchange.isComplete else { return "reaches the backend incomplete" }
            return bodies.contains { exchange.body == $0.latin1 }
                ? nil
                : "the body is \(String(decoding: exchange.body.prefix(40), as: UTF8.self).debugDescription)"
        }
    }

    static func backendSees(_ name: String, _ values: String..., at index: Int = 0) -> Demand {
        Demand { observation in
            guard index < observation.exchanges.count else { return "does not reach the backend" }
            let found = observation.exchanges[index].request.fields[name]
            return found == values ? nil : "the backend receives \(name): \(found)"
        }
    }

    static func backendLacks(_ names: String...) -> Demand {
        Demand { observation in
            for exchange in observation.record.exchanges {
                for name in names where !exchange.request.fields[name].isEmpty {
                    return "the backend receives \(name)"
                }
            }
            return nil
        }
    }

    static func backendTrailer(_ name: String, _ values: String...) -> Demand {
        Demand { observation in
            let found = observation.exchanges.first?.trailers[name] ?? []
            return found == values ? nil : "the backend receives the trailer \(name): \(found)"
        }
    }

    static func methodIs(_ method: String) -> Demand {
        Demand("another method reaches the backend") {
            $0.exchanges.first?.request.method == method
        }
    }

    static func targetIs(_ targets: String...) -> Demand {
        Demand { observation in
            guard let target = observation.exchanges.first?.request.target else {
                return "does not reach the backend"
            }
            return targets.contains(target) ? nil : "the backend gets the target \(target)"
        }
    }

    /// A forwarded request must have one framing, a known version and no dangerous trailer.
    static let isUnambiguous = Demand { observation in
        for exchange in observation.record.exchanges {
            let (request, trailers) = (exchange.request, exchange.trailers)
            let lengths = request.fields["Content-Length"]
            let codings = request.fields["Transfer-Encoding"]
            if !["HTTP/1.1", "HTTP/1.0"].contains(request.version) { return request.version }
            if lengths.count + codings.count > 1 { return "two framings reach the backend" }
            if lengths.contains(where: { UInt64($0) == nil || $0.hasPrefix("+") }) {
                return "a bad length reaches the backend"
            }
            for name in ["Content-Length", "Transfer-Encoding", "Host", "X-App-Version"]
            where !trailers[name].isEmpty {
                return "the trailer \(name) reaches the backend"
            }
        }
        return nil
    }
}
