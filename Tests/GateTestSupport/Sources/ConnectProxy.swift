import Glibc

/// An HTTP proxy for TLS connections (CONNECT) that forwards connections for any host to one port of 127.0.0.1.
package final class ConnectProxy: Sendable {
    private let listener: LoopbackListener
    private let asked: Watched<[String]>

    package init(to port: UInt16) throws {
        let asked = Watched<[String]>([])
        self.asked = asked
        self.listener = try LoopbackListener { descriptor in
            let client = LoopbackSocket(adopting: descriptor)
            guard let head = try? Self.head(from: client) else { return }
            asked.update { $0.append(head) }
            guard let server = try? LoopbackSocket(port: port),
                (try? client.send(Array("HTTP/1.1 200 Connected\r\n\r\n".utf8))) == true
            else { return }
            Self.relay(client, server)
        }
    }

    deinit {
        self.listener.stop()
    }

    package var port: UInt16 { self.listener.port }

    /// The request lines of the received requests.
    package var requests: [String] { self.asked.current }

    private static func head(from client: LoopbackSocket) throws -> String {
        let stream = ByteStream(client)
        let first = try stream.line(by: .usual) ?? ""
        while let line = try stream.line(by: .usual), !line.isEmpty {}
        return first
    }

    private static func relay(_ client: LoopbackSocket, _ server: LoopbackSocket) {
        let pairs = [(client, server), (server, client)]
        while true {
            for (from, to) in pairs {
                switch try? from.receive(by: .after(.milliseconds(5))) {
                case .bytes(let bytes): guard (try? to.send(bytes)) == true else { return }
                case .ended: return
                case nil: continue
                }
            }
        }
    }
}
