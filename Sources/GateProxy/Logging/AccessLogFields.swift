import GatePolicy
import NIOCore

/// The access log's fields for a client and the decision on it, worked out once for all requests of
/// the same identity.
enum AccessLogFields {
    /// Bytes of each value.
    private static let longest = 256

    /// The fields of a line; `nil` for what was not looked at.
    static func rendered(
        _ identity: ClientIdentity?,
        _ decision: Decision?,
        as format: AccessLogFormat
    ) -> [UInt8] {
        let observed = decision?.observed.map { $0.ruleID ?? "unidentified" } ?? []
        let values: [(String, String?)] = [
            ("app", identity?.app.logText),
            ("platform", identity?.platform.logText),
            ("version", identity?.version.logText),
            ("build", identity?.build.logText),
            ("decision", decision?.kind.rawValue),
            ("rule", decision?.ruleID),
            ("observed", observed.isEmpty ? nil : observed.joined(separator: ",")),
        ]
        var line = ByteBuffer()
        for (name, value) in values {
            switch (format, value) {
            case (.json, nil):
                break
            case (.json, let value?):
                line.writeString(",\"\(name)\":\"")
                line.writeLog(value, as: format, atMost: self.longest)
                line.writeStaticString("\"")
            case (.common, _), (.combined, _):
                line.writeString(" \(name)=\"")
                line.writeLog(value ?? "-", as: format, atMost: self.longest)
                line.writeStaticString("\"")
            }
        }
        return Array(line.readableBytesView)
    }
}

extension Claim {
    /// The client's statement, behind a question mark if it cannot be read.
    fileprivate var logText: String? {
        switch self {
        case .missing: nil
        case .unreadable(let text): "?\(text)"
        case .stated(let value): "\(value)"
        }
    }
}
