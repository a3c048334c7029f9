import GatePolicy

/// The access log's fields for a client and the decision on it, worked out once for all requests of
/// the same identity.
enum AccessLogFields {
    /// Bytes of each value.
    private static let longest = 256
    /// Bytes of a field besides its value, at most.
    private static let fieldRoom = 16

    /// The fields of a line; `nil` for what was not looked at.
    static func rendered(
        _ identity: ClientIdentity?,
        _ decision: Decision?,
        as format: AccessLogFormat
    ) -> [UInt8] {
        self.rendered(identity, before: self.rendered(decision, as: format), as: format)
    }

    /// The fields for a client, and behind them those for the decision on it.
    static func rendered(
        _ identity: ClientIdentity?,
        before decision: [UInt8],
        as format: AccessLogFormat
    ) -> [UInt8] {
        let app = identity?.app.logText
        let platform = identity?.platform.logText
        let version = identity?.version.logText
        let build = identity?.build.logText
        let room =
            self.room(for: app) + self.room(for: platform) + self.room(for: version)
            + self.room(for: build) + decision.count
        return [UInt8](logAtMost: room) { line in
            self.write(app, " app=\"", ",\"app\":\"", as: format, into: &line)
            self.write(platform, " platform=\"", ",\"platform\":\"", as: format, into: &line)
            self.write(version, " version=\"", ",\"version\":\"", as: format, into: &line)
            self.write(build, " build=\"", ",\"build\":\"", as: format, into: &line)
            line.writeBytes(decision.span)
        }
    }

    /// The fields for a decision, which stand behind those for the client.
    static func rendered(_ decision: Decision?, as format: AccessLogFormat) -> [UInt8] {
        let kind = decision?.kind.rawValue
        let rule = decision?.ruleID
        let ids = decision?.observed.map { $0.ruleID ?? "unidentified" } ?? []
        let observed = ids.isEmpty ? nil : ids.joined(separator: ",")
        let room = self.room(for: kind) + self.room(for: rule) + self.room(for: observed)
        return [UInt8](logAtMost: room) { line in
            self.write(kind, " decision=\"", ",\"decision\":\"", as: format, into: &line)
            self.write(rule, " rule=\"", ",\"rule\":\"", as: format, into: &line)
            self.write(observed, " observed=\"", ",\"observed\":\"", as: format, into: &line)
        }
    }

    private static func room(for value: String?) -> Int {
        self.fieldRoom + LogValue.room(for: value?.utf8.count ?? 1, atMost: self.longest)
    }

    /// `text`, `member`: how the field begins in a line of text, and in an object.
    private static func write(
        _ value: String?,
        _ text: StaticString,
        _ member: StaticString,
        as format: AccessLogFormat,
        into line: inout LogCursor
    ) {
        if format == .json, value == nil { return }
        line.writeStaticString(format == .json ? member : text)
        if let bytes = value?.utf8 {
            LogValue.write(bytes.span, as: format, atMost: self.longest, into: &line)
        } else {
            line.writeStaticString("-")
        }
        line.writeStaticString("\"")
    }
}

extension Claim where Value: CustomStringConvertible {
    /// The client's statement, behind a question mark if it cannot be read.
    fileprivate var logText: String? {
        switch self {
        case .missing: nil
        case .unreadable(let text): "?" + text
        case .stated(let value): value.description
        }
    }
}
