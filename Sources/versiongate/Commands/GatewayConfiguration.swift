import ArgumentParser
import CGatewayPages
import GateProxy

/// A gateway; its configuration for authorization requests is taken from its page in `docs/gateways`.
///
/// `make gateways` runs the configurations on these pages with the real gateways.
enum GatewayConfiguration: String, CaseIterable, ExpressibleByArgument {
    case nginx, traefik, caddy, envoy, haproxy

    /// The addresses in a configuration; the defaults are the addresses on the pages.
    struct Addresses {
        var gate = "127.0.0.1:8090"
        var backend = "127.0.0.1:8081"
        var listen = "127.0.0.1:8080"
    }

    /// The names of the configuration files, in output order.
    private var names: [String] {
        switch self {
        case .nginx: ["nginx.conf", "versiongate.conf"]
        case .traefik: ["traefik.yaml", "dynamic.yaml"]
        case .caddy: ["Caddyfile"]
        case .envoy: ["envoy.yaml"]
        case .haproxy: ["versiongate.lua", "haproxy.cfg"]
        }
    }

    private var page: String {
        let text =
            switch self {
            case .nginx: unsafe gate_nginx_page()
            case .traefik: unsafe gate_traefik_page()
            case .caddy: unsafe gate_caddy_page()
            case .envoy: unsafe gate_envoy_page()
            case .haproxy: unsafe gate_haproxy_page()
            }
        return unsafe text.map { unsafe String(cString: $0) } ?? ""
    }

    /// Returns the names and contents of the configuration files.
    func files(_ addresses: Addresses) -> [(name: String, text: String)] {
        let page = self.page
        return self.names.map { ($0, Self.block($0, of: page, addresses)) }
    }

    /// Returns the configuration files as one string, each preceded by a comment with its name.
    func text(_ addresses: Addresses) -> String {
        self.files(addresses).map { name, text in
            let comment = name.hasSuffix(".lua") ? "--" : "#"
            return "\(comment) \(name)\n\(text)"
        }.joined(separator: "\n")
    }

    /// Returns the page's code block for a file, with the addresses replaced.
    ///
    /// Envoy's configuration splits an address into two keys.
    private static func block(_ name: String, of page: String, _ addresses: Addresses) -> String {
        let lines = page.split(separator: "\n", omittingEmptySubsequences: false)
        let start = lines.firstIndex { $0.hasPrefix("```") && $0.hasSuffix(" \(name)") }
        guard let start else { return "" }
        let standard = Addresses()
        return lines[(start + 1)...].prefix { $0 != "```" }.map { line in
            var text = String(line)
            for (old, new) in [
                (standard.gate, addresses.gate), (standard.backend, addresses.backend),
                (standard.listen, addresses.listen),
            ] {
                text = text.replacing(old, with: new)
                let (host, port) = Self.parts(old)
                let (newHost, newPort) = Self.parts(new)
                text = text.replacing(
                    "address: \(host), port_value: \(port) ",
                    with: "address: \(newHost), port_value: \(newPort) "
                )
            }
            // In the Caddyfile, the address for clients consists of the port only.
            let port = Self.parts(addresses.listen).port
            text = text.replacing("http://:8080 ", with: "http://:\(port) ")
            return text + "\n"
        }.joined()
    }

    private static func parts(_ address: String) -> (host: Substring, port: Substring) {
        let colon = address.lastIndex(of: ":") ?? address.endIndex
        return (address[..<colon], address[colon...].dropFirst())
    }
}
