/// The values that can differ between clients of the same class.
extension ClientClasses {
    /// Calls `use` with the canonical form of the version in a line.
    ///
    /// Returns the result of `use`, or `nil` if the version cannot be parsed.
    package static func withVersion<Result>(
        in line: Span<UInt8>,
        _ use: (Span<UInt8>) -> Result
    ) -> Result? {
        // The line of most clients contains only the version.
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

    /// Returns the fields to add to the forwarded requests of a client in a class, in the order of
    /// `UpstreamIdentity`.
    ///
    /// These are the parts that only the client's version line contains. `place` is the range of
    /// the line's value in `text`.
    package func fields(
        added told: Told,
        inVersion place: Range<Int>,
        of text: Span<UInt8>
    ) -> AddedFields? {
        // For almost all clients, nothing is added, because they send a header field for each part.
        guard told.isAdded else { return nil }
        let line = text.extracting(place)
        if told.hasVersions {
            guard let name = self.versionField, let value = Self.forwardedVersion(line) else {
                return nil
            }
            return .texts([HeaderField(name: name, value: value)])
        }
        let stated = text.withoutBlanks(place)
        let value = text.extracting(stated)
        // This check is faster than parsing the line, and sufficient for almost all builds.
        if !told.isAdded(.platform), let build = VersionPlaces.build(atEndOf: value),
            BuildNumber.isPlain(value.extracting(build))
        {
            return .places(self, platform: nil, build: build.moved(by: stated.lowerBound))
        }
        let places = VersionPlaces(in: value)
        let platform = told.isAdded(.platform) ? places.platform : nil
        let build = told.isAdded(.build) ? places.build : nil
        let isCanonical =
            (platform.map { Platform.isName(value.extracting($0)) } ?? true)
            && (build.map { BuildNumber.isPlain(value.extracting($0)) } ?? true)
        guard isCanonical else { return .texts(self.converted(platform, build, in: value)) }
        return .places(
            self,
            platform: platform?.moved(by: stated.lowerBound),
            build: build?.moved(by: stated.lowerBound)
        )
    }

    /// Returns the fields for a platform and a build, in their canonical forms.
    private func converted(
        _ platform: Range<Int>?,
        _ build: Range<Int>?,
        in value: Span<UInt8>
    ) -> [HeaderField] {
        var fields: [HeaderField] = []
        if let platform, let name = self.platformField {
            let platform = Platform(value.extracting(platform)).name
            fields.append(HeaderField(name: name.span.text, value: platform))
        }
        if let build, let name = self.buildField,
            let number = BuildNumber.read(value.extracting(build))
        {
            fields.append(HeaderField(name: name.span.text, value: number.description))
        }
        return fields
    }

    /// Returns the version that the backend gets for a list (see `IdentityReader`).
    private static func forwardedVersion(_ line: Span<UInt8>) -> String? {
        guard let list = VersionList(line) else { return nil }
        if let lowest = list.lowest {
            return try? AppVersion(line.extracting(lowest)).description
        }
        return list.first.map { line.extracting($0).text }
    }

    /// Adds the app, platform, version or build from a line to the identity of a client.
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

    /// The ranges of a client's app, platform, version and build in the received bytes.
    package struct StatedPlaces: Sendable {
        package var app = 0..<0
        package var platform = 0..<0
        package var version = 0..<0
        package var build = 0..<0

        package init() {}

        /// The maximum total length of all parts in canonical form, in bytes.
        package static let longest =
            StatedValue.maximumLength + IdentityLimits.lineLength + 8 + BuildNumber.maximumLength

        /// Narrows the ranges of the lines to the values of the parts.
        ///
        /// Returns false if the values have to be parsed. The values of most clients need no
        /// parsing, because all parts except the app are in canonical form.
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
            // The line of most clients contains only the version.
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
