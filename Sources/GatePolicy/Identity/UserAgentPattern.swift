/// A pattern that reads the identity from the `User-Agent`, for apps that have never sent an
/// identity header.
///
/// The pattern is a regular expression with named groups for the parts, such as
/// `^Shop/(?<version>[\d.]+) \((?<platform>iOS|Android)`. It matches anywhere in the `User-Agent`
/// unless it is anchored, and always in linear time.
package struct UserAgentPattern: Sendable, Equatable, CustomStringConvertible {
    /// The maximum length of a `User-Agent`, in bytes.
    ///
    /// A longer value is ignored instead of truncated, because truncation could change the version
    /// that the value contains.
    static let maximumLength = 512

    /// The pattern as written.
    package let description: String
    private let program: PatternProgram

    package init(parsing text: String) throws(PatternError) {
        self.description = text
        self.program = try PatternProgram(try PatternParser.parse(text, readsParts: true))
    }

    /// Returns the values that the pattern captures from a `User-Agent`.
    ///
    /// Returns `nil` if the pattern does not match.
    package func match(_ userAgent: String) -> [UserAgentField: String]? {
        guard userAgent.utf8.count <= Self.maximumLength,
            let match = PatternMatch(of: self.program, in: Array(userAgent.utf8))
        else { return nil }
        var values: [UserAgentField: String] = [:]
        for field in UserAgentField.allCases {
            values[field] = match[field]
        }
        return values
    }
}

/// The parts of an identity that a `User-Agent` pattern can capture.
///
/// The raw values are the group names.
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
