import GatePolicy
import GateWire
import Testing

@testable import GateProxy

/// The replies to gRPC calls, without a connection.
struct GatewayCallTests {
    /// A `CheckRequest` for a method and a target, as the content of a call.
    private static func check(_ method: String, _ target: String, version: String) -> [UInt8] {
        var line = ProtobufMessage()
        line.add(1, "x-app-version")
        line.add(3, Array(version.utf8))
        var lines = ProtobufMessage()
        lines.add(1, line)
        var http = ProtobufMessage()
        http.add(2, method)
        http.add(4, target)
        http.add(5, "a")
        http.add(13, lines)
        var request = ProtobufMessage()
        request.add(2, http)
        var attributes = ProtobufMessage()
        attributes.add(4, request)
        var message = ProtobufMessage()
        message.add(1, attributes)
        return GRPCMessage.prefix(count: message.bytes.count) + message.bytes
    }

    /// Returns the reply as text, and the methods and targets of the requests that were evaluated.
    private static func reply(
        to call: GatewayCall,
        _ content: [UInt8],
        isReady: Bool = true
    ) throws -> (reply: String, evaluated: [String]) {
        let rules = WorkerRules(try Stage.ruleSet(minimum: "2.0"), cacheCapacity: 1)
        var parser = RequestHeadParser()
        var last: RememberedVerdict?
        var evaluated: [String] = []
        let reply = call.reply(
            to: content.span,
            by: rules,
            isReady: isReady,
            parser: &parser
        ) { head, facts, bytes in
            let end = head.target.end
            evaluated.append(bytes.text(from: head.methodStart, to: end))
            return rules.verdict(on: head, facts: facts, in: bytes, address: "", last: &last)
        }
        let text =
            switch reply {
            case .message(let message, let status?):
                "\(message.isEmpty ? "empty" : "decision") \(status)"
            case .message(let message, nil): "\(message)"
            case .refusal: "refusal"
            case .failure(let status, let text): "\(status): \(text)"
            }
        return (text, evaluated)
    }

    @Test(arguments: [
        (GatewayCall.health, [0, 0, 0, 0, 0], true, "[8, 1]"),
        (.health, [0, 0, 0, 0, 0], false, "[8, 2]"),
        (.health, [0, 0, 0], true, "invalidArgument: The content is not a single gRPC message."),
        (.check, [1, 0, 0, 0, 0], true, "unimplemented: Compressed messages are not supported."),
        (
            .check, [0, 0, 0, 0, 1, 0xFF], true,
            "invalidArgument: The message is not a valid CheckRequest."
        ),
        (.check, check("GET", "/orders", version: "3.1"), true, "decision 200"),
        (.check, check("GET", "/orders", version: "1.9"), true, "decision 426"),
        (.check, check("GET", "/or ders", version: "1.9"), true, "refusal"),
    ])
    func `each call has a reply`(
        call: GatewayCall,
        content: [UInt8],
        isReady: Bool,
        expected: String
    ) throws {
        #expect(try Self.reply(to: call, content, isReady: isReady).reply == expected)
    }

    @Test func `the client's own request is evaluated, once`() throws {
        let content = Self.check("PUT", "/orders?a=b", version: "1.9")
        #expect(try Self.reply(to: .check, content).evaluated == ["PUT /orders?a=b"])
        #expect(try Self.reply(to: .health, [0, 0, 0, 0, 0]).evaluated == [])
    }
}
