/// What a client of a class says, where others of it say something else.
extension ClientClasses {
    /// The version in a line that has told of a class, as it is described; `nil` if it cannot be
    /// read.
    package static func versionText(_ line: Span<UInt8>) -> String? {
        if let text = AppVersion.description(ofPlain: line) { return text }
        return VersionStatement(line: line).version.value?.description
    }

    /// The fields that the backend is told of a client with a class, in the order of
    /// `UpstreamIdentity`: what its version line alone states.
    package func added(for told: Told, inVersion line: Span<UInt8>) -> [HeaderField] {
        guard told.isAdded else { return [] }
        if told.hasVersions {
            guard let name = self.versionField, let value = Self.forwardedVersion(line) else {
                return []
            }
            return [HeaderField(name: name, value: value)]
        }
        let value = line.extracting(line.withoutBlanks(0..<line.count))
        let (platform, rest) = VersionStatement.places(in: value)
        let text = value.extracting(rest)
        var fields: [HeaderField] = []
        if told.isAdded(.platform), let name = self.platformField, let platform {
            let platform = Platform(value.extracting(platform))
            fields.append(HeaderField(name: name, value: platform.name))
        }
        if told.isAdded(.build), let name = self.buildField,
            let digits = try? VersionAndBuild.places(in: text).build,
            let build = DecimalNumber(digits: text.extracting(digits))?.integer
        {
            fields.append(HeaderField(name: name, value: String(build)))
        }
        return fields
    }

    /// Of several versions, the one that the backend is told: see `IdentityReader`.
    private static func forwardedVersion(_ line: Span<UInt8>) -> String? {
        guard let list = VersionList(line) else { return nil }
        if let lowest = list.lowest {
            return try? AppVersion(line.extracting(lowest)).description
        }
        return list.first.map { line.extracting($0).text }
    }

    /// Adds to the identity of a client with a class what a line states of its app, platform,
    /// version and build.
    package static func read(
        _ part: IdentityPart,
        _ line: Span<UInt8>,
        into identity: inout ClientIdentity
    ) {
        let isTooMuch = line.count > IdentityLimits.lineLength
        let value = line.extracting(line.withoutBlanks(0..<line.count))
        switch part {
        case .app: identity.app = isTooMuch ? .tooMuch : StatedValue.name(value)
        case .platform:
            identity.platform.merge(isTooMuch ? .tooMuch : StatedValue.platform(value))
        case .version:
            let statement = VersionStatement(line: line)
            identity.version = statement.version
            identity.platform.merge(statement.platform)
            identity.build.merge(statement.build)
        case .build: identity.build.merge(isTooMuch ? .tooMuch : StatedValue.build(value))
        case .channel, .osVersion, .device, .languages, .country, .storefront: break
        }
    }
}
