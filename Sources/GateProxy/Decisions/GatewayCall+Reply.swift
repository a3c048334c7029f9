import GatePolicy
import GateWire

/// The gate's replies to gRPC calls.
extension GatewayCall {
    enum Reply {
        /// The only message of a reply.
        ///
        /// `status` is the status for the access log, or `nil` for a health check.
        case message([UInt8], status: Int? = nil)
        /// The message for a client request that is invalid HTTP.
        case refusal([UInt8])
        /// The status of a failed call, and the error message.
        case failure(GRPCStatus, String)
    }

    /// The maximum size, in bytes, of the content of a call; a message may contain the start of the client's body.
    static let contentLimit = 32 << 20

    /// The reply to a call whose content exceeds `contentLimit`.
    static let tooLarge = Reply.failure(
        .resourceExhausted,
        "The message exceeds the limit of 32 MiB."
    )

    /// Returns the reply to a call whose content is complete.
    ///
    /// `isReady` indicates whether gateways should send further requests to this gate. `parser` parses the head of the
    /// client request, and `decide` evaluates and counts the request.
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
            case .malformed: .failure(.invalidArgument, "The content is not a single gRPC message.")
            case .compressed: .failure(.unimplemented, "Compressed messages are not supported.")
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
            case .malformed: .failure(.invalidArgument, "The message is not a valid CheckRequest.")
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
        // Unreachable, because the head ends with an empty line.
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

    /// Denies a client request that is invalid HTTP, with the response that the gate would send to the client.
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

/// The gate's responses to gRPC calls.
extension GatewayCall {
    private static let contentType = HeaderField(name: "content-type", value: "application/grpc")

    /// The head of the response to a successful call.
    static let answerHead = RenderedAnswer(status: 200, fields: [Self.contentType], body: nil)
    /// The trailer fields of the response to a successful call.
    static let answerTrailers = RenderedFields([
        HeaderField(name: "grpc-status", value: "\(GRPCStatus.ok.rawValue)")
    ])

    /// Returns the response to a failed call.
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
