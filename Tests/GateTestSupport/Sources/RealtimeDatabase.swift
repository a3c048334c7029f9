import Foundation

/// A server that speaks as Firebase's Realtime Database does over REST, for one value.
///
/// https://firebase.google.com/docs/reference/rest/database: whoever wants a stream is sent on to the host
/// that has the database, by 307.
package final class RealtimeDatabase: Sendable {
    private struct State {
        /// JSON; `null` where nothing is.
        var value = "null"
        var outboxes: [Outbox] = []
    }

    private let state: Watched<State>
    /// The server that the value lives on.
    package let shard: SourceServer
    /// The server that is asked first.
    package let server: SourceServer

    /// The readers that are let in.
    private enum Reader {
        case anybody
        case secret(String)
        case account(GoogleAccount)
    }

    /// `secret`: what `auth` must say; `nil`: everybody may read.
    package convenience init(secret: String? = nil) throws {
        try self.init(reader: secret.map { .secret($0) } ?? .anybody)
    }

    /// Lets only an account read.
    package convenience init(account: GoogleAccount) throws {
        try self.init(reader: .account(account))
    }

    private init(reader: Reader) throws {
        let state = Watched(State())
        let shard = try SourceServer { Self.steps(for: $0, reader, state) }
        let port = shard.port
        self.server = try SourceServer { request in
            guard request.fields["Accept"] == ["text/event-stream"] else {
                return Self.steps(for: request, reader, state)
            }
            let location = "http://localhost:\(port)\(request.target.prefix { $0 != "?" })"
            return [.answer("307 Temporary Redirect", fields: "Location: \(location)\r\n")]
        }
        (self.state, self.shard) = (state, shard)
    }

    package var path: String { "/app/version" }

    /// Changes the value, and tells whoever listens.
    package func put(_ json: String) {
        self.state.update { $0.value = json }
        self.send("put", #"{"path":"/","data":\#(json)}"#)
    }

    /// Sends an event to whoever listens, as it is; later listeners know nothing of it.
    package func send(_ event: String, _ data: String) {
        for outbox in self.state.current.outboxes {
            outbox.send("event: \(event)\ndata: \(data)\n\n")
        }
    }

    /// Ends every stream in order.
    package func endStreams() {
        let outboxes = self.state.update { state in
            defer { state.outboxes = [] }
            return state.outboxes
        }
        for outbox in outboxes { outbox.close() }
    }

    /// How many listen.
    package var listeners: Int { self.state.current.outboxes.count }

    /// Blocks until so many listen.
    package func waitForListeners(_ count: Int) throws {
        try self.state.wait(for: "\(count) who listen") { state in
            state.outboxes.count == count ? true : nil
        }
    }

    private static func steps(
        for request: BackendRequest,
        _ reader: Reader,
        _ state: Watched<State>
    ) -> [BackendStep] {
        guard let url = URLComponents(string: request.target), url.path == "/app/version.json"
        else {
            return [.answer(body: "null")]
        }
        let auth = url.queryItems?.first { $0.name == "auth" }?.value
        let mayRead =
            switch reader {
            case .anybody: true
            case .secret(let secret): auth == secret
            case .account(let account):
                request.fields["Authorization"] == ["Bearer \(account.token)"]
            }
        guard mayRead else {
            return [.answer("401 Unauthorized", body: #"{"error":"Permission denied"}"#)]
        }
        guard request.fields["Accept"] == ["text/event-stream"] else {
            return Self.answer(request, state.current.value)
        }
        let outbox = Outbox()
        state.update { state in
            // A test that sees the listener may change the value, which then comes behind this one.
            outbox.send("event: put\ndata: {\"path\":\"/\",\"data\":\(state.value)}\n\n")
            state.outboxes.append(outbox)
        }
        let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\n"
        return [.send("\(head)Cache-Control: no-cache\r\n\r\n"), .relay(outbox), .close]
    }

    private static func answer(_ request: BackendRequest, _ value: String) -> [BackendStep] {
        guard request.fields["X-Firebase-ETag"] == ["true"] else { return [.answer(body: value)] }
        let etag = "\(value.hashValue)"
        guard request.fields["If-None-Match"] != [etag] else {
            return [.send("HTTP/1.1 304 Not Modified\r\nETag: \(etag)\r\n\r\n")]
        }
        return [.answer(fields: "ETag: \(etag)\r\n", body: value)]
    }
}
