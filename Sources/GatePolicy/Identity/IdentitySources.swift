/// The parts of a client identity that a request can contain.
package enum IdentityPart: Int, Sendable, CaseIterable {
    case app, platform, version, build, channel, osVersion, device, languages, country,
        storefront
}

/// The header fields, query parameters and patterns from which the client identity is read.
package struct IdentitySources: Sendable, Equatable {
    /// The lower-case header field names, by part.
    ///
    /// All fields of a part are read. If their values differ, the part is unparsable.
    package var headers: [IdentityPart: [String]]
    /// The `User-Agent` patterns, for apps that have never sent an identity header.
    ///
    /// The patterns are tried in order if neither the headers nor the query contain a version.
    package var userAgents: [UserAgentPattern]
    /// The lower-case query parameter names, by part.
    ///
    /// The parameters exist for WebSocket handshakes in browsers, where web apps cannot set
    /// headers.
    package var query: [IdentityPart: String]

    /// The default header fields, without patterns or query parameters.
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
