private import GatePolicy
internal import GateRules
internal import GateSystem

/// Rules files in etcd, fetched from the JSON gateway of API version 3.
///
/// A range request is followed by a watch from the next revision, so no change is missed.
struct EtcdFeed: FeedSource {
    /// The credentials for etcd's authentication.
    struct Account: Sendable, Equatable {
        var user: String
        var password: Secret
    }

    /// The client certificate and its key.
    struct Identity: Sendable, Equatable {
        var certificate: Secret
        var key: Secret

        func read() throws(FeedFailure) -> ClientCertificate {
            ClientCertificate(
                chain: Array(try self.certificate.read().utf8),
                key: Array(try self.key.read().utf8)
            )
        }
    }

    /// A cluster member that has responded, and its authentication token.
    private struct Session {
        let url: FetchURL
        let token: Credential?
    }

    private enum WatchEnd {
        case silent
        case compacted
        case ended
    }

    /// The maximum size in bytes of a response or message, including base64 encoding and overhead.
    private static let maximumSize = RulesSource.maximumSize * 4 / 3 + (1 << 20)
    /// The maximum number of consecutive watches that fail because etcd has compacted their start
    /// revision.
    private static let maximumCompactions = 3

    /// The cluster members, by priority.
    let urls: [FetchURL]
    let selection: EtcdSelection
    let account: Account?
    let identity: Identity?
    /// The number of seconds without a message after which the range is requested again.
    ///
    /// Only a new request reveals that the watch is dead, or that its member has left the cluster.
    let silence: Int64

    var summary: String {
        "etcd \(self.urls.map(\.description).joined(separator: ", ")) \(self.selection)"
    }

    var subject: FeedSubject { .anything }
    var streams: Bool { true }

    func follow(
        _ context: FeedContext,
        deliver: (FeedResult) async -> Void
    ) async throws(FeedFailure) -> FeedEnd {
        var known: Session?
        var compactions = 0
        while true {
            let (session, found) = try await self.range(known, context)
            known = session
            await deliver(found.answer)
            switch try await self.watch(found, session, context, deliver) {
            case .ended: return .interrupted
            case .silent: compactions = 0
            case .compacted:
                compactions += 1
                guard compactions < Self.maximumCompactions else {
                    throw .content("etcd repeatedly compacted the watch's revision")
                }
            }
        }
    }

    /// Requests the range from the known member or, if there is none or the request fails, from the
    /// first member that responds.
    private func range(
        _ known: Session?,
        _ context: FeedContext
    ) async throws(FeedFailure) -> (Session, EtcdState) {
        if let known, let state = try? await self.range(of: known, context) {
            return (known, state)
        }
        var first: FeedFailure?
        for url in self.urls {
            do throws(FeedFailure) {
                let session = Session(url: url, token: try await self.token(at: url, context))
                return (session, try await self.range(of: session, context))
            } catch {
                first = first ?? error
            }
        }
        throw first ?? .content("no etcd URL is configured")
    }

    private func range(
        of session: Session,
        _ context: FeedContext
    ) async throws(FeedFailure) -> EtcdState {
        let limit = JSONValue.number("\(EtcdSelection.maximumKeys + 1)")
        let body = JSONValue.object(self.selection.members + [.init("limit", limit)])
        let request = try self.request(["kv", "range"], body, session.url, session.token)
        return try EtcdState(self.selection, range: try await Self.ask(request, context))
    }

    private func token(
        at url: FetchURL,
        _ context: FeedContext
    ) async throws(FeedFailure) -> Credential? {
        guard let account else { return nil }
        let body = JSONValue.object([
            .init("name", .text(account.user)),
            .init("password", .text(try account.password.read())),
        ])
        let answer = try await Self.ask(
            try self.request(["auth", "authenticate"], body, url, nil),
            context
        )
        guard let token = answer["token"]?.text else { throw .content("etcd returned no token") }
        return .field(.init(name: "Authorization", value: token))
    }

    /// Delivers changes until the watch ends.
    private func watch(
        _ found: EtcdState,
        _ session: Session,
        _ context: FeedContext,
        _ deliver: (FeedResult) async -> Void
    ) async throws(FeedFailure) -> WatchEnd {
        var state = found
        let start = JSONValue.Member("start_revision", .text("\(state.revision + 1)"))
        let body = JSONValue.object([
            .init("create_request", .object(self.selection.members + [start]))
        ])
        let request = try self.request(["watch"], body, session.url, session.token)
        let stream = try await context.fetcher.stream(of: request)
        guard stream.head.status == 200 else {
            throw Self.refusal(stream.head, await stream.beginning())
        }
        var splitter = JSONStreamSplitter(limit: Self.maximumSize)
        let pieces = stream.makeAsyncIterator()
        while true {
            let piece: [UInt8]?
            do {
                piece = try await pieces.next()
            } catch {
                if error == .silence { return .silent }
                throw .fetch(error)
            }
            guard let piece else { return .ended }
            for object in try splitter.receive(piece) {
                switch try state.receive(try JSONValue.body(object)) {
                case .wait: continue
                case .show: await deliver(state.answer)
                case .askAgain: return .compacted
                }
            }
        }
    }

    private func request(
        _ path: [String],
        _ body: JSONValue,
        _ url: FetchURL,
        _ token: Credential?
    ) throws(FeedFailure) -> FetchRequest {
        guard let url = url.appending(components: ["v3"] + path) else { throw .fetch(.unsendable) }
        return FetchRequest(
            url,
            method: .post(body: Array(body.compact.utf8), type: "application/json"),
            credential: token,
            certificate: try self.identity?.read(),
            limits: FetchLimits(
                // A failed member must not delay the request to the next one for long.
                deadline: .seconds(10),
                connect: .seconds(3),
                silence: .seconds(self.silence),
                bytes: Self.maximumSize
            )
        )
    }

    private static func ask(
        _ request: FetchRequest,
        _ context: FeedContext
    ) async throws(FeedFailure) -> JSONValue {
        let response = try await context.fetcher.response(to: request)
        guard response.status == 200 else { throw Self.refusal(response.head, response.body) }
        return try JSONValue.body(response.body)
    }

    /// Creates the failure for an error response.
    ///
    /// The body is `{"error": "etcdserver: user name is empty", …}`; since version 3.6, it contains
    /// `message` instead of `error`.
    private static func refusal(_ head: ResponseHead, _ body: [UInt8]) -> FeedFailure {
        let answer = try? JSONParser.parse(body)
        let error = answer?["error"] ?? answer.flatMap { $0["message"] == nil ? nil : $0 }
        if head.status == 404, error == nil {
            // The peer port has no JSON gateway.
            let detail =
                "no JSON gateway; check that the port is for clients (2379), not for peers (2380)"
            return .status(head, detail: detail)
        }
        return .status(head, detail: error.map { EtcdState.words(of: $0) })
    }
}
