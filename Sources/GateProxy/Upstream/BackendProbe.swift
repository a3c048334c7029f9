internal import Glibc
internal import NIOCore
internal import NIOPosix

/// A probe that connects to backends in the same way as the gate, without sending a request.
package struct BackendProbe {
    /// The reason why a backend cannot be reached.
    package struct Problem: Error, CustomStringConvertible {
        package let description: String
    }

    private let settings: GateSettings

    package init(_ settings: GateSettings) {
        self.settings = settings
    }

    /// Connects to each address of a backend, including the TLS handshake and the protocol negotiation.
    ///
    /// - Returns: The addresses, as strings.
    /// - Throws: `Problem` for the first address that cannot be reached.
    package func connect(to target: UpstreamTarget) async throws(Problem) -> [String] {
        var addresses: [String] = []
        for socket in try Self.addresses(of: target) {
            let address = UpstreamAddress(target: target, socket: socket)
            do {
                try await self.connect(to: address)
            } catch {
                let reason = Self.words(for: error)
                let place = address.description
                let isNamed = target.literalAddress == nil
                throw Problem(description: isNamed ? "\(place): \(reason)" : reason)
            }
            addresses.append(address.description)
        }
        return addresses
    }

    private static func addresses(of target: UpstreamTarget) throws(Problem) -> [SocketAddress] {
        if let address = target.literalAddress { return [address] }
        guard let endpoint = target.endpoint else { return [] }
        return try AddressLookup.addresses(of: endpoint)
            .mapError { Problem(description: $0.description) }
            .get()
    }

    private func connect(to address: UpstreamAddress) async throws {
        let eventLoop = MultiThreadedEventLoopGroup.singleton.next()
        let settings = self.settings
        try await eventLoop.flatSubmit {
            UpstreamConnector(
                eventLoop: eventLoop,
                settings: settings,
                largeBuffers: LargeBuffers(),
                emptyBuffer: ByteBuffer()
            )
            .connect(to: address, speaking: address.target.speaks)
            .assumeIsolated()
            .map { _ in }
            .nonisolated()
        }.get()
    }

    private static func words(for error: any Error) -> String {
        if let problem = HandshakeProblem(error, with: .backend) { return problem.description }
        if case .connectTimeout? = error as? ChannelError {
            return "no response within --connect-timeout: a firewall may be dropping the packets"
        }
        guard let error = error as? IOError else { return "\(error)" }
        return switch error.errnoCode {
        case ECONNREFUSED: "nothing is listening at this address"
        case ENOENT: "there is no such socket"
        case EACCES: "this user is not allowed to connect"
        case EHOSTUNREACH, ENETUNREACH: "there is no route to this address"
        default: error.description
        }
    }
}
