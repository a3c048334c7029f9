/// A gateway that asks for decisions.
package enum Gateway: String, CaseIterable, Sendable {
    /// Any gateway that sends `X-Forwarded-Method` and `X-Forwarded-Uri`, such as Traefik and Caddy.
    case forwardAuth = "forward-auth"
    case traefik
    case caddy
    case haproxy
    case nginx
    /// ingress-nginx, with the annotation `auth-url`.
    case ingressNginx = "ingress-nginx"
    /// Envoy's HTTP authorization service, with `path_prefix`.
    case envoy
    /// Envoy's gRPC authorization service.
    case envoyGRPC = "envoy-grpc"
}

/// The numbers of decisions for gateways.
package struct DecisionCounts: Equatable, Sendable {
    private var counts: [Gateway: UInt64] = [:]

    package subscript(gateway: Gateway) -> UInt64 { self.counts[gateway, default: 0] }

    mutating func count(_ gateway: Gateway) { self.counts[gateway, default: 0] += 1 }

    static func + (left: DecisionCounts, right: DecisionCounts) -> DecisionCounts {
        var sum = left
        sum.counts.merge(right.counts, uniquingKeysWith: +)
        return sum
    }
}
