/// The texts that one client of a class states, where others of it state something else.
extension ClientClasses {
    /// Hands over the version in a line that has told of a class, as it is described.
    ///
    /// - Returns: what was made of it; `nil` if it cannot be read.
    package static func withVersion<Result>(
        in line: Span<UInt8>,
        _ use: (Span<UInt8>) -> Result
    ) -> Result? {
        // With nothing in front of it or behind it, as most clients state it.
        if AppVersion.isPlain(line) { return use(line) }
        var stated = StatedPlaces()
        stated.version = line.withoutBlanks(0..<line.count)
        if stated.describe(in: line), !stated.version.isEmpty {
            return use(line.extracting(stated.version))
        }
        return VersionStatement(line: line, .known).version.value.map {
            use($0.description.utf8Span.span)
        }
    }

    /// The fields that the backend is told of a client with a class, in the order of
    /// `UpstreamIdentity`: what its version line alone states.
    ///
    /// `place`: where that line's value stands in `text`.
    package func fields(
        added told: Told,
        inVersion place: Range<Int>,
        of text: Span<UInt8>
    ) -> AddedFields? {
        // Nearly all clients have a field for each part.
        guard told.isAdded else { return nil }
        let line = text.extracting(place)
        var fields = AddedFields()
        if told.hasVersions {
            if let name = self.versionField, let value = Self.forwardedVersion(line) {
                fields.append(name, .text(value))
            }
            return fields
        }
        let stated = text.withoutBlanks(place)
        let value = text.extracting(stated)
        let places = VersionPlaces(in: value)
        if told.isAdded(.platform), let name = self.platformField, let platform = places.platform {
            let text = value.extracting(platform)
            fields.append(
                name,
                Platform.isName(text)
                    ? .place(platform.moved(by: stated.lowerBound)) : .text(Platform(text).name)
            )
        }
        if told.isAdded(.build), let name = self.buildField, let digits = places.build {
            let build = value.extracting(digits)
            if BuildNumber.isPlain(build) {
                fields.append(name, .place(digits.moved(by: stated.lowerBound)))
            } else if let build = BuildNumber.read(build) {
                fields.append(name, .text(build.description))
            }
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
    package func read(
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
            let statement = VersionStatement(line: line, self.platformNames)
            identity.version = statement.version
            identity.platform.merge(statement.platform)
            identity.build.merge(statement.build)
        case .build: identity.build.merge(isTooMuch ? .tooMuch : StatedValue.build(value))
        case .channel, .osVersion, .device, .languages, .country, .storefront: break
        }
    }

    /// The places in which a client states its app, platform, version and build.
    package struct StatedPlaces: Sendable {
        package var app = 0..<0
        package var platform = 0..<0
        package var version = 0..<0
        package var build = 0..<0

        package init() {}

        /// Bytes of all parts that are described, at most.
        package static let longest =
            StatedValue.maximumLength + IdentityLimits.lineLength + 8 + BuildNumber.maximumLength

        /// Goes from the values of the lines to the words in them that describe the client, if it writes
        /// all but its app as those are described: most clients do, and need not be read.
        ///
        /// - Returns: `false` if the client has to be read.
        package mutating func describe(in bytes: Span<UInt8>) -> Bool {
            guard self.app.count <= StatedValue.maximumLength,
                self.platform.isEmpty || Platform.isName(bytes.extracting(self.platform)),
                self.build.isEmpty || BuildNumber.isPlain(bytes.extracting(self.build)),
                self.version.count <= IdentityLimits.lineLength
            else { return false }
            let version = self.version
            return version.isEmpty
                || self.describe(version: bytes.extracting(version), at: version.lowerBound)
        }

        private mutating func describe(version value: Span<UInt8>, at start: Int) -> Bool {
            // With nothing in front of it or behind it, as most clients state it.
            if AppVersion.isPlain(value) {
                self.version = start..<start + value.count
                return true
            }
            let places = VersionPlaces(in: value)
            guard places.hasOneBuild, AppVersion.isPlain(value.extracting(places.version)) else {
                return false
            }
            self.version = places.version.moved(by: start)
            if let platform = places.platform {
                guard Platform.isName(value.extracting(platform)) else { return false }
                self.platform = platform.moved(by: start)
            }
            if let build = places.build {
                guard BuildNumber.isPlain(value.extracting(build)) else { return false }
                self.build = build.moved(by: start)
            }
            return true
        }
    }
}

extension Range<Int> {
    func moved(by distance: Int) -> Self {
        self.lowerBound + distance..<self.upperBound + distance
    }
}
