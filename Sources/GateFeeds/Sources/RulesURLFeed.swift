private import FoundationEssentials
internal import GateCrypto
internal import GatePolicy
internal import GateRules
internal import GateSystem

/// A feed that polls a rules file, or a JSON object with versions, from a URL.
struct RulesURLFeed: FeedSource {
    /// The public key for the file's signature, and the URL of the signature.
    struct Signature: Sendable, Equatable {
        var key: VerifyingKey
        var url: FetchURL
    }

    private enum Memory {
        static let etag = "etag"
        static let serial = "serial"
    }

    let url: FetchURL
    let token: Secret?
    let redirects: RedirectRule
    let signature: Signature?
    let content: ValueObject

    var summary: String { "\(self.url)" }
    var subject: FeedSubject { self.content.subject }
    var rulePlatforms: [Platform]? { self.content.rule.platforms }
    var platformClaims: [FeedPlatformClaim] {
        FeedPlatformClaim.all(in: self.content.names.paths) { "the field '\($0)'" }
    }

    func follow(
        _ context: FeedContext,
        deliver: (FeedResult) async -> Void
    ) async throws(FeedFailure) -> FeedEnd {
        let etag = context.last?.memory[Memory.etag]
        let response = try await self.ask(self.url, etag: etag, context)
        switch response.status {
        case 200:
            await deliver(.value(try await self.value(of: response, context)))
        case 304 where etag != nil:
            await deliver(.unchanged)
        default:
            throw .status(response.head)
        }
        return .complete
    }

    private func ask(
        _ url: FetchURL,
        etag: String? = nil,
        _ context: FeedContext
    ) async throws(FeedFailure) -> FetchResponse {
        let request = FetchRequest(
            url,
            fields: etag.map { [HeaderField(name: "If-None-Match", value: $0)] } ?? [],
            credential: (try self.token?.read()).map { .bearer($0) },
            redirects: self.redirects
        )
        return try await context.fetcher.response(to: request)
    }

    private func value(
        of response: FetchResponse,
        _ context: FeedContext
    ) async throws(FeedFailure) -> FeedValue {
        if let page = FeedFailure.webPage(response.body) { throw page }
        try await self.checkSignature(of: response.body, context)
        if self.content.kind == .version {
            let object = try JSONValue.body(response.body)
            let last = context.last?.memory ?? [:]
            var value = try self.content.value(from: object, id: context.feed, after: last)
            value.memory[Memory.etag] = response.head["ETag"]
            return value
        }
        let source = RulesSource(name: "\(self.url)", bytes: response.body)
        var memory: [String: String] = [:]
        let document: String
        let serial: UInt64?
        do throws(RulesFileError) {
            document = try source.text()
            serial = try RulesSerial(of: source)?.number
        } catch {
            throw FeedFailure(.rejected([error]))
        }
        memory[Memory.etag] = response.head["ETag"]
        memory[Memory.serial] = serial.map { "\($0)" }
        try self.checkSerial(serial, of: document, after: context.last)
        return FeedValue(document: document, memory: memory)
    }

    private func checkSignature(
        of content: [UInt8],
        _ context: FeedContext
    ) async throws(FeedFailure) {
        guard let signature = self.signature else { return }
        let response = try await self.ask(signature.url, context)
        guard response.status == 200 else {
            throw .status(response.head, detail: "there is no signature at \(signature.url)")
        }
        let text = String(decoding: response.body, as: UTF8.self)
        let bytes = Data(base64Encoded: text.filter { !$0.isWhitespace })
        guard let bytes, signature.key.accepts(Array(bytes), of: content) else {
            throw .content("the signature at \(signature.url) does not match the file")
        }
    }

    private func checkSerial(
        _ serial: UInt64?,
        of document: String,
        after last: FeedValue?
    ) throws(FeedFailure) {
        guard let last, last.document != document,
            let before = last.memory[Memory.serial].flatMap({ UInt64($0) })
        else { return }
        guard let serial else {
            throw .content("the file has no 'serial'; the previous one had \(before)")
        }
        guard serial > before else {
            throw .content("the file's 'serial' is \(serial), but \(before) was applied before")
        }
    }
}
