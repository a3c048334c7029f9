import Foundation
import GateTestSupport
import Testing

@testable import VersionGateClient

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The golden exchanges of `docs/wire`, with which all client libraries are tested.
///
/// Each response arrives over a real socket, and the library must read the documented facts from it.
@Suite(.serialized, .ownThread, .timeLimit(.minutes(5)))
struct WireExchangeTests {
    struct Exchange: Sendable, CustomTestStringConvertible {
        var name: String
        var json: Data

        var testDescription: String { self.name }
    }

    typealias Object = [String: Any]

    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../docs/wire/exchanges").standardized

    private static let names: [String] = {
        let names = try? FileManager.default.contentsOfDirectory(atPath: folder.path)
        return (names ?? []).filter { $0.hasSuffix(".json") }.sorted()
    }()

    static let exchanges: [Exchange] = names.compactMap { name in
        let data = try? Data(contentsOf: folder.appending(path: name))
        return data.map { Exchange(name: name, json: $0) }
    }

    @Test
    func `each file of the folder is an exchange`() {
        #expect(Self.exchanges.count == Self.names.count)
    }

    @Test(arguments: Self.exchanges)
    func `the library reads each exchange as documented`(_ exchange: Exchange) async throws {
        let object = try #require(try JSONSerialization.jsonObject(with: exchange.json) as? Object)
        let request = try #require(object["request"] as? Object)
        let expected = try #require(object["client"] as? Object)
        let answer = try Self.bytes(of: try #require(object["response"] as? Object), to: request)
        let server = try ScriptedBackend { _ in [.readBody, .send(answer), .close] }
        let tested = try TestedClient(port: server.port, surroundings: .asking)
        let client = tested.client
        if let states = expected["states"] as? [Object] {
            tested.listen()
            // A slow listener gets only the newest state, so only the last state is certain.
            let last = try #require(states.last)
            try tested.waitForState("the last state") { state in
                Self.facts(state, announced: nil)["state"] as? String == last["state"] as? String
            }
            let response = object["response"] as? Object
            var parser = EventParser()
            let read = try parser.read((response?["body"] as? String ?? "").utf8).compactMap {
                message -> GateState? in
                guard case .event("decision", let data, _) = message else { return nil }
                return GateDocument(json: Data(data.utf8))?.state
            }
            #expect(read.count == states.count)
            for (state, meant) in zip(read, states) {
                Self.expect(Self.facts(state, announced: nil), meant, in: exchange)
            }
        }
        if let meant = expected["state"] as? Object, request["method"] as? String == "GET" {
            if meant["state"] as? String == "unchanged" {
                let known = GateEndpoints.asking(client)
                let answer = await known.status(path: nil, method: nil, knownTag: "\"x\"")
                #expect(answer == .unchanged)
            } else {
                let state = await client.check()
                Self.expect(
                    Self.facts(state, announced: client.announcedMaintenance),
                    meant,
                    in: exchange
                )
            }
        }
        guard expected["denial"] != nil else { return }
        let url = try #require(
            URL(string: client.baseURL.absoluteString + (request["target"] as? String ?? ""))
        )
        var asked = URLRequest(url: url)
        asked.httpMethod = request["method"] as? String
        do {
            let (_, response) = try await client.data(for: asked)
            #expect(expected["denial"] is NSNull)
            let hint = client.hint(in: response)
            if let meant = expected["hint"] as? Object {
                let state = hint?.update.map { GateState.recommended($0) } ?? .allowed
                Self.expect(Self.facts(state, announced: hint?.maintenance), meant, in: exchange)
            } else {
                #expect(hint == nil)
            }
        } catch let denied as GateDenied {
            let meant = try #require(expected["denial"] as? Object)
            Self.expect(Self.facts(denied.denial), meant, in: exchange)
        }
    }

    /// Expects the same facts.
    ///
    /// Additional times that are derived from a `Retry-After` are allowed.
    private static func expect(_ read: Object, _ meant: Object, in exchange: Exchange) {
        var (read, meant) = (read, meant)
        // The library omits the current version during maintenance, because it has no meaning then.
        if var window = meant["window"] as? Object {
            window["currentVersion"] = nil
            meant["window"] = window
        }
        for part in ["update", "window"] {
            guard var facts = read[part] as? Object else { continue }
            let expected = meant[part] as? Object ?? [:]
            if expected["retryAfterSeconds"] != nil {
                for key in ["brownoutUntil", "maintenanceUntil"] where expected[key] == nil {
                    facts[key] = nil
                }
            }
            read[part] = facts
        }
        #expect(
            NSDictionary(dictionary: read) == NSDictionary(dictionary: meant),
            "\(exchange.name): \(read), not \(meant)"
        )
    }

    // MARK: The read facts, in the format of the exchanges

    private static func facts(_ state: GateState, announced: MaintenanceWindow?) -> Object {
        var object: Object = [:]
        switch state {
        case .allowed: object["state"] = "allowed"
        case .recommended(let update):
            object = ["state": "recommended", "update": Self.facts(update)]
        case .required(let update): object = ["state": "required", "update": Self.facts(update)]
        case .maintenance(let window):
            object = ["state": "maintenance", "window": Self.facts(window)]
        case .unknown: object["state"] = "unknown"
        }
        object["announced"] = announced.map { Self.facts($0) }
        return object
    }

    private static func facts(_ denial: Denial) -> Object {
        var (state, part): (Object, String)
        switch denial.reason {
        case .updateRequired(let update):
            (state, part) = (Self.facts(.required(update), announced: nil), "update")
        case .maintenance(let window):
            (state, part) = (Self.facts(.maintenance(window), announced: nil), "window")
        }
        var facts = state[part] as? Object ?? [:]
        facts["retryAfterSeconds"] = denial.retryAfter.map { Int($0) }
        state[part] = facts
        return state
    }

    private static func facts(_ update: Update) -> Object {
        var object: Object = [:]
        object["title"] = update.title
        object["message"] = update.message
        object["button"] = update.button
        object["storeUrl"] = update.storeURL?.absoluteString
        object["minimumVersion"] = update.minimumVersion
        object["minimumBuild"] = update.minimumBuild.map { Int($0) }
        object["latestVersion"] = update.latestVersion
        object["currentVersion"] = update.currentVersion
        object["cannotUpdate"] = update.cannotUpdate ? true : nil
        object["enforceFrom"] = update.enforceFrom?.formatted(.iso8601)
        object["brownoutFrom"] = update.brownoutFrom?.formatted(.iso8601)
        object["brownoutUntil"] = update.brownoutUntil?.formatted(.iso8601)
        object["snoozeSeconds"] = update.snoozeSeconds.map { Int($0) }
        object["rule"] = update.rule
        object["revision"] = update.revision
        return object
    }

    private static func facts(_ window: MaintenanceWindow) -> Object {
        var object: Object = [:]
        object["title"] = window.title
        object["message"] = window.message
        object["button"] = window.button
        object["storeUrl"] = window.storeURL?.absoluteString
        object["maintenanceFrom"] = window.from?.formatted(.iso8601)
        object["maintenanceUntil"] = window.until?.formatted(.iso8601)
        object["rule"] = window.rule
        object["revision"] = window.revision
        return object
    }

    // MARK: The response over HTTP/1.1

    private static func bytes(of response: Object, to request: Object) throws -> [UInt8] {
        let status = try #require(response["status"] as? Int)
        var head = "HTTP/1.1 \(status) Whatever\r\n"
        for field in try #require(response["fields"] as? [[String]]) {
            head += "\(field[0]): \(field[1])\r\n"
        }
        var body = Data((response["body"] as? String ?? "").utf8)
        if let json = response["json"] {
            body = try JSONSerialization.data(withJSONObject: json, options: .fragmentsAllowed)
        }
        if let flags = response["envelopeFlags"] as? Int {
            let length = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: body.count >> $0) }
            body = Data([UInt8(truncatingIfNeeded: flags)] + length) + body
        }
        if request["method"] as? String == "HEAD" || status == 304 || status == 204 {
            body = Data()
        }
        if status != 304, status != 204 { head += "Content-Length: \(body.count)\r\n" }
        return Array((head + "\r\n").utf8) + body
    }
}

extension GateEndpoints {
    fileprivate static func asking(_ client: VersionGateClient) -> GateEndpoints {
        GateEndpoints(
            baseURL: client.baseURL,
            identity: client.identity,
            session: URLSession(configuration: .ephemeral),
            checkTimeout: TestedClient.checkTimeout,
            surroundings: .asking
        )
    }
}
