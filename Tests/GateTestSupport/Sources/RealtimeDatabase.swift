import Foundation

/// A server that emulates the REST API of Firebase's Realtime Database, for one value.
///
/// As https://firebase.google.com/docs/reference/rest/database documents, requests for a stream are redirected with a
/// 307 to the host that has the database.
package final class RealtimeDatabase: Sendable {
    private struct State {
        /// The value as JSON; `null` if there is none.
        var value = "null"
        var outboxes: [Outbox] = []
    }

    private let state: Watched<State>
    /// The server that has the value.
    package let shard: SourceServer
    /// The server that gets the first request.
    package let server: SourceServer

    /// The readers that have access.
    private enum Reader {
        case anybody
        case secret(String)
        case account(GoogleAccount)
    }

    /// Creates a database.
    ///
    /// `secret` is the required `auth`; `nil` allows all readers.
    package convenience init(secret: String? = nil) throws {
        try self.init(reader: secret.map { .secret($0) } ?? .anybody)
    }

    /// Creates a database that only this account may read.
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

    /// Changes the value, and sends it to all listeners.
    package func put(_ json: String) {
        self.state.update { $0.value = json }
        self.send("put", #"{"path":"/","data":\#(json)}"#)
    }

    /// Sends an event to all listeners without changing the value.
    ///
    /// Later listeners do not get the event.
    package func send(_ event: String, _ data: String) {
        for outbox in self.state.current.outboxes {
            outbox.send("event: \(event)\ndata: \(data)\n\n")
        }
    }

    /// Ends every stream normally.
    package func endStreams() {
        let outboxes = self.state.update { state in
            defer { state.outboxes = [] }
            return state.outboxes
        }
        for outbox in outboxes { outbox.close() }
    }

    /// The number of listeners.
    package var listeners: Int { self.state.current.outboxes.count }

    /// Blocks until there is exactly this number of listeners.
    package func waitForListeners(_ count: Int) throws {
        try self.state.wait(for: "\(count) listeners") { state in
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
            // Sent before tests can see the new listener, because the event for a changed value must follow this one.
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
