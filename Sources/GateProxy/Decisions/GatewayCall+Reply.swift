import GatePolicy
import GateWire

/// The replies to the calls of gRPC services.
extension GatewayCall {
    enum Reply {
        /// The only message of the reply.
        ///
        /// `status` is the status for the access log; `nil` for a health check.
        case message([UInt8], status: Int? = nil)
        /// The message for a client's request that is not valid HTTP.
        case refusal([UInt8])
        /// The status of the call, and its message.
        case failure(GRPCStatus, String)
    }

    /// The maximum size in bytes of the content of a call; a message may contain the start of the client's body.
    static let contentLimit = 32 << 20

    /// The reply to a call whose content exceeds the limit.
    static let tooLarge = Reply.failure(
        .resourceExhausted,
        "The message exceeds the limit of 32 MiB."
    )

    /// Returns the reply to a call whose content is complete.
    ///
    /// `isReady` states whether gateways should send further requests to this gate. `parser` parses the head of the
    /// client's request, and `decide` evaluates and counts the request.
    func reply(
        to content: Span<UInt8>,
        by rules: WorkerRules,
        isReady: Bool,
        parser: inout RequestHeadParser,
        decide: (RequestHead, RequestFacts, Span<UInt8>) -> Verdict
    ) -> Reply {
        do throws(GRPCMessage.Fault) {
            let message = content.extracting(try GRPCMessage.only(in: content))
            switch self {
            case .check: return Self.check(message, rules, &parser, decide)
            case .health: return .message(isReady ? Self.serving : Self.notServing)
            }
        } catch {
            return switch error {
            case .malformed: .failure(.invalidArgument, "The content is not one gRPC message.")
            case .compressed: .failure(.unimplemented, "The gate accepts no compressed messages.")
            }
        }
    }

    /// `HealthCheckResponse` (grpc/health/v1/health.proto) with `SERVING` and `NOT_SERVING`.
    private static let serving: [UInt8] = [0x08, 0x01]
    private static let notServing: [UInt8] = [0x08, 0x02]

    /// Returns the reply to a `CheckRequest`.
    private static func check(
        _ message: Span<UInt8>,
        _ rules: WorkerRules,
        _ parser: inout RequestHeadParser,
        _ decide: (RequestHead, RequestFacts, Span<UInt8>) -> Verdict
    ) -> Reply {
        do throws(EnvoyCheckRequest.Fault) {
            let request = try EnvoyCheckRequest(message)
            let text = try request.head(in: message, appField: rules.appField)
            return self.check(head: text.span, rules, &parser, decide)
        } catch {
            return switch error {
            case .malformed: .failure(.invalidArgument, "The message is not a CheckRequest.")
            case .http(let fault): self.refusal(fault)
            }
        }
    }

    private static func check(
        head bytes: Span<UInt8>,
        _ rules: WorkerRules,
        _ parser: inout RequestHeadParser,
        _ decide: (RequestHead, RequestFacts, Span<UInt8>) -> Verdict
    ) -> Reply {
        parser.reset()
        switch parser.parse(bytes, table: rules.table) {
        case .complete: break
        // Not reached: the text ends with an empty line.
        case .incomplete: return self.refusal(.startLine)
        case .malformed(let fault): return self.refusal(fault)
        }
        let head = parser.takeHead()
        defer { parser.reuse(head) }
        do throws(MessageFault) {
            var facts = try RequestFacts(head, in: bytes)
            facts.replaceForm(Gateway.envoyGRPC.form(for: facts.answerForm))
            let verdict = decide(head, facts, bytes)
            let denial = rules.denial(of: verdict, on: head, in: bytes)
            let response = EnvoyCheckResponse(
                verdict,
                denial: denial,
                origin: facts.origin(of: head, in: bytes),
                added: verdict.addedFields(of: head, in: bytes),
                rules: rules
            )
            return .message(response.bytes, status: denial?.status ?? 200)
        } catch {
            return self.refusal(error)
        }
    }

    /// Denies a request that is not valid HTTP, with the response that a client of the gate would get.
    private static func refusal(_ fault: MessageFault) -> Reply {
        let answer = RenderedAnswer(GateAnswer(fault))
        let response = EnvoyCheckResponse(
            deniedWith: answer.status,
            lines: answer.fieldLines,
            body: answer.body,
            metadata: []
        )
        return .refusal(response.bytes)
    }
}

/// The responses to the calls of gRPC services.
extension GatewayCall {
    private static let contentType = HeaderField(name: "content-type", value: "application/grpc")

    /// The head of the response to a successful call.
    static let answerHead = RenderedAnswer(status: 200, fields: [Self.contentType], body: nil)
    /// The trailer fields of the response to a successful call.
    static let answerTrailers = RenderedFields([
        HeaderField(name: "grpc-status", value: "\(GRPCStatus.ok.rawValue)")
    ])

    /// Returns the response to a call that fails.
    static func failure(_ status: GRPCStatus, _ message: String) -> RenderedAnswer {
        RenderedAnswer(
            status: 200,
            fields: [
                Self.contentType,
                HeaderField(name: "grpc-status", value: "\(status.rawValue)"),
                HeaderField(name: "grpc-message", value: message),
            ],
            body: []
        )
    }
}
