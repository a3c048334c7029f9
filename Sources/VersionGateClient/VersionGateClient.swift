public import Foundation

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

/// The app-side client for VersionGate: identifies the build in requests, and interprets the
/// responses from the gate.
///
/// ```swift
/// let gate = VersionGateClient(
///     baseURL: URL(string: "https://api.example.com")!,
///     identity: AppIdentity(platform: "ios", version: "4.2.0")
/// )
/// let (data, response) = try await gate.data(for: request)
/// ```
///
/// The client has no user interface, sends no requests to stores, and never denies anything because
/// the network is unavailable. One client serves the whole app, from any thread.
public final class VersionGateClient: Sendable {
    /// The base URL of the gate; the endpoints under `/.versiongate/` are appended to its path.
    public let baseURL: URL
    /// The identity of the build.
    public let identity: AppIdentity
    private let endpoints: GateEndpoints
    private let currentState: CurrentState

    /// Creates a client; it sends no requests by itself.
    ///
    /// - Parameters:
    ///   - baseURL: The base URL of the gate, such as `https://api.example.com`.
    ///   - identity: The identity of the build.
    ///   - session: The session that sends the requests.
    ///   - storage: The storage for the last known state between runs of the app.
    ///   - checkTimeout: The timeout for ``check(path:method:)``, in seconds.
    public convenience init(
        baseURL: URL,
        identity: AppIdentity,
        session: URLSession = .shared,
        storage: any GateStorage = FileStorage.standard,
        checkTimeout: TimeInterval = 5
    ) {
        self.init(
            baseURL: baseURL,
            identity: identity,
            session: session,
            storage: storage,
            checkTimeout: checkTimeout,
            surroundings: .system
        )
    }

    init(
        baseURL: URL,
        identity: AppIdentity,
        session: URLSession,
        storage: any GateStorage,
        checkTimeout: TimeInterval,
        surroundings: ClientEnvironment
    ) {
        self.baseURL = baseURL
        self.identity = identity
        self.endpoints = GateEndpoints(
            baseURL: baseURL,
            identity: identity,
            session: session,
            checkTimeout: checkTimeout,
            surroundings: surroundings
        )
        self.currentState = CurrentState(baseURL: baseURL, identity: identity, storage: storage)
    }

    // MARK: Requests

    /// Adds the headers with the identity of the build.
    ///
    /// All requests to the gate need these headers, including WebSocket handshakes and requests
    /// from background sessions. If the rules require the headers, requests without them are denied.
    ///
    /// - Parameter request: A request to the gate. Do not add the headers to other requests.
    public func prepare(_ request: inout URLRequest) {
        for (name, value) in self.identity.fields {
            request.setValue(value, forHTTPHeaderField: name)
        }
    }

    /// Sends a request with the identity of the build, and waits for the response.
    ///
    /// - Parameter request: A request to the gate.
    /// - Returns: The response from the backend, regardless of its status.
    /// - Throws: ``GateDenied`` if the gate denied the request, and the errors of the session. Requests
    ///   are not retried.
    public func data(for request: URLRequest) async throws -> (Data, URLResponse) {
        var request = request
        self.prepare(&request)
        let (data, response) = try await self.endpoints.session.data(for: request)
        if let denial = self.inspect(response, data) { throw GateDenied(denial: denial) }
        return (data, response)
    }

    /// Interprets a response that was not received through ``data(for:)``.
    ///
    /// - Parameters:
    ///   - response: The head of the response.
    ///   - data: The content of the response.
    /// - Returns: The denial; `nil` if neither the header `X-VersionGate` nor the problem type
    ///   (RFC 9457) identifies the response as a denial. The status 426 is not sufficient, because
    ///   other software also returns 426.
    public func inspect(_ response: URLResponse, _ data: Data) -> Denial? {
        guard let response = response as? HTTPURLResponse else { return nil }
        return Denial(response, data, at: self.endpoints.surroundings.now())
    }

    /// Returns the gate's information in a response from the backend.
    ///
    /// - Parameter response: The head of the response.
    /// - Returns: The recommended update and the announced maintenance window; `nil` if there is
    ///   neither.
    public func hint(in response: URLResponse) -> GateHint? {
        (response as? HTTPURLResponse).flatMap { GateHint($0) }
    }

    // MARK: States

    /// The last known state of the build.
    ///
    /// It is `unknown` with the stored state if the gate has not responded in this run of the app.
    public var state: GateState { self.currentState.current }

    /// The maintenance window that the gate announced with the state; `nil` if there is none.
    public var announcedMaintenance: MaintenanceWindow? { self.currentState.announced }

    /// Requests the state of the build from the gate.
    ///
    /// This method never throws. The result is ``GateState/unknown(last:)`` if the gate does not respond within the
    /// timeout, or if the response is not from a gate but, for example, from a captive portal, or from a backend that
    /// was reached without going through the gate.
    ///
    /// - Parameters:
    ///   - path: The path of a request to check, such as `/v2/payments`; `nil` means the whole app. Only the
    ///     state of the whole app is stored.
    ///   - method: The method of that request; `nil` means `GET`.
    /// - Returns: The state of the build.
    @discardableResult
    public func check(path: String? = nil, method: String? = nil) async -> GateState {
        guard path != nil else { return await self.currentState.check(by: self.endpoints) }
        let answer = await self.endpoints.status(path: path, method: method, knownTag: nil)
        guard case .state(let state, _, _) = answer else {
            return .unknown(last: self.currentState.current.known)
        }
        return state
    }

    /// The current state of the build and all changes, from the gate's event stream
    /// (`/.versiongate/events`).
    ///
    /// The first element is the value of ``state``. All subscribers share one connection, which is
    /// kept open while there is at least one subscriber. A lost connection is restored after the
    /// delay in `retry:` plus random jitter; each failure doubles the delay, up to five minutes.
    /// Slow subscribers get the newest state and may miss intermediate states.
    public var states: AsyncStream<GateState> {
        let feed = EventFeed(endpoints: self.endpoints, currentState: self.currentState)
        return self.currentState.states { await feed.run() }
    }

    // MARK: Recommendations

    /// Records that the user chose "later" for a recommended update.
    ///
    /// ``prompt(for:)`` then does not show that version for the number of seconds that the gate
    /// specifies.
    ///
    /// - Parameter update: The update in ``GateState/recommended(_:)``.
    /// - Returns: Whether the update can be snoozed; required updates cannot.
    @discardableResult
    public func snooze(_ update: Update) -> Bool {
        self.currentState.snooze(update, at: self.endpoints.surroundings.now())
    }

    /// Returns whether the user chose "later" for an update and the snooze has not expired.
    ///
    /// - Parameter update: The update in ``GateState/recommended(_:)``.
    /// - Returns: `false` for a required update.
    public func isSnoozed(_ update: Update) -> Bool {
        self.currentState.isSnoozed(update, at: self.endpoints.surroundings.now())
    }

    /// Returns the prompt to show for a state.
    ///
    /// - Parameter state: The state of the build.
    /// - Returns: The prompt; `nil` if there is nothing to show, or the update is snoozed.
    public func prompt(for state: GateState) -> UpdatePrompt? {
        let prompt = UpdatePrompt(state.inEffect)
        guard let prompt, !self.isSnoozed(prompt.update) else { return nil }
        return prompt
    }
}
