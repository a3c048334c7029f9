import GatePolicy

/// A decision for Envoy, as a `CheckResponse` (envoy/service/auth/v3/external_auth.proto).
package struct EnvoyCheckResponse {
    /// The `google.rpc.Status` code `PERMISSION_DENIED`.
    private static let permissionDenied = 7

    /// The `HeaderAppendAction` that replaces a field or adds it; the default would add a second line.
    private static let overwriteIfExistsOrAdd = 2

    /// The encoded `CheckResponse`.
    package let bytes: [UInt8]

    /// Creates a response that allows a request.
    ///
    /// Field lines have the form `Name: value` and end with CR LF.
    ///
    /// - Parameters:
    ///   - lines: The field lines to set in the request to the backend.
    ///   - removed: The names of the fields to remove from the request.
    ///   - responseLines: The field lines to set in the backend's response.
    ///   - metadata: The names and values for Envoy's access log, under `envoy.filters.http.ext_authz`.
    package init(
        allowedWith lines: [UInt8],
        removing removed: [String],
        responseLines: [UInt8],
        metadata: [(name: String, value: String)]
    ) {
        var allowed = ProtobufMessage()
        Self.add(lines, to: &allowed, field: 2)
        for name in removed { allowed.add(5, name) }
        Self.add(responseLines, to: &allowed, field: 6)
        var response = ProtobufMessage()
        response.add(1, ProtobufMessage())
        response.add(3, allowed)
        response.add(4, Self.structure(metadata))
        self.bytes = response.bytes
    }

    /// Creates a response that denies a request, with the denial that Envoy sends to the client.
    ///
    /// `lines` contains the field lines of the denial. A body that is not valid UTF-8 is omitted:
    /// `body` is a string field, so Envoy could not decode the response, and might then allow the
    /// request.
    package init(
        deniedWith status: Int,
        lines: [UInt8],
        body: [UInt8],
        metadata: [(name: String, value: String)]
    ) {
        var code = ProtobufMessage()
        code.add(1, status)
        var denied = ProtobufMessage()
        denied.add(1, code)
        Self.add(lines, to: &denied, field: 2)
        let isText = (try? UTF8Span(validating: body.span)) != nil
        if !body.isEmpty, isText { denied.add(3, body) }
        var rpcStatus = ProtobufMessage()
        rpcStatus.add(1, Self.permissionDenied)
        var response = ProtobufMessage()
        response.add(1, rpcStatus)
        response.add(2, denied)
        if !metadata.isEmpty { response.add(4, Self.structure(metadata)) }
        self.bytes = response.bytes
    }

    /// Adds a `HeaderValueOption` for each field line, to replace existing lines of the same name.
    private static func add(_ lines: [UInt8], to message: inout ProtobufMessage, field: Int) {
        let bytes = lines.span
        var options: [ProtobufMessage] = []
        bytes.forEachFieldLine { line in
            var value = ProtobufMessage()
            value.add(1, bytes.extracting(line.start..<line.nameEnd))
            value.add(2, bytes.extracting(line.value))
            var option = ProtobufMessage()
            option.add(1, value)
            option.add(3, Self.overwriteIfExistsOrAdd)
            options.append(option)
        }
        for option in options { message.add(field, option) }
    }

    /// Returns a `google.protobuf.Struct` whose values are strings.
    private static func structure(_ members: [(name: String, value: String)]) -> ProtobufMessage {
        var structure = ProtobufMessage()
        for member in members {
            var value = ProtobufMessage()
            value.add(3, member.value)
            var entry = ProtobufMessage()
            entry.add(1, member.name)
            entry.add(2, value)
            structure.add(1, entry)
        }
        return structure
    }
}
