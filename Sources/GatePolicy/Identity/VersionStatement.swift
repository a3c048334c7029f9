/// The value of a version header: a version, optionally with a platform and a build, such as
/// `ios/3.4.0 (93)`.
///
/// Each part is parsed separately, so that an unparsable part does not affect the other parts.
package struct VersionStatement: Sendable, Equatable {
    package private(set) var platform = Claim<Platform>.missing
    package private(set) var version = Claim<AppVersion>.missing
    package private(set) var build = Claim<BuildNumber>.missing

    init() {}

    /// Parses a value, with or without surrounding whitespace.
    package init(parsing text: String) {
        let bytes = text.utf8Span.span
        self.init(bytes.extracting(bytes.withoutBlanks(0..<bytes.count)), .known)
    }

    /// Parses a value without surrounding whitespace.
    init(_ value: Span<UInt8>, _ platforms: PlatformNames) {
        let places = VersionPlaces(in: value)
        self.version =
            (try? AppVersion(value.extracting(places.version))).map { .stated($0) }
            ?? .unreadable(Excerpt(value).text)
        if let name = places.platform {
            let name = value.extracting(name)
            if platforms.contains(name) { self.platform = StatedValue.platform(name) }
            // A slash with nothing before it is an unparsable platform.
            if name.isEmpty, !self.version.isUnreadable { self.platform = .unreadable("") }
        }
        if places.hasStrayText { self.build = .unreadable(Excerpt(value).text) }
        for place in places.builds {
            self.build.merge(StatedValue.build(value.extracting(place)))
        }
    }

    /// Parses a line that contains one value or a list of values.
    init(line: Span<UInt8>, _ platforms: PlatformNames) {
        self.init()
        guard line.count <= IdentityLimits.lineLength else {
            self = .tooMuch
            return
        }
        var statement = self
        var reader = ListReader()
        let isList = line.firstIndex(of: UInt8(ascii: ",")) != nil
        let extent = reader.read(line, 0..<line.count, isList: isList) { place in
            statement.merge(line.extracting(place), platforms)
            return !statement.version.isUnreadable
        }
        self = extent == .tooMuch ? .tooMuch : statement
    }

    /// The statement for values that exceed the limits.
    static var tooMuch: VersionStatement {
        var statement = VersionStatement()
        statement.version = .tooMuch
        return statement
    }

    mutating func merge(_ value: Span<UInt8>, _ platforms: PlatformNames) {
        let statement = VersionStatement(value, platforms)
        self.platform.merge(statement.platform)
        self.version.merge(statement.version)
        self.build.merge(statement.build)
    }
}
