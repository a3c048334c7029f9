import GateTestSupport

/// Clients that send one request after the other, and the failures they see.
final class SteadyLoad: Sendable {
    /// The kind of connection that a client uses.
    enum Kind: Sendable {
        /// One connection, until the gate closes it.
        case keepAlive
        /// A connection for each request.
        case oneRequest
        /// Four streams at a time, on one HTTP/2 connection until the gate sends GOAWAY.
        case http2
    }

    struct Figures: Sendable {
        var answers = 0
        var failures: [String] = []
        var isOver = false
    }

    private let figures = Watched(Figures())
    private let clients: [Task<Void, Never>]

    /// Starts the clients.
    ///
    /// `port` returns the port of the gate for the next connection.
    init(_ kinds: [Kind], port: @escaping @Sendable () throws -> UInt16) {
        let figures = self.figures
        self.clients = kinds.map { kind in
            Task(executorPreference: BlockingExecutor.shared) {
                var client: (any SteadyClient)?
                while !figures.current.isOver {
                    do {
                        var current = try client ?? kind.client(port: port())
                        let count = try current.ask()
                        client = current.canSendMore ? current : nil
                        figures.update { $0.answers += count }
                    } catch {
                        client = nil
                        figures.update { $0.failures.append("\(kind): \(error)") }
                    }
                }
            }
        }
    }

    /// Blocks until `count` more responses have arrived, or a request has failed.
    func wait(forAnswers count: Int) throws {
        let goal = self.figures.current.answers + count
        try self.figures.wait(for: "\(count) answers", by: .after(.seconds(30))) {
            $0.answers >= goal || !$0.failures.isEmpty ? true : nil
        }
    }

    func end() async -> Figures {
        self.figures.update { $0.isOver = true }
        for client in self.clients { await client.value }
        return self.figures.current
    }
}

/// A connection for one request after the other.
private protocol SteadyClient {
    /// Whether the connection can take another request.
    var canSendMore: Bool { get }

    /// Sends requests and reads the responses to their ends.
    ///
    /// Returns the number of responses.
    mutating func ask() throws -> Int
}

extension SteadyLoad.Kind {
    fileprivate func client(port: UInt16) throws -> any SteadyClient {
        switch self {
        case .keepAlive: PlainClient(connection: try RawClient(port: port), canSendMore: true)
        case .oneRequest: PlainClient(connection: try RawClient(port: port), canSendMore: false)
        case .http2: MultiplexedClient(connection: try RawHTTP2Client(port: port))
        }
    }
}

private struct PlainClient: SteadyClient {
    let connection: RawClient
    var canSendMore: Bool

    mutating func ask() throws -> Int {
        try self.connection.send(Request.text())
        let response = try self.connection.response()
        guard response.status == 200, response.isComplete else {
            throw HarnessError("\(response.status) \(response.end)")
        }
        if response.fields.tokens("Connection").contains("close") { self.canSendMore = false }
        return 1
    }
}

private struct MultiplexedClient: SteadyClient {
    let connection: RawHTTP2Client
    private var next: UInt32 = 1

    init(connection: RawHTTP2Client) {
        self.connection = connection
    }

    var canSendMore: Bool { !self.connection.hasReceivedGoAway }

    mutating func ask() throws -> Int {
        let streams = (0..<4).map { self.next + 2 * $0 }
        self.next += 8
        for stream in streams { try self.connection.request(stream) }
        for stream in streams {
            let response = try self.connection.response(stream)
            guard response.status == 200, response.isComplete else {
                throw HarnessError("\(response.status), reset: \(response.reset ?? 0)")
            }
        }
        return streams.count
    }
}
