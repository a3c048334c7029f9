import GatePolicy

/// The access log fields for a client, and for the decision about its request.
enum AccessLogFields {
    /// The maximum length of a value in bytes, before escaping.
    private static let longest = 256
    /// The maximum length of a field in bytes, without its value.
    private static let fieldRoom = 28

    /// Returns the rendered fields for `client`, which is `nil` if no client was identified.
    static func rendered(client: ClientIdentity?, as format: AccessLogFormat) -> [UInt8] {
        let app = client?.app.logText
        let platform = client?.platform.logText
        let version = client?.version.logText
        let build = client?.build.logText
        let room =
            self.room(for: app) + self.room(for: platform) + self.room(for: version)
            + self.room(for: build)
        return [UInt8](logAtMost: room) { line in
            self.write(app, "app", as: format, into: &line)
            self.write(platform, "platform", as: format, into: &line)
            self.write(version, "version", as: format, into: &line)
            self.write(build, "build", as: format, into: &line)
        }
    }

    /// The maximum length, in bytes, of the fields for a client whose values are copied from the request.
    static let plainRoom = 4 * Self.fieldRoom + ClientClasses.StatedPlaces.longest

    /// Writes the fields for a client, whose values are copied from `bytes`.
    static func write(
        _ client: ClientClasses.StatedPlaces,
        in bytes: Span<UInt8>,
        as format: AccessLogFormat,
        into line: inout LogCursor
    ) {
        switch format {
        case .common, .combined:
            // Each string contains the end of one field and the start of the next, to reduce the
            // number of writes.
            line.writeStaticString(" app=\"")
            self.write(client.app, orNoneIn: bytes, into: &line)
            line.writeStaticString("\" platform=\"")
            self.write(client.platform, orNoneIn: bytes, into: &line)
            line.writeStaticString("\" version=\"")
            self.write(client.version, orNoneIn: bytes, into: &line)
            line.writeStaticString("\" build=\"")
            self.write(client.build, orNoneIn: bytes, into: &line)
            line.writeStaticString("\"")
        case .json:
            self.write(client.app, ",\"app\":\"", in: bytes, into: &line)
            self.write(client.platform, ",\"platform\":\"", in: bytes, into: &line)
            self.write(client.version, ",\"version\":\"", in: bytes, into: &line)
            self.write(client.build, ",\"build\":\"", in: bytes, into: &line)
        case .otel:
            self.write(client.app, ",\"versiongate.app\":\"", in: bytes, into: &line)
            self.write(client.platform, ",\"versiongate.platform\":\"", in: bytes, into: &line)
            self.write(client.version, ",\"versiongate.version\":\"", in: bytes, into: &line)
            self.write(client.build, ",\"versiongate.build\":\"", in: bytes, into: &line)
        }
    }

    private static func write(
        _ place: Range<Int>,
        orNoneIn bytes: Span<UInt8>,
        into line: inout LogCursor
    ) {
        if place.isEmpty {
            line.writeStaticString("-")
        } else {
            line.writeBytes(bytes.extracting(place))
        }
    }

    private static func write(
        _ place: Range<Int>,
        _ name: StaticString,
        in bytes: Span<UInt8>,
        into line: inout LogCursor
    ) {
        guard !place.isEmpty else { return }
        line.writeStaticString(name)
        line.writeBytes(bytes.extracting(place))
        line.writeStaticString("\"")
    }

    /// Returns the rendered fields for a decision, which follow the fields for the client.
    static func rendered(_ decision: Decision?, as format: AccessLogFormat) -> [UInt8] {
        let kind = decision?.name
        let rule = decision?.ruleID
        let observed = decision?.observedRules
        let route = decision?.route.map { "\($0.ruleID):\($0.backend)" }
        let pass = decision?.passID?.description
        let room =
            self.room(for: kind) + self.room(for: rule) + self.room(for: observed)
            + self.room(for: route) + self.room(for: pass)
        return [UInt8](logAtMost: room) { line in
            self.write(kind, "decision", as: format, into: &line)
            self.write(rule, "rule", as: format, into: &line)
            self.write(observed, "observed", as: format, into: &line)
            // Without a route or a pass, lines have the same format as before these fields were introduced.
            if route != nil {
                self.write(route, "route", as: format, into: &line)
            }
            if pass != nil {
                self.write(pass, "pass", as: format, into: &line)
            }
        }
    }

    private static func room(for value: String?) -> Int {
        self.fieldRoom + LogValue.room(for: value?.utf8.count ?? 1, atMost: self.longest)
    }

    private static func write(
        _ value: String?,
        _ name: StaticString,
        as format: AccessLogFormat,
        into line: inout LogCursor
    ) {
        if format.isJSON, value == nil { return }
        line.writeStaticString(format.isJSON ? ",\"" : " ")
        if format == .otel { line.writeStaticString("versiongate.") }
        line.writeStaticString(name)
        line.writeStaticString(format.isJSON ? "\":\"" : "=\"")
        if let bytes = value?.utf8 {
            LogValue.write(bytes.span, as: format, atMost: self.longest, into: &line)
        } else {
            line.writeStaticString("-")
        }
        line.writeStaticString("\"")
    }
}

extension Claim where Value: CustomStringConvertible {
    /// The value that the client sent, prefixed with `?` if it is unparsable; `nil` if the client sent none.
    fileprivate var logText: String? {
        switch self {
        case .missing: nil
        case .unreadable(let text): "?" + text
        case .stated(let value): value.description
        }
    }
}
