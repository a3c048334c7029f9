/// A place that a feed asks: answers as its protocol says, or with a fault.
package final class SourceServer: Sendable {
    private let backend: ScriptedBackend
    private let currentFault = Watched<SourceFault?>(nil)

    /// Starts on a free port; `answer` says what is right.
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

    /// Blocks until it was asked so many times.
    package func waitForRequests(_ count: Int) throws {
        try self.backend.waitForRequests(count)
    }

    /// Sets the fault from now on; `nil`: none.
    package func set(_ fault: SourceFault?) {
        self.currentFault.update { $0 = fault }
    }

    /// The address of a path, without TLS.
    package func url(_ path: String) -> String { "http://127.0.0.1:\(self.port)\(path)" }

    /// Is gone: refuses connections and ends those that are open.
    package func stop() throws {
        self.backend.stopListening()
        try self.backend.endConnections()
    }
}
