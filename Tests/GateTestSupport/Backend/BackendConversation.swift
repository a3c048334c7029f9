import Foundation

/// One connection of a scripted backend, on a thread of its own.
struct BackendConversation {
    private enum Ended: Error {
        case byBackend
    }

    private static let recordedBytes = 1 << 20
    private static let echoedBytes = 64 << 10

    private let socket: LoopbackSocket
    private let stream: ByteStream
    private let index: Int
    private let watched: Watched<BackendRecord>
    private let script: ScriptedBackend.Script
    private let sockets: OpenSockets
    private var limit: Deadline { .after(.seconds(90) * GateExecutable.slowdown) }

    init(
        socket: LoopbackSocket,
        index: Int,
        watched: Watched<BackendRecord>,
        script: @escaping ScriptedBackend.Script,
        sockets: OpenSockets
    ) {
        self.socket = socket
        self.index = index
        self.watched = watched
        self.script = script
        self.sockets = sockets
        self.stream = ByteStream(socket) { bytes in
            watched.update { record in
                let room = Self.recordedBytes - record.connections[index].received.count
                record.connections[index].received += bytes.prefix(max(0, room))
            }
        }
    }

    /// Serves requests until either side ends the connection.
    func run() {
        var end = BackendRecord.End.byPeer(.closed)
        do {
            while let request = try self.nextRequest() {
                try self.serve(request)
            }
            end = .byPeer(self.stream.ending ?? .closed)
        } catch Ended.byBackend {
            end = .byBackend
        } catch {
            end = self.stream.ending.map { .byPeer($0) } ?? .failed("\(error)")
        }
        self.sockets.remove(self.index)
        self.socket.close()
        self.note { $0.end = end }
    }

    private func nextRequest() throws -> BackendRequest? {
        guard let line = try self.stream.line(by: self.limit) else { return nil }
        var fields = FieldLines()
        while true {
            guard let line = try self.stream.line(by: self.limit) else { return nil }
            if line.isEmpty {
                break
            }
            fields.append(line)
        }
        let parts = line.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 3 else { throw HarnessError("no request line: \(line)") }
        return self.note { connection in
            let request = BackendRequest(
                connection: self.index,
                index: connection.exchanges.count,
                method: parts[0],
                target: parts[1],
                version: parts[2],
                fields: fields
            )
            connection.exchanges.append(BackendRecord.Exchange(request: request))
            if request.framing == .none {
                connection.exchanges[request.index].isComplete = true
            }
            return request
        }
    }

    private func serve(_ request: BackendRequest) throws {
        var bodyIsRead = request.framing == .none
        for step in self.script(request) {
            switch step {
            case .send(let bytes):
                try self.send(bytes)
            case .readBody:
                try self.readBody(of: request) { _ in }
                bodyIsRead = true
            case .readSlowly(let pauses, let milliseconds):
                var left = pauses
                try self.readBody(of: request) { _ in
                    guard left > 0 else { return }
                    left -= 1
                    Self.pause(milliseconds: milliseconds)
                }
                bodyIsRead = true
            case .echo:
                try self.echo(request)
                bodyIsRead = true
            case .digest:
                try self.answerWithDigest(of: request)
                bodyIsRead = true
            case .stream(let count):
                try self.streamPattern(count)
            case .relay(let outbox):
                while let bytes = try outbox.next(by: self.limit) { try self.send(bytes) }
            case .wait(let latch):
                try latch.wait()
            case .continueIfExpected:
                if !request.fields["Expect"].isEmpty {
                    try self.send(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8))
                }
            case .pause(let milliseconds):
                Self.pause(milliseconds: milliseconds)
            case .stall:
                _ = try self.stream.body(.untilClose, by: self.limit) { _ in }
                return
            case .mirror:
                _ = try self.stream.body(.untilClose, by: self.limit) { try self.send($0) }
                throw Ended.byBackend
            case .close:
                self.socket.discardReceived()
                throw Ended.byBackend
            case .reset:
                self.sockets.remove(self.index)
                self.socket.reset()
                throw Ended.byBackend
            }
        }
        if !bodyIsRead {
            try self.readBody(of: request) { _ in }
        }
    }

    private static func pause(milliseconds: Int) {
        Thread.sleep(forTimeInterval: Double(milliseconds) / 1000)
    }

    @discardableResult
    private func readBody(
        of request: BackendRequest,
        into sink: ([UInt8]) throws -> Void
    ) throws -> BodyEnd {
        let end = try self.stream.body(request.framing, by: self.limit) { bytes in
            self.note { $0.exchanges[request.index].append(bytes, keeping: Self.echoedBytes) }
            try sink(bytes)
        }
        guard end.isComplete else { throw HarnessError("the request is incomplete") }
        self.note { connection in
            connection.exchanges[request.index].isComplete = true
            connection.exchanges[request.index].trailers = end.trailers
        }
        return end
    }

    private func echo(_ request: BackendRequest) throws {
        var length = 0
        var body: [UInt8] = []
        let end = try self.readBody(of: request) { bytes in
            length += bytes.count
            body += bytes.prefix(Self.echoedBytes - body.count)
        }
        let report = EchoReport(
            connection: self.index,
            method: request.method,
            target: request.target,
            version: request.version,
            fields: request.fields,
            trailers: end.trailers,
            bodyLength: length,
            body: String(decoding: body, as: UTF8.self)
        )
        try self.answer(report, to: request)
    }

    private func answerWithDigest(of request: BackendRequest) throws {
        let digest = try StreamDigest()
        var length = 0
        try self.readBody(of: request) { bytes in
            length += bytes.count
            try digest.update(bytes)
        }
        try self.answer(DigestReport(bodyLength: length, sha256: digest.finish()), to: request)
    }

    private func answer(_ value: some Encodable, to request: BackendRequest) throws {
        let body = try JSONEncoder().encode(value)
        let fields = "Content-Type: application/json\r\nContent-Length: \(body.count)\r\n"
        let head = Array("HTTP/1.1 200 OK\r\n\(fields)\r\n".utf8)
        try self.send(request.method == "HEAD" ? head : head + body)
    }

    private func streamPattern(_ count: Int) throws {
        var left = count
        while left > 0 {
            let block =
                BodyPattern.block.count <= left
                ? BodyPattern.block : Array(BodyPattern.block.prefix(left))
            var position = 0
            while position < block.count {
                let sent = try self.sendPatiently(block, from: position)
                self.note { $0.streamed += sent }
                position += sent
            }
            left -= block.count
        }
    }

    private func sendPatiently(_ block: [UInt8], from position: Int) throws -> Int {
        // Once the peer has blocked one write, every later write may take longer.
        let hasWaited = self.watched.current.isBlocked(self.index)
        var deadline = hasWaited ? self.limit : .after(.milliseconds(500))
        while true {
            do {
                guard
                    let sent = try self.socket.sendSome(of: block, from: position, by: deadline)
                else { throw HarnessError("the peer closed during a stream") }
                return sent
            } catch  where deadline.hasPassed && !self.watched.current.isBlocked(self.index) {
                self.note { $0.wasBlocked = true }
                deadline = self.limit
            }
        }
    }

    private func send(_ bytes: [UInt8]) throws {
        guard try self.socket.send(bytes, by: self.limit) else {
            throw HarnessError("the peer closed during a response")
        }
    }

    @discardableResult
    private func note<Result: Sendable>(
        _ change: (inout BackendRecord.Connection) -> Result
    ) -> Result {
        self.watched.update { change(&$0.connections[self.index]) }
    }
}

extension BackendRecord {
    fileprivate func isBlocked(_ index: Int) -> Bool { self.connections[index].wasBlocked }
}

extension BackendRecord.Exchange {
    fileprivate mutating func append(_ bytes: [UInt8], keeping limit: Int) {
        self.bodyLength += bytes.count
        self.body += bytes.prefix(max(0, limit - self.body.count))
    }
}
