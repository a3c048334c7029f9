import GatePolicy

/// The client in a log line.
enum LoggedClient {
    /// Its fields, worked out once for all of its requests.
    case rendered([UInt8])
    /// Its words stand in the header section as they stand in a log line, at these places.
    case plain(ClientClasses.PlainClient)
}

/// The access log's fields for a client and for the decision on it; those for the decision stand
/// behind the others.
enum AccessLogFields {
    /// Bytes of each value.
    private static let longest = 256
    /// Bytes of a field besides its value, at most.
    private static let fieldRoom = 16

    /// The fields for a client; `nil` for one that was not looked at.
    static func rendered(client: ClientIdentity?, as format: AccessLogFormat) -> [UInt8] {
        let app = client?.app.logText
        let platform = client?.platform.logText
        let version = client?.version.logText
        let build = client?.build.logText
        let room =
            self.room(for: app) + self.room(for: platform) + self.room(for: version)
            + self.room(for: build)
        return [UInt8](logAtMost: room) { line in
            self.write(app, " app=\"", ",\"app\":\"", as: format, into: &line)
            self.write(platform, " platform=\"", ",\"platform\":\"", as: format, into: &line)
            self.write(version, " version=\"", ",\"version\":\"", as: format, into: &line)
            self.write(build, " build=\"", ",\"build\":\"", as: format, into: &line)
        }
    }

    /// Bytes that the fields for a client can be at most.
    static func room(for client: LoggedClient) -> Int {
        switch client {
        case .rendered(let fields): fields.count
        case .plain(let client): 4 * self.fieldRoom + client.count
        }
    }

    /// Writes the fields for a client.
    ///
    /// `section`: the header section of the request.
    static func write(
        _ client: LoggedClient,
        in section: Span<UInt8>,
        as format: AccessLogFormat,
        into line: inout LogCursor
    ) {
        switch client {
        case .rendered(let fields): line.writeBytes(fields.span)
        case .plain(let client): self.write(client, in: section, as: format, into: &line)
        }
    }

    private static func write(
        _ client: ClientClasses.PlainClient,
        in section: Span<UInt8>,
        as format: AccessLogFormat,
        into line: inout LogCursor
    ) {
        func write(_ place: Range<Int>?, _ text: StaticString, _ member: StaticString) {
            if format == .json, place == nil { return }
            line.writeStaticString(format == .json ? member : text)
            if let place {
                line.writeBytes(section.extracting(place))
            } else {
                line.writeStaticString("-")
            }
            line.writeStaticString("\"")
        }
        write(client.app, " app=\"", ",\"app\":\"")
        write(client.platform, " platform=\"", ",\"platform\":\"")
        write(client.version, " version=\"", ",\"version\":\"")
        write(client.build, " build=\"", ",\"build\":\"")
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
