private import FoundationEssentials
internal import GateRules

/// The keys that rules files are kept under, as a range has shown them and a watch has changed them.
///
/// https://etcd.io/docs/v3.4/dev-guide/api_grpc_gateway: bytes are in base 64, 64-bit numbers are
/// texts, and what is zero or empty is left out.
struct EtcdState: Equatable {
    /// The reaction that a message of a watch asks for.
    enum Action: Equatable {
        /// Nothing has changed.
        case wait
        case show
        /// The revision that the watch should have begun with is no longer there (compaction).
        case askAgain
    }

    private let selection: EtcdSelection
    /// The revision of the store that this is.
    private(set) var revision: Int64
    /// By keys in the order of their bytes, as etcd has them.
    private var values: [[UInt8]: [UInt8]] = [:]

    /// Reads the answer to a range.
    init(_ selection: EtcdSelection, range: JSONValue) throws(FeedFailure) {
        guard let revision = range["header"]?["revision"]?.number else {
            throw .content("the answer is no range of etcd: it has no header.revision")
        }
        self.selection = selection
        self.revision = revision
        if let count = range["count"]?.number, count > EtcdSelection.maximumKeys {
            throw .content("there are \(count) keys; at most \(EtcdSelection.maximumKeys) are read")
        }
        for (index, pair) in (range["kvs"]?.items ?? []).enumerated() {
            try self.put(pair, "kvs[\(index)]")
        }
    }

    /// Takes the next message of a watch.
    mutating func receive(_ message: JSONValue) throws(FeedFailure) -> Action {
        if let error = message["error"] {
            throw .content("etcd ended the watch: \(Self.words(of: error))")
        }
        guard let result = message["result"] else {
            throw .content("a message of the watch has no 'result'")
        }
        if result["compact_revision"]?.number ?? 0 > 0 { return .askAgain }
        if result["canceled"] == .boolean(true) {
            throw .content("etcd ended the watch: \(result["cancel_reason"]?.text ?? "no reason")")
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

    /// The rules files, or why there are none.
    var answer: FeedAnswer {
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
            throw .content("the values are larger than \(RulesSource.maximumSize) bytes together")
        }
        var files: [FeedValue.File] = []
        for (key, value) in self.values.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
            guard let name = String(validating: key, as: UTF8.self),
                !name.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
            else { throw .content("a key of \(self.selection) is no text") }
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

    /// An empty value is left out; a key never is.
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
            throw .content("\(place).\(name) is not in base 64")
        }
        return Array(data)
    }

    /// The fault as etcd states it: a text, or an object with a message.
    static func words(of error: JSONValue) -> String {
        String((error.text ?? error["message"]?.text ?? "no reason").prefix(200))
    }
}

extension JSONValue {
    /// A 64-bit number, which the gateway writes as a text.
    fileprivate var number: Int64? {
        switch self {
        case .text(let digits), .number(let digits): Int64(digits)
        case .null, .boolean, .list, .object: nil
        }
    }
}
