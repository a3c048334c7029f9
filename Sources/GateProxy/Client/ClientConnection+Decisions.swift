import GatePolicy
import GateWire
import NIOCore

/// Authorization requests from gateways, on the decision listener.
extension ClientConnection {
    /// Responds to a request on the decision listener.
    func serveGateway(_ head: inout RequestHead, in bytes: Span<UInt8>) {
        self.request.response.begin(
            isHead: head.method("HEAD", in: bytes),
            isHTTP10: head.minorVersion == 0
        )
        guard self.webSocketKey == nil else { return self.refuse(GateAnswer(.unsupportedProtocol)) }
        let target = bytes.extracting(head.target.start..<head.target.end)
        switch DecisionEndpoint(target) {
        case .decision(let gateway, let prefixCount):
            self.authorize(for: gateway, prefixCount: prefixCount, &head, in: bytes)
        case .denial: self.denyForwarded(&head, in: bytes)
        case .ready: self.answerReady(head, in: bytes)
        case .call(let call): self.begin(call, head, in: bytes)
        case nil where ClientEndpoint(head, in: bytes) != nil && self.loop.settings.servesClients:
            self.receive(head, in: bytes)
        case nil:
            self.answer(.noSuchDecision, keepsClient: self.keepsGateway(head, in: bytes))
        }
    }

    /// Whether another request may follow one whose body is not read.
    private func keepsGateway(_ head: RequestHead, in bytes: Span<UInt8>) -> Bool {
        guard !head.announcesBody(in: bytes), self.acceptsNextRequest else { return false }
        return (try? RequestFacts(head, in: bytes))?.keepsAlive ?? false
    }

    private func answerReady(_ head: RequestHead, in bytes: Span<UInt8>) {
        let answer = RenderedAnswer(
            status: self.loop.acceptsGateways ? 200 : 503,
            fields: [HeaderField(name: "Cache-Control", value: "no-store")],
            body: []
        )
        self.answerGateway(answer, keepsClient: self.keepsGateway(head, in: bytes))
    }

    /// `keepsClient`: whether another request may follow; the gate does not wait for the rest of this one.
    private func answerGateway(_ answer: RenderedAnswer, keepsClient: Bool) {
        self.answer(answer, keepsClient: keepsClient, remaining: keepsClient ? .nothing : .unknown)
    }

    /// Responds to an authorization request over HTTP.
    private func authorize(
        for gateway: Gateway,
        prefixCount: Int,
        _ head: inout RequestHead,
        in bytes: Span<UInt8>
    ) {
        let description = gateway.description(prefixCount: prefixCount)
        guard var described = self.read(description, of: gateway, &head, in: bytes) else { return }
        described.facts.replaceForm(gateway.form(for: described.facts.answerForm))
        let verdict = self.decide(on: head, facts: described.facts, in: bytes)
        self.loop.counters.decisions.count(gateway)
        let answer: RenderedAnswer
        if let denial = self.rules.denial(of: verdict, on: head, in: bytes) {
            self.noteOrigin(of: head, facts: described.facts, in: bytes)
            answer = denial.denial(for: gateway, verdict)
        } else {
            let added = verdict.addedFields(of: head, in: bytes)
            answer = RenderedAnswer(allowing: verdict, added: added)
        }
        self.answerGateway(answer, keepsClient: described.keepsClient)
    }

    /// Responds to a denied request that a gateway forwards to the gate.
    ///
    /// It was already counted with its authorization request.
    private func denyForwarded(_ head: inout RequestHead, in bytes: Span<UInt8>) {
        let gateway = Gateway.forwardAuth
        let description = gateway.description(prefixCount: 0)
        guard let described = self.read(description, of: gateway, &head, in: bytes) else { return }
        let facts = described.facts
        var verdict = self.verdict(on: head, facts: facts, in: bytes)
        if facts.hasGateOwnedField {
            verdict = self.passed(
                verdict,
                head,
                facts: facts,
                in: bytes,
                self.rules,
                for: .inspection
            )
            verdict = self.previewed(verdict, head, facts: facts, in: bytes, counts: false)
        }
        guard let denial = self.rules.denial(of: verdict, on: head, in: bytes) else {
            // The rules have changed since the authorization request.
            return self.answer(.noLongerDenied, keepsClient: false)
        }
        self.noteOrigin(of: head, facts: facts, in: bytes)
        self.answerGateway(denial, keepsClient: described.keepsClient)
    }

    /// A client's request that a gateway describes.
    private struct DescribedRequest {
        var facts: RequestFacts
        /// Whether the gateway may send another request on the connection.
        let keepsClient: Bool
    }

    /// Reads the description of a client's request, and changes the head into that of the client's request.
    ///
    /// - Returns: `nil` if the request is invalid, and a response was sent.
    private func read(
        _ description: RequestDescription,
        of gateway: Gateway,
        _ head: inout RequestHead,
        in bytes: Span<UInt8>
    ) -> DescribedRequest? {
        let announcesBody = head.announcesBody(in: bytes)
        do throws(DescriptionFault) {
            try head.become(description, in: bytes)
        } catch {
            self.loop.counters.malformed += 1
            self.answer(GateAnswer(error), keepsClient: false)
            return nil
        }
        if let own = gateway.ownUserAgent { head.dropUserAgent(own, in: bytes) }
        do throws(MessageFault) {
            var facts = try RequestFacts(head, in: bytes)
            if announcesBody { facts.rejectPreflight() }
            let keepsClient = facts.keepsAlive && !announcesBody && self.acceptsNextRequest
            return DescribedRequest(facts: facts, keepsClient: keepsClient)
        } catch {
            self.refuse(GateAnswer(error))
            return nil
        }
    }

    /// Evaluates and counts the client's request of an authorization request.
    private func decide(
        on head: RequestHead,
        facts: RequestFacts,
        in bytes: Span<UInt8>
    ) -> Verdict {
        // The endpoints for clients respond to denied builds, too. Unknown paths under `/.versiongate/` are evaluated:
        // gateways may route them elsewhere, because they remove `..` first.
        if self.loop.settings.servesClients, let endpoint = ClientEndpoint(head, in: bytes),
            endpoint != .unknown
        {
            return self.rules.preflight
        }
        let (counted, verdict): (Verdict, Verdict)
        if facts.hasGateOwnedField {
            counted = self.countedVerdictWithPass(on: head, facts: facts, in: bytes)
            verdict = self.previewed(counted, head, facts: facts, in: bytes)
        } else {
            counted = self.countedVerdict(on: head, facts: facts, in: bytes)
            verdict = counted
        }
        self.request.verdict = verdict
        if let log = self.loop.accessLog {
            self.beginLogEntry(of: log, head, facts: facts, in: bytes, verdict: counted)
        }
        return verdict
    }
}

/// Calls of gRPC services.
extension ClientConnection {
    /// The maximum size in bytes of the content of a call; a message may contain the start of the client's body.
    private static let contentLimit = 32 << 20

    /// Waits for the message of a call.
    private func begin(
        _ call: GatewayCall,
        _ head: RequestHead,
        in bytes: Span<UInt8>
    ) {
        // The status of a call is in the trailer section, which needs HTTP/2.
        guard self.transport.isStream, head.method("POST", in: bytes) else {
            return self.answer(.noSuchDecision, keepsClient: self.keepsGateway(head, in: bytes))
        }
        self.exchange.awaitMessage(of: call)
        self.renewDeadline()
    }

    /// Responds to a call once its message is complete.
    ///
    /// - Returns: Whether there may be more to read.
    func awaitMessage(of call: GatewayCall) -> Bool {
        guard self.inbound.readableBytes <= Self.contentLimit else {
            self.endCall(.resourceExhausted, "The message exceeds the limit of 32 MiB.")
            return true
        }
        guard case .stream(let stream) = self.transport, stream.hasEndedRequest else {
            return false
        }
        let content = self.inbound
        self.inbound = ByteBuffer()
        let bytes = content.readableBytesUInt8Span
        do throws(GRPCMessage.Fault) {
            let message = bytes.extracting(try GRPCMessage.only(in: bytes))
            switch call {
            case .check: self.check(message)
            case .health: self.send(self.loop.acceptsGateways ? Self.serving : Self.notServing)
            }
        } catch {
            switch error {
            case .malformed:
                self.endCall(.invalidArgument, "The content is not one gRPC message.")
            case .compressed:
                self.endCall(.unimplemented, "The gate accepts no compressed messages.")
            }
        }
        return true
    }

    /// `HealthCheckResponse` (grpc/health/v1/health.proto) with `SERVING` and `NOT_SERVING`.
    private static let serving: [UInt8] = [0x08, 0x01]
    private static let notServing: [UInt8] = [0x08, 0x02]

    /// Responds to a `CheckRequest`.
    private func check(_ message: Span<UInt8>) {
        do throws(EnvoyCheckRequest.Fault) {
            let request = try EnvoyCheckRequest(message)
            self.check(head: try request.head(in: message, appField: self.rules.appField))
        } catch {
            switch error {
            case .malformed: self.endCall(.invalidArgument, "The message is not a CheckRequest.")
            case .http(let fault): self.deny(fault)
            }
        }
    }

    private func check(head text: [UInt8]) {
        let bytes = text.span
        // The heads of streams are read by their connection, so this parser is not in use.
        self.heads.parser.reset()
        switch self.heads.parser.parse(bytes, table: self.rules.table) {
        case .complete: break
        // Not reached: the text ends with an empty line.
        case .incomplete: return self.deny(.startLine)
        case .malformed(let fault): return self.deny(fault)
        }
        let head = self.heads.parser.takeHead()
        defer { self.heads.parser.reuse(head) }
        do throws(MessageFault) {
            var facts = try RequestFacts(head, in: bytes)
            facts.replaceForm(Gateway.envoyGRPC.form(for: facts.answerForm))
            let verdict = self.decide(on: head, facts: facts, in: bytes)
            self.loop.counters.decisions.count(.envoyGRPC)
            let denial = self.rules.denial(of: verdict, on: head, in: bytes)
            self.noteOrigin(of: head, facts: facts, in: bytes)
            // The CORS fields belong in the client's response, not in this one.
            let origin = self.request.origin.take()
            let response = EnvoyCheckResponse(
                verdict,
                denial: denial,
                origin: origin,
                added: verdict.addedFields(of: head, in: bytes),
                rules: self.rules
            )
            self.request.logEntry?.answered(denial?.status ?? 200)
            self.send(response.bytes)
        } catch {
            self.deny(error)
        }
    }

    /// Denies a request that is not valid HTTP, with the response that a client of the gate would get.
    private func deny(_ fault: MessageFault) {
        self.loop.counters.malformed += 1
        let answer = RenderedAnswer(GateAnswer(fault))
        let response = EnvoyCheckResponse(
            deniedWith: answer.status,
            lines: answer.fieldLines,
            body: answer.body,
            metadata: []
        )
        self.send(response.bytes)
    }

    /// Sends the only message of a call, and the status `OK`.
    private func send(_ message: [UInt8]) {
        guard case .stream(let stream) = self.transport else { return }
        let head = RenderedAnswer(status: 200, fields: [Self.callType], body: nil)
        self.writeHead(head, to: stream, length: nil, endsStream: false)
        let prefix = GRPCMessage.prefix(count: message.count)
        stream.append(prefix.span, from: 0, to: prefix.count)
        stream.append(message.span, from: 0, to: message.count)
        stream.append(trailers: Self.okTrailers.block)
        stream.endContent()
        self.exchange.endCall()
        self.nextRequest()
    }

    private static let callType = HeaderField(name: "content-type", value: "application/grpc")
    private static let okTrailers = RenderedFields([
        HeaderField(name: "grpc-status", value: "\(GRPCStatus.ok.rawValue)")
    ])

    /// Ends a call with an error.
    private func endCall(_ status: GRPCStatus, _ message: String) {
        self.loop.counters.malformed += 1
        self.inbound = ByteBuffer()
        let answer = RenderedAnswer(
            status: 200,
            fields: [
                Self.callType,
                HeaderField(name: "grpc-status", value: "\(status.rawValue)"),
                HeaderField(name: "grpc-message", value: message),
            ],
            body: []
        )
        self.answer(answer, keepsClient: true, remaining: .nothing)
    }
}
