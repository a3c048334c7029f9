/// A server that a feed polls, which responds according to its protocol or with a fault.
package final class SourceServer: Sendable {
    private let backend: ScriptedBackend
    private let currentFault = Watched<SourceFault?>(nil)

    /// Starts listening, by default on a free port.
    ///
    /// `answer` returns the steps for a response without a fault.
    package init(
        port: UInt16 = 0,
        answer: @escaping @Sendable (BackendRequest) -> [BackendStep]
    ) throws {
        let fault = self.currentFault
        self.backend = try ScriptedBackend(port: port) { request in
            fault.current?.steps ?? answer(request)
        }
    }

    package var port: UInt16 { self.backend.port }

    package var requests: [BackendRequest] { self.backend.record.requests }

    package var record: BackendRecord { self.backend.record }

    /// Blocks until the server has received this number of requests.
    package func waitForRequests(_ count: Int) throws {
        try self.backend.waitForRequests(count)
    }

    /// Sets the fault for the following requests; `nil` for none.
    package func set(_ fault: SourceFault?) {
        self.currentFault.update { $0 = fault }
    }

    /// Returns the URL of a path, without TLS.
    package func url(_ path: String) -> String { "http://127.0.0.1:\(self.port)\(path)" }

    /// Stops the server by refusing new connections and ending the open ones.
    package func stop() throws {
        self.backend.stopListening()
        try self.backend.endConnections()
    }
}
