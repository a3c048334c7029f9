/// The parts of a client's identity that a request can carry.
package enum IdentityPart: Int, Sendable, CaseIterable {
    case app, platform, version, build, channel, osVersion, device, languages, country,
        storefront
}

/// The headers and patterns that the parts of a client's identity are read from.
package struct IdentitySources: Sendable, Equatable {
    /// Header field names by part, lower case.
    ///
    /// All names of a part speak for it: where two of them disagree, the part is unreadable.
    package var headers: [IdentityPart: [String]]
    /// Patterns for apps that never sent a header; tried in order when no version header is there.
    package var userAgents: [UserAgentPattern]
    /// Query parameters for WebSocket handshakes of browsers, which can set no header; lower case.
    package var query: [IdentityPart: String]

    /// `X-App-Id`, `X-App-Platform`, `X-App-Version`, `X-App-Build`, `X-App-Channel`,
    /// `X-OS-Version`, `X-Device-Id`, `Accept-Language` and `X-App-Storefront`; no pattern, no query
    /// parameter.
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
