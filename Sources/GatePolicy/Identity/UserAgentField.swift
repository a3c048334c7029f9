/// The parts of an identity that a User-Agent pattern can read, by the names of its groups.
package enum UserAgentField: String, Sendable, CaseIterable {
    case app, platform, version, build, channel, osVersion

    var part: IdentityPart {
        switch self {
        case .app: .app
        case .platform: .platform
        case .version: .version
        case .build: .build
        case .channel: .channel
        case .osVersion: .osVersion
        }
    }
}
