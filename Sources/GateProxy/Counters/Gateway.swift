/// A kind of gateway that sends authorization requests.
///
/// The raw value is the index in `DecisionCounts`.
package enum Gateway: Int, CaseIterable, Sendable {
    /// Any gateway that sends `X-Forwarded-Method` and `X-Forwarded-Uri`, such as Traefik and Caddy.
    case forwardAuth
    case traefik
    case caddy
    case haproxy
    case nginx
    /// ingress-nginx, with the annotation `auth-url`.
    case ingressNginx
    /// Envoy's HTTP authorization service, with `path_prefix`.
    case envoy
    /// Envoy's gRPC authorization service.
    case envoyGRPC

    /// The name of the gateway in metrics.
    package var name: String {
        switch self {
        case .forwardAuth: "forward-auth"
        case .traefik: "traefik"
        case .caddy: "caddy"
        case .haproxy: "haproxy"
        case .nginx: "nginx"
        case .ingressNginx: "ingress-nginx"
        case .envoy: "envoy"
        case .envoyGRPC: "envoy-grpc"
        }
    }
}

/// The number of decisions for each gateway.
package struct DecisionCounts: Equatable, Sendable {
    private var counts = [UInt64](repeating: 0, count: Gateway.allCases.count)

    package subscript(gateway: Gateway) -> UInt64 { self.counts[gateway.rawValue] }

    mutating func count(_ gateway: Gateway) { self.counts[gateway.rawValue] += 1 }

    static func + (left: DecisionCounts, right: DecisionCounts) -> DecisionCounts {
        var sum = left
        for index in sum.counts.indices { sum.counts[index] += right.counts[index] }
        return sum
    }
}
