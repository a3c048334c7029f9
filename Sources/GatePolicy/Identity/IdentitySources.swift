/// The parts of a client identity that a request can contain.
package enum IdentityPart: Int, Sendable, CaseIterable {
    case app, platform, version, build, channel, osVersion, device, languages, country,
        storefront
}

/// The header fields, query parameters and patterns that the client identity is read from.
package struct IdentitySources: Sendable, Equatable {
    /// Header field names by part, in lower case.
    ///
    /// All names of a part are read; if their values differ, the part is unparsable.
    package var headers: [IdentityPart: [String]]
    /// Patterns for apps that never sent an identity header.
    ///
    /// The patterns are tried in order if neither the headers nor the query contain a version.
    package var userAgents: [UserAgentPattern]
    /// Query parameters by part, in lower case; for WebSocket handshakes from browsers, which
    /// cannot set headers.
    package var query: [IdentityPart: String]

    /// The default header fields, without patterns and query parameters.
    ///
    /// These are `X-App-Id`, `X-App-Platform`, `X-App-Version`, `X-App-Build`, `X-App-Channel`,
    /// `X-OS-Version`, `X-Device-Id`, `Accept-Language` and `X-App-Storefront`.
    package static let defaults = IdentitySources(
        headers: [
            .app: ["x-app-id"],
            .platform: ["x-app-platform"],
            .version: ["x-app-version"],
            .build: ["x-app-build"],
            .channel: ["x-app-channel"],
            .osVersion: ["x-os-version"],
            .device: ["x-device-id"],
            .languages: ["accept-language"],
            .storefront: ["x-app-storefront"],
        ]
    )

    package init(
        headers: [IdentityPart: [String]],
        userAgents: [UserAgentPattern] = [],
        query: [IdentityPart: String] = [:]
    ) {
        self.headers = headers
        self.userAgents = userAgents
        self.query = query
    }
}
