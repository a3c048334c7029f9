import GatePolicy
import GateWire

/// The differences between gateways in their authorization requests over HTTP.
///
/// The path of an authorization request identifies the gateway. Each gateway describes the client's request in its own
/// way. The gate reads only the parts that this gateway always sets, because a client could forge all other parts.
extension Gateway {
    /// The path below `/decide`; `nil` for a gateway that uses gRPC.
    var path: StaticString? {
        switch self {
        case .forwardAuth: ""
        case .traefik: "/traefik"
        case .caddy: "/caddy"
        case .haproxy: "/haproxy"
        case .nginx: "/nginx"
        case .ingressNginx: "/ingress-nginx"
        case .envoy: "/envoy"
        case .envoyGRPC: nil
        }
    }

    /// Returns the location of the client's method and target in an authorization request.
    ///
    /// `prefixCount` is the length, in bytes, of `/decide` and the gateway's path.
    func description(prefixCount: Int) -> RequestDescription {
        switch self {
        case .forwardAuth, .traefik, .caddy, .haproxy:
            .fields(method: "x-forwarded-method", target: "x-forwarded-uri")
        case .nginx: .fields(method: "x-original-method", target: "x-original-uri")
        case .ingressNginx: .fields(method: "x-original-method", target: "x-original-url")
        case .envoy, .envoyGRPC: .prefix(count: prefixCount)
        }
    }

    /// The `User-Agent` value that the gateway sends for clients without one; `nil` if the gateway sends none.
    var ownUserAgent: StaticString? {
        switch self {
        case .forwardAuth, .traefik: "Go-http-client/1.1"
        case .haproxy: "HAProxy"
        case .caddy, .nginx, .ingressNginx, .envoy, .envoyGRPC: nil
        }
    }

    /// Whether the gateway discards the content of a denial and passes on only the header fields.
    ///
    /// Such a gateway passes on only denials with status 401 or 403.
    var dropsContent: Bool { self == .nginx || self == .ingressNginx }

    /// Returns the status to send to the gateway for a denial with the given status.
    ///
    /// With `auth_request`, nginx treats only 401 and 403 as a denial. Envoy treats every 5xx from an HTTP service as a
    /// failure of the service, and then allows the request or denies it without content.
    func status(for status: Int) -> Int {
        if self.dropsContent { return 403 }
        return self == .envoy && status >= 500 ? 429 : status
    }

    /// Returns the form of a denial for a client that would get `form` from the gate itself.
    ///
    /// Gateways treat the status 200 as permission, so a denial has another status, with which clients of Connect
    /// streams expect the error format of unary calls. A page does not fit into a header field. A `CheckResponse`
    /// contains only text and cannot contain a gRPC-Web frame, so the status of the call is sent in header fields, as
    /// for gRPC.
    func form(for form: AnswerForm) -> AnswerForm {
        switch form {
        case .connectStreamJSON, .connectStreamProto: .connect
        case .page where self.dropsContent: .document
        case .grpcWeb where self == .envoyGRPC: .grpc
        default: form
        }
    }
}

/// An endpoint of the decision listener.
enum DecisionEndpoint: Equatable {
    /// An authorization request; `prefixCount` is the length, in bytes, of `/decide` and the gateway's path.
    case decision(Gateway, prefixCount: Int)
    /// A denied request that a gateway forwards to the gate.
    case denial
    /// A health check.
    case ready
    case call(GatewayCall)

    private static let root: StaticString = "/decide"

    /// Creates the endpoint for a request target, or returns `nil` if there is no such endpoint.
    init?(_ target: Span<UInt8>) {
        let start = Self.root.utf8CodeUnitCount
        guard target.count >= start, target.equals(Self.root, from: 0, to: start) else {
            guard let call = Self.call(target) else { return nil }
            self = .call(call)
            return
        }
        let end = target.position(of: ASCII.questionMark, from: start) ?? target.count
        for gateway in Gateway.allCases {
            guard let path = gateway.path else { continue }
            let prefix = start + path.utf8CodeUnitCount
            guard prefix <= end, target.equals(path, from: start, to: prefix) else { continue }
            guard prefix == end || gateway == .envoy && Self.beginsTarget(target[prefix]) else {
                continue
            }
            self = .decision(gateway, prefixCount: prefix)
            return
        }
        if target.equals("/denial", from: start, to: end) {
            self = .denial
        } else if target.equals("/ready", from: start, to: end) {
            self = .ready
        } else {
            return nil
        }
    }

    /// Returns whether a byte after Envoy's prefix can be the first byte of the client's request target.
    private static func beginsTarget(_ byte: UInt8) -> Bool {
        byte == ASCII.slash || byte == ASCII.asterisk
    }

    private static func call(_ target: Span<UInt8>) -> GatewayCall? {
        if target.equals("/envoy.service.auth.v3.Authorization/Check", from: 0, to: target.count) {
            return .check
        }
        return target.equals("/grpc.health.v1.Health/Check", from: 0, to: target.count)
            ? .health : nil
    }
}

/// A gRPC method that the decision listener serves.
package enum GatewayCall: Equatable, Sendable {
    /// `envoy.service.auth.v3.Authorization/Check`
    case check
    /// `grpc.health.v1.Health/Check`
    case health
}
