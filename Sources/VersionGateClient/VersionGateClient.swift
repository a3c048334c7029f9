public import Foundation

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

/// An app's side of a VersionGate: says which build asks, and understands what the gate answers.
///
/// ```swift
/// let gate = VersionGateClient(
///     baseURL: URL(string: "https://api.example.com")!,
///     identity: AppIdentity(platform: "ios", version: "4.2.0")
/// )
/// let (data, response) = try await gate.data(for: request)
/// ```
///
/// It shows nothing, asks no store, and never denies anything because the network is away. One client
/// serves the whole app, from any thread.
public final class VersionGateClient: Sendable {
    /// The address of the gate; the endpoints under `/.versiongate/` are appended to its path.
    public let baseURL: URL
    /// The build of the app.
    public let identity: AppIdentity
    private let session: URLSession
    private let endpoints: GateEndpoints
    private let currentState: CurrentState
    private let surroundings: ClientSurroundings

    /// Makes a client, which does not ask anything by itself.
    ///
    /// - Parameters:
    ///   - baseURL: The address of the gate, such as `https://api.example.com`.
    ///   - identity: The build of the app.
    ///   - session: What sends the requests.
    ///   - storage: A place that keeps what the gate said last until the app starts again.
    ///   - checkTimeout: For how many seconds an answer to ``check(path:method:)`` is waited for.
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
        surroundings: ClientSurroundings
    ) {
        self.baseURL = baseURL
        self.identity = identity
        self.session = session
        self.surroundings = surroundings
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

    /// Adds the header fields that say which build asks.
    ///
    /// Every request to the gate needs them, those of background sessions and WebSockets, too: one that
    /// forgets them is refused as soon as the rules ask for them.
    ///
    /// - Parameter request: A request to the gate, and to nobody else.
    public func prepare(_ request: inout URLRequest) {
        for (name, value) in self.identity.fields {
            request.setValue(value, forHTTPHeaderField: name)
        }
    }

    /// Sends a request with the fields of the build, and waits for the answer.
    ///
    /// - Parameter request: A request to the gate.
    /// - Returns: The backend's answer, whatever its status is.
    /// - Throws: ``GateDenied`` if the gate denied the request; what the session throws if there was no
    ///   answer. Nothing is tried again.
    public func data(for request: URLRequest) async throws -> (Data, URLResponse) {
        var request = request
        self.prepare(&request)
        let (data, response) = try await self.session.data(for: request)
        if let denial = self.inspect(response, data) { throw GateDenied(denial) }
        return (data, response)
    }

    /// Reads an answer that came by another way than ``data(for:)``.
    ///
    /// - Parameters:
    ///   - response: The head of the answer.
    ///   - data: Its content.
    /// - Returns: The denial, if the gate says that it is one: by the field `X-VersionGate`, or by the
    ///   problem type (RFC 9457). A bare 426 is none, because other software answers it, too.
    public func inspect(_ response: URLResponse, _ data: Data) -> Denial? {
        guard let response = response as? HTTPURLResponse else { return nil }
        return Denial(response, data, at: self.surroundings.now())
    }

    /// Reads what the gate says beside an answer of the backend.
    ///
    /// - Parameter response: The head of the answer.
    /// - Returns: The recommended update, the announced maintenance; `nil` if there is neither.
    public func hint(in response: URLResponse) -> GateHint? {
        (response as? HTTPURLResponse).flatMap { GateHint($0) }
    }

    // MARK: States

    /// The gate's last answer about the build, or `unknown` with what it said in an earlier
    /// run of the app.
    public var state: GateState { self.currentState.current }

    /// The maintenance that the gate announced when it told the state; `nil` if it announced none.
    public var announcedMaintenance: MaintenanceWindow? { self.currentState.announced }

    /// Asks the gate where the build stands.
    ///
    /// Never throws: where the gate is not reached within the timeout, or something else answers in its
    /// place (a captive portal, a backend without its gate), the build stands
    /// ``GateState/unknown(last:)``.
    ///
    /// - Parameters:
    ///   - path: The path of a request that is asked about, such as `/v2/payments`; `nil` for the whole
    ///     app. Only the latter is remembered.
    ///   - method: The method of that request; `GET` if it is `nil`.
    /// - Returns: Where the build stands.
    @discardableResult
    public func check(path: String? = nil, method: String? = nil) async -> GateState {
        guard path != nil else { return await self.currentState.check(by: self.endpoints) }
        let answer = await self.endpoints.status(path: path, method: method, knownTag: nil)
        guard case .state(let state, _, _) = answer else {
            return .unknown(last: self.currentState.current.known)
        }
        return state
    }

    /// The state of the build, and each change of it, as the gate tells it
    /// (`/.versiongate/events`).
    ///
    /// The first element comes at once, and is what ``state`` is. The connection is kept as long as
    /// anybody listens, one for all of them, and comes back by itself after a loss: after what the gate
    /// said in `retry:`, with a random share, and twice as long after each failure, up to five minutes.
    /// A listener that is slow gets the newest state, and not each one between.
    public var states: AsyncStream<GateState> {
        let feed = EventFeed(endpoints: self.endpoints, currentState: self.currentState)
        return self.currentState.states { await feed.run() }
    }

    // MARK: Recommendations

    /// The user said "later" to a recommended update: ``prompt(for:)`` leaves them alone with that version
    /// for as many seconds as the gate says.
    ///
    /// - Parameter update: The update of ``GateState/recommended(_:)``.
    /// - Returns: Whether it can be put off; what is required cannot.
    @discardableResult
    public func snooze(_ update: Update) -> Bool {
        self.currentState.snooze(update, at: self.surroundings.now())
    }

    /// Whether the user said "later" to an update, and is still to be left alone with it.
    ///
    /// - Parameter update: The update of ``GateState/recommended(_:)``.
    /// - Returns: `false` for what is required.
    public func isSnoozed(_ update: Update) -> Bool {
        self.currentState.isSnoozed(update, at: self.surroundings.now())
    }

    /// The prompt for the user in a state.
    ///
    /// - Parameter state: Where the build stands.
    /// - Returns: The prompt; `nil` if there is nothing to show, or the user said "later".
    public func prompt(for state: GateState) -> UpdatePrompt? {
        let prompt = UpdatePrompt(state.inEffect)
        guard let prompt, !self.isSnoozed(prompt.update) else { return nil }
        return prompt
    }
}
