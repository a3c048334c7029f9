package import GatePolicy

/// A decision for Envoy, as a `CheckResponse` (envoy/service/auth/v3/external_auth.proto).
package struct EnvoyCheckResponse {
    /// The codes of `google.rpc.Status`.
    private enum Code {
        static let permissionDenied = 7
    }

    /// `HeaderValueOption.HeaderAppendAction`: the default would add a second line to an existing field.
    private static let overwriteIfExistsOrAdd = 2

    /// The encoded message.
    package let bytes: [UInt8]

    /// Creates the response that allows a request.
    ///
    /// - Parameters:
    ///   - fields: The fields to set in the request to the backend.
    ///   - removed: The names of the fields to remove from the request.
    ///   - responseFields: The fields to set in the backend's response.
    ///   - metadata: The texts for Envoy's access log, by name, under `envoy.filters.http.ext_authz`.
    package init(
        allowedWith fields: [HeaderField],
        removing removed: [String],
        responseFields: [HeaderField],
        metadata: [(name: String, value: String)]
    ) {
        var allowed = ProtobufMessage()
        for field in fields { allowed.add(2, Self.option(field)) }
        for name in removed { allowed.add(5, name) }
        for field in responseFields { allowed.add(6, Self.option(field)) }
        var response = ProtobufMessage()
        response.add(1, ProtobufMessage())
        response.add(3, allowed)
        response.add(4, Self.structure(metadata))
        self.bytes = response.bytes
    }

    /// Creates the response that denies a request: what Envoy sends to the client.
    ///
    /// `lines`: the header fields of the denial, each as `Name: value` and CR LF.
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
        let text = lines.span
        var start = 0
        while let end = text.position(of: ASCII.lineFeed, from: start) {
            if let colon = text.position(of: ASCII.colon, from: start), colon < end {
                let option = Self.option(
                    text.extracting(start..<colon),
                    text.extracting(colon + 2..<end - 1)
                )
                denied.add(2, option)
            }
            start = end + 1
        }
        if !body.isEmpty { denied.add(3, body) }
        var rpcStatus = ProtobufMessage()
        rpcStatus.add(1, Code.permissionDenied)
        var response = ProtobufMessage()
        response.add(1, rpcStatus)
        response.add(2, denied)
        if !metadata.isEmpty { response.add(4, Self.structure(metadata)) }
        self.bytes = response.bytes
    }

    /// Returns a `HeaderValueOption` that replaces the lines of a field.
    private static func option(_ field: HeaderField) -> ProtobufMessage {
        var value = ProtobufMessage()
        value.add(1, field.name)
        value.add(2, field.value)
        var option = ProtobufMessage()
        option.add(1, value)
        option.add(3, Self.overwriteIfExistsOrAdd)
        return option
    }

    private static func option(_ name: Span<UInt8>, _ text: Span<UInt8>) -> ProtobufMessage {
        var value = ProtobufMessage()
        value.add(1, name)
        value.add(2, text)
        var option = ProtobufMessage()
        option.add(1, value)
        option.add(3, Self.overwriteIfExistsOrAdd)
        return option
    }

    /// Returns a `google.protobuf.Struct` of strings.
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
