import Foundation
import GateRules
import Testing

@testable import GateFeeds

/// The conversion of etcd messages to files.
@Suite(.ownThread)
struct EtcdStateTests {
    private static let prefix = EtcdSelection.prefix("/gate/")

    private static func encoded(_ text: String) -> String {
        Data(text.utf8).base64EncodedString()
    }

    private static func pair(_ key: String, _ value: String) -> String {
        #"{"key":"\#(encoded(key))","mod_revision":"7","value":"\#(encoded(value))"}"#
    }

    private static func range(_ pairs: String..., revision: Int = 9) -> String {
        let list = pairs.isEmpty ? "" : #","kvs":[\#(pairs.joined(separator: ","))]"#
        let count = pairs.isEmpty ? "" : #","count":"\#(pairs.count)""#
        return #"{"header":{"cluster_id":"1","revision":"\#(revision)"}\#(list)\#(count)}"#
    }

    private static func events(_ events: String..., revision: Int = 10) -> String {
        let list = events.joined(separator: ",")
        return #"{"result":{"header":{"revision":"\#(revision)"},"events":[\#(list)]}}"#
    }

    private func state(
        _ range: String,
        _ selection: EtcdSelection = Self.prefix
    ) throws -> EtcdState {
        try EtcdState(selection, range: try JSONParser.parse(Array(range.utf8)))
    }

    private func files(_ state: EtcdState) -> [String: String]? {
        guard case .value(let value) = state.answer else { return nil }
        return Dictionary(uniqueKeysWithValues: value.files.map { ($0.name ?? "", $0.text) })
    }

    private func receive(_ text: String, _ state: inout EtcdState) throws -> EtcdState.Action {
        try state.receive(try JSONParser.parse(Array(text.utf8)))
    }

    @Test func `keys with the prefix are files in the order of the keys`() throws {
        let state = try self.state(
            Self.range(Self.pair("/gate/b", "B"), Self.pair("/gate/a", "A"))
        )
        #expect(state.revision == 9)
        guard case .value(let value) = state.answer else {
            Issue.record("\(state.answer)")
            return
        }
        #expect(value.files.map(\.name) == ["a", "b"])
        #expect(value.files.map(\.text) == ["A", "B"])
    }

    @Test func `a single key is a file without a name`() throws {
        let range = Self.range(Self.pair("/rules", "rules: []"))
        let state = try self.state(range, .key("/rules"))
        #expect(state.answer == .value(FeedValue(document: "rules: []")))
    }

    @Test func `a watch puts and deletes keys`() throws {
        var state = try self.state(Self.range(Self.pair("/gate/a", "A")))
        let put = #"{"kv":\#(Self.pair("/gate/b", "B"))}"#
        #expect(try self.receive(Self.events(put), &state) == .show)
        #expect(self.files(state) == ["a": "A", "b": "B"])
        #expect(state.revision == 10)
        let delete = #"{"type":"DELETE","kv":{"key":"\#(Self.encoded("/gate/a"))"}}"#
        let change = #"{"kv":\#(Self.pair("/gate/b", "C"))}"#
        #expect(try self.receive(Self.events(delete, change, revision: 12), &state) == .show)
        #expect(self.files(state) == ["b": "C"])
        #expect(state.revision == 12)
    }

    @Test(arguments: [
        #"{"result":{"header":{"revision":"9"},"created":true}}"#,
        #"{"result":{"header":{"revision":"11"}}}"#,
        Self.events(#"{"kv":\#(Self.pair("/gate/a", "A"))}"#),
    ])
    func `a message without a change is ignored`(message: String) throws {
        var state = try self.state(Self.range(Self.pair("/gate/a", "A")))
        #expect(try self.receive(message, &state) == .wait)
        #expect(self.files(state) == ["a": "A"])
    }

    @Test func `after a compaction the range is read again`() throws {
        var state = try self.state(Self.range())
        let message = #"{"result":{"header":{},"canceled":true,"compact_revision":"4"}}"#
        #expect(try self.receive(message, &state) == .askAgain)
    }

    @Test(arguments: [
        (#"{"result":{"canceled":true,"cancel_reason":"gone"}}"#, "etcd ended the watch: gone"),
        (#"{"result":{"canceled":true}}"#, "etcd ended the watch: no reason given"),
        (#"{"error":{"http_code":503,"message":"no leader"}}"#, "etcd ended the watch: no leader"),
        (#"{"error":"no"}"#, "etcd ended the watch: no"), ("{}", "has no 'result'"),
        (#"{"result":{"events":[{}]}}"#, "events[0].kv is missing"),
        (#"{"result":{"events":[{"kv":{}}]}}"#, "events[0].kv.key is missing"),
        (#"{"result":{"events":[{"kv":{"key":"?"}}]}}"#, "events[0].kv.key is not valid base64"),
        (
            #"{"result":{"events":[{"kv":{"key":"YQ==","value":7}}]}}"#,
            "events[0].kv.value is not valid base64"
        ),
    ])
    func `a message that ends the watch is an error with its reason`(
        message: String,
        reason: String
    ) throws {
        var state = try self.state(Self.range())
        let failure = #expect(throws: FeedFailure.self) { try self.receive(message, &state) }
        #expect(failure?.description.contains(reason) == true, "\(failure?.description ?? "")")
    }

    @Test(arguments: [
        ("{}", "header.revision is missing"), ("[]", "header.revision is missing"),
        (#"{"header":{"revision":"x"}}"#, "header.revision is missing"),
        (#"{"header":{"revision":"2"},"kvs":[{"value":"YQ=="}]}"#, "kvs[0].key is missing"),
        (#"{"header":{"revision":"2"},"count":"1001"}"#, "the prefix has 1001 keys; at most 1000"),
    ])
    func `an invalid range is rejected with its location`(range: String, reason: String) {
        let failure = #expect(throws: FeedFailure.self) { try self.state(range) }
        #expect(failure?.description.contains(reason) == true, "\(failure?.description ?? "")")
    }

    @Test func `a missing key or invalid text is an error`() throws {
        let large = String(repeating: "a", count: RulesSource.maximumSize)
        for (range, reason) in [
            (Self.range(), "there is no key /gate/*"),
            (
                #"{"header":{"revision":"2"},"kvs":[{"key":"YQ==","value":"//8="}]}"#,
                "the value of a is not valid UTF-8"
            ),
            (#"{"header":{"revision":"2"},"kvs":[{"key":"/w=="}]}"#, "or a control character"),
            (Self.range(Self.pair("/gate/\n", "A")), "or a control character"),
            (
                Self.range(Self.pair("/gate/a", large), Self.pair("/gate/b", "b")),
                "exceed 4194304 bytes"
            ),
        ] {
            guard case .nonsense(let failure) = try self.state(range).answer else {
                Issue.record("a value: \(reason)")
                continue
            }
            #expect(failure.description.contains(reason))
        }
    }

    @Test func `an empty value is an empty file`() throws {
        let state = try self.state(#"{"header":{"revision":"2"},"kvs":[{"key":"YQ=="}]}"#)
        #expect(self.files(state) == ["a": ""])
    }

    @Test func `the end of a prefix is the next key without it`() {
        let members = EtcdSelection.prefix("/gate/").members
        #expect(members.map(\.value) == ["L2dhdGUv", "L2dhdGUw"].map { .text($0) })
        #expect(EtcdSelection.key("/gate").members.map(\.name) == ["key"])
    }
}
