private import FoundationEssentials
internal import GateRules

/// The selected keys and values, from a range response and subsequent watch messages.
///
/// https://etcd.io/docs/v3.4/dev-guide/api_grpc_gateway: bytes are base64-encoded, 64-bit numbers
/// are strings, and zero or empty values are omitted.
struct EtcdState: Equatable {
    /// The reaction to a watch message.
    enum Action: Equatable {
        /// Nothing has changed.
        case wait
        case show
        /// The watch's start revision has been compacted.
        case askAgain
    }

    private let selection: EtcdSelection
    /// The revision of the etcd store that this state corresponds to.
    private(set) var revision: Int64
    /// The values by key; etcd sorts keys by their bytes.
    private var values: [[UInt8]: [UInt8]] = [:]

    /// Decodes a range response.
    init(_ selection: EtcdSelection, range: JSONValue) throws(FeedFailure) {
        guard let revision = range["header"]?["revision"]?.number else {
            throw .content("the response is not an etcd range: header.revision is missing")
        }
        self.selection = selection
        self.revision = revision
        if let count = range["count"]?.number, count > EtcdSelection.maximumKeys {
            throw .content(
                "the prefix has \(count) keys; at most \(EtcdSelection.maximumKeys) are allowed"
            )
        }
        for (index, pair) in (range["kvs"]?.items ?? []).enumerated() {
            try self.put(pair, "kvs[\(index)]")
        }
    }

    /// Applies a watch message.
    mutating func receive(_ message: JSONValue) throws(FeedFailure) -> Action {
        if let error = message["error"] {
            throw .content("etcd ended the watch: \(Self.words(of: error))")
        }
        guard let result = message["result"] else {
            throw .content("a watch message has no 'result'")
        }
        if result["compact_revision"]?.number ?? 0 > 0 { return .askAgain }
        if result["canceled"] == .boolean(true) {
            let reason = result["cancel_reason"]?.text ?? "no reason given"
            throw .content("etcd ended the watch: \(reason)")
        }
        let before = self.values
        for (index, event) in (result["events"]?.items ?? []).enumerated() {
            let place = "events[\(index)].kv"
            guard let pair = event["kv"] else { throw .content("\(place) is missing") }
            if event["type"]?.text == "DELETE" {
                self.values[try Self.bytes(of: "key", in: pair, place)] = nil
            } else {
                try self.put(pair, place)
            }
        }
        self.revision = max(self.revision, result["header"]?["revision"]?.number ?? 0)
        return self.values == before ? .wait : .show
    }

    /// The rules files, or the reason why the state contains none.
    var answer: FeedResult {
        do throws(FeedFailure) {
            return .value(FeedValue(files: try self.files()))
        } catch {
            return .nonsense(error)
        }
    }

    private func files() throws(FeedFailure) -> [FeedValue.File] {
        guard !self.values.isEmpty else {
            throw .content("there is no key \(self.selection)")
        }
        guard self.values.values.reduce(0, { $0 + $1.count }) <= RulesSource.maximumSize else {
            throw .content("the values exceed \(RulesSource.maximumSize) bytes in total")
        }
        var files: [FeedValue.File] = []
        for (key, value) in self.values.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
            guard let name = String(validating: key, as: UTF8.self),
                !name.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
            else {
                throw .content(
                    "a key of \(self.selection) contains invalid UTF-8 or a control character"
                )
            }
            guard let text = String(validating: value, as: UTF8.self) else {
                throw .content("the value of \(name) is not valid UTF-8")
            }
            files.append(FeedValue.File(name: self.selection.name(of: name), text: text))
        }
        return files
    }

    private mutating func put(_ pair: JSONValue, _ place: String) throws(FeedFailure) {
        let key = try Self.bytes(of: "key", in: pair, place)
        self.values[key] = try Self.bytes(of: "value", in: pair, place)
    }

    /// Decodes a base64 member; returns no bytes for a missing `value`, because the gateway omits
    /// empty values.
    private static func bytes(
        of name: String,
        in pair: JSONValue,
        _ place: String
    ) throws(FeedFailure) -> [UInt8] {
        guard let member = pair[name] else {
            if name == "value" { return [] }
            throw .content("\(place).\(name) is missing")
        }
        guard let text = member.text, let data = Data(base64Encoded: text) else {
            throw .content("\(place).\(name) is not valid base64")
        }
        return Array(data)
    }

    /// Returns etcd's error message, which is a string or an object with a message.
    static func words(of error: JSONValue) -> String {
        String((error.text ?? error["message"]?.text ?? "no reason given").prefix(200))
    }
}

extension JSONValue {
    /// The value of a 64-bit number, which the gateway encodes as a string.
    fileprivate var number: Int64? { self.digits.flatMap { Int64($0) } }
}
