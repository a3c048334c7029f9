import CEnvoyModule
import GatePolicy

/// A request in the filter, and its response.
final class FilterStream {
    private let configuration: FilterConfiguration
    private var verdict: EnvoyVerdict?
    /// The request, kept while its exchange may be long-lived.
    private var revocable: RevocableRequest?
    /// The table of open streams that contains the exchange, and the number of the exchange; `nil` before the response
    /// and for ordinary exchanges.
    private var registration: (table: OpenStreamTable, number: Int)?
    /// The denial that waits until the request body is complete.
    private var held: DenialResponse?
    /// Whether Envoy or a filter, and not the backend, generates the response.
    private var isLocal = false

    init(_ configuration: FilterConfiguration) {
        self.configuration = configuration
    }

    deinit {
        self.endEvaluation()
    }

    /// Exempts the exchange from further evaluation.
    private func endEvaluation() {
        self.revocable = nil
        self.held = nil
        if let (table, number) = self.registration { table.remove(number) }
        self.registration = nil
    }

    /// Evaluates the request, and sends the response if the request is denied and has no small body.
    ///
    /// - Returns: Whether the request passes.
    func receiveRequest(_ stream: EnvoyStream, endsWithHead: Bool) -> Bool {
        let thread = ThreadState.current
        stream.read(.request, into: thread.lines)
        Self.undoSelection(by: stream, thread.lines)
        let route = stream.routeSettings
        let observes = route?.observes == true
        let rules = self.rules(on: thread, observing: observes, stream)
        let lines = unsafe thread.lines.lines
        let (verdict, facts) = unsafe rules.verdict(
            on: lines,
            endsWithHead: endsWithHead,
            path: route?.path,
            address: { stream.clientAddress }
        )
        self.verdict = verdict
        if let counter = self.configuration.counter {
            rules.count(verdict) { stream.count($0, counter, $1) }
        }
        unsafe verdict.metadata.forEach { unsafe stream.setMetadata($0, $1) }
        if let denial = verdict.denial {
            let response = unsafe DenialResponse(denial, of: verdict.kind, by: rules, facts, lines)
            if endsWithHead || !facts.hasSmallBody || !self.hold(response, stream, thread) {
                stream.respond(response)
            }
            return false
        }
        if let kind = facts.revocableKind(endsWithHead: endsWithHead) {
            self.revocable = unsafe RevocableRequest(
                kind,
                lines,
                endsWithHead: endsWithHead,
                isObserved: observes,
                path: route?.path,
                generation: rules.generation
            )
        }
        // The names are read before the first change, which invalidates the lines.
        let owned = facts.hasOwned ? unsafe rules.fields.names(in: lines) { $0 == .owned } : []
        for name in owned { stream.remove(name, from: .request) }
        unsafe verdict.dropped.forEach { name, _ in unsafe stream.remove(name, from: .request) }
        // Existing lines with these names have been removed, so the fields can be added.
        unsafe verdict.requestFields.forEach { unsafe stream.add($0, $1, in: .request) }
        // Envoy has already selected the route, based on the fields sent by the client.
        if verdict.backend != nil || facts.hasOwned { stream.reselectRoute() }
        return true
    }

    /// Removes the field with which a client may have selected a route and its settings.
    private static func undoSelection(by stream: EnvoyStream, _ lines: LineBuffer) {
        guard RouteSettings.areUsed,
            unsafe lines.lines.contains(where: { unsafe $0.key.elementsEqual(Self.routeField) })
        else { return }
        stream.remove(Self.routeField, from: .request)
        stream.reselectRoute()
        // The change has invalidated the lines.
        stream.read(.request, into: lines)
    }

    private static let routeField = Array(GateField.route.lowercasedASCII.utf8)

    /// Returns the current rules; if they are new, first reports the requests counted under the previous rules.
    private func rules(
        on thread: ThreadState,
        observing isObserving: Bool,
        _ stream: EnvoyStream
    ) -> ThreadRules {
        thread.rules(of: self.configuration, observing: isObserving) { old in
            guard let counter = self.configuration.counter else { return }
            old.reportAll { stream.count($0, counter, $1) }
        }
    }

    /// Holds a denial until the request body is complete, or for at most two seconds.
    ///
    /// After an early response, Envoy resets the stream, and some clients then drop the response.
    ///
    /// - Returns: Whether the denial is held; `false` if the stream cannot be woken.
    private func hold(
        _ response: DenialResponse,
        _ stream: EnvoyStream,
        _ thread: ThreadState
    ) -> Bool {
        guard let verdict, let scheduler = stream.makeScheduler() else { return false }
        self.held = response
        let table = self.configuration.follower.openStreams.table(ofThread: thread.number)
        let number = table.add(
            scheduler,
            EvaluationResult(generation: EvaluationResult.outdated, verdict: verdict),
            grace: UnaryGrace(start: self.configuration.now())
        )
        self.registration = (table, number)
        return true
    }

    /// Sends the denial that is held, if there is one.
    private func sendHeld(_ stream: EnvoyStream) {
        guard let response = self.held else { return }
        self.endEvaluation()
        stream.respond(response)
    }

    /// Handles a chunk of the request body.
    ///
    /// - Returns: Whether the exchange continues.
    func receiveRequestBody(_ stream: EnvoyStream, endsStream: Bool) -> Bool {
        guard self.held != nil else { return self.continues(stream) }
        if endsStream { self.sendHeld(stream) }
        return false
    }

    /// Records that the response is not from the backend.
    func noteLocalResponse() {
        self.isLocal = true
        self.endEvaluation()
    }

    /// Adds the hint to the backend's response, and registers a long-lived exchange.
    func receiveResponse(_ stream: EnvoyStream, endsWithHead: Bool) {
        guard !self.isLocal, let verdict, verdict.denial == nil else { return }
        let thread = ThreadState.current
        let lines = thread.lines
        stream.read(.response, into: lines)
        if let revocable {
            let now = self.configuration.now()
            let mayLast = unsafe revocable.mayLast(withResponse: lines.lines, at: now)
            if !mayLast {
                self.endEvaluation()
            } else if !endsWithHead, self.registration == nil {
                self.register(stream, on: thread)
            }
        }
        Self.removeMarker(among: lines, from: .response, of: stream)
        guard !verdict.responseFields.isEmpty else { return }
        unsafe verdict.responseFields.forEach { unsafe stream.add($0, $1, in: .response) }
    }

    /// Removes identity fields and fields owned by the gate from the trailer section of the request.
    ///
    /// - Returns: Whether the exchange continues.
    func receiveRequestTrailers(_ stream: EnvoyStream) -> Bool {
        guard self.held == nil else {
            self.sendHeld(stream)
            return false
        }
        let thread = ThreadState.current
        let rules = self.rules(on: thread, observing: false, stream)
        stream.read(.requestTrailers, into: thread.lines)
        let lines = unsafe thread.lines.lines
        let names = unsafe rules.fields.names(in: lines, where: \.isForbiddenInTrailers)
        for name in names { stream.remove(name, from: .requestTrailers) }
        return true
    }

    /// Removes a forged hint from the trailer section of the backend's response.
    func receiveResponseTrailers(_ stream: EnvoyStream) {
        guard !self.isLocal else { return }
        let lines = ThreadState.current.lines
        stream.read(.responseTrailers, into: lines)
        Self.removeMarker(among: lines, from: .responseTrailers, of: stream)
    }

    /// Removes a hint forged by the backend.
    private static func removeMarker(
        among lines: LineBuffer,
        from map: EnvoyStream.Map,
        of stream: EnvoyStream
    ) {
        let isMarked = unsafe lines.lines.contains { unsafe $0.key.elementsEqual(Self.marker) }
        if isMarked { stream.remove(Self.marker, from: map) }
    }

    /// The name of the hint field, which only the gate may send to clients.
    private static let marker = Array(Answer.markerName.lowercasedASCII.utf8)

    /// Evaluates the request of a long-lived exchange again if the rules have changed or a scheduled change is due.
    ///
    /// Envoy ends the exchange if the rules now deny the request or select another backend. Once the response has
    /// started, Envoy resets the stream instead of sending a response, and may release this object during the reset.
    ///
    /// - Returns: Whether the exchange continues.
    func continues(_ stream: EnvoyStream) -> Bool {
        guard let revocable, let former = self.verdict,
            revocable.isOutdated(
                self.configuration.follower.generation,
                former,
                now: self.configuration.now
            )
        else { return true }
        let thread = ThreadState.current
        let rules = self.rules(on: thread, observing: revocable.isObserved, stream)
        let (verdict, facts) = revocable.verdict(by: rules) { stream.clientAddress }
        self.verdict = verdict
        if verdict.denial == nil, verdict.backend == former.backend {
            self.updateRegistration()
            return true
        }
        self.endEvaluation()
        // The exchange has a single line in the access log, which must not combine metadata from both decisions.
        unsafe Self.noFacts.forEach { unsafe stream.setMetadata($0, $1) }
        unsafe verdict.metadata.forEach { unsafe stream.setMetadata($0, $1) }
        if let denial = verdict.denial {
            withExtendedLifetime(revocable) {
                let lines = unsafe revocable.lines
                stream.respond(
                    unsafe DenialResponse(denial, of: verdict.kind, by: rules, facts, lines)
                )
            }
        } else {
            stream.respond(
                status: Answer.moved.status,
                Self.moved,
                body: Answer.moved.body,
                details: "versiongate_moved"
            )
        }
        return false
    }

    /// Sends a held denial, or evaluates the request again if necessary.
    ///
    /// Called after the watching thread has woken the stream.
    func wake(_ stream: EnvoyStream) {
        guard self.held == nil else { return self.sendHeld(stream) }
        if self.continues(stream) { self.updateRegistration() }
    }

    /// Registers the stream, which is then woken when the request must be evaluated again.
    private func register(_ stream: EnvoyStream, on thread: ThreadState) {
        guard let result, let scheduler = stream.makeScheduler() else { return }
        let table = self.configuration.follower.openStreams.table(ofThread: thread.number)
        self.registration = (table, table.add(scheduler, result, grace: self.revocable?.grace))
    }

    private func updateRegistration() {
        guard let registration, let result else { return }
        registration.table.update(registration.number, result)
    }

    /// The result of the last evaluation; `nil` for ordinary exchanges.
    private var result: EvaluationResult? {
        guard let revocable, let verdict else { return nil }
        return EvaluationResult(generation: revocable.generation, verdict: verdict)
    }

    private static let noFacts = FieldBlock(
        Decision.factNames.map { HeaderField(name: $0, value: "") }
    )
    private static let moved = FieldBlock(Answer.moved.fields)
}

/// The response to a denied request.
private struct DenialResponse {
    let status: Int
    let fields: FieldBlock
    let body: [UInt8]
    let details: StaticString

    init(
        _ denial: EnvoyVerdict.Denial,
        of kind: Decision.Kind,
        by rules: ThreadRules,
        _ facts: ThreadRules.Facts,
        _ lines: UnsafeBufferPointer<EnvoyLine>
    ) {
        let origin = unsafe facts.origin.map { unsafe lines[$0].value }
            .map { unsafe String(decoding: $0, as: UTF8.self) }
        self.status = denial.answer.status
        self.fields = origin.map(denial.fields(forOrigin:)) ?? denial.fields
        self.body = unsafe rules.body(of: denial, facts, in: lines)
        self.details = kind == .maintenance ? "versiongate_maintenance" : "versiongate_require"
    }
}

extension EnvoyStream {
    fileprivate func respond(_ response: DenialResponse) {
        self.respond(
            status: response.status,
            response.fields,
            body: response.body,
            details: response.details
        )
    }
}

extension ThreadRules.Facts {
    /// Whether the request announces a body of at most 64 KiB.
    ///
    /// A body of unknown length may be large, or never end.
    fileprivate var hasSmallBody: Bool {
        guard let bodyLength, !self.offersUpgrade, !self.hasExpectation else { return false }
        return !self.form.mayStream && bodyLength <= 64 * 1024
    }

    /// The kind of long-lived exchange that the request may start; `nil` for an ordinary exchange.
    ///
    /// An event stream with a request body is an ordinary exchange, because the client would conclude from a denial
    /// that the backend has not processed the body.
    fileprivate func revocableKind(endsWithHead: Bool) -> RevocableRequest.Kind? {
        if self.offersUpgrade { return .webSocket }
        if self.form == .grpc { return .call }
        return self.acceptsEvents && endsWithHead ? .eventStream : nil
    }
}

extension EnvoyStream {
    /// The settings of the request's route; `nil` if the route has none.
    fileprivate var routeSettings: RouteSettings? {
        guard RouteSettings.areUsed,
            let settings = unsafe envoy_dynamic_module_callback_get_most_specific_route_config(
                self.filter
            )
        else { return nil }
        return unsafe Unmanaged<RouteSettings>.fromOpaque(settings).takeUnretainedValue()
    }
}
