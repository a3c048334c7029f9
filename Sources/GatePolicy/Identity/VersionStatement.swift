/// The statement of version headers: a version, and with it perhaps the platform and the build
/// (`ios/3.4.0 (93)`).
struct VersionStatement {
    private(set) var platform = Claim<Platform>.missing
    private(set) var version = Claim<AppVersion>.missing
    private(set) var build = Claim<UInt64>.missing

    init() {}

    /// Reads one value without blanks around it.
    init(_ value: Span<UInt8>) {
        var platform = Claim<Platform>.missing
        let (name, rest) = Self.places(in: value)
        if let name {
            platform =
                name.isEmpty ? .unreadable("") : StatedValue.platform(value.extracting(name))
        }
        do throws(VersionError) {
            let parsed = try VersionAndBuild(value.extracting(rest))
            self.platform = platform
            self.version = .stated(parsed.version)
            self.build = parsed.build.map { .stated($0) } ?? .missing
        } catch {
            // `a/b` that does not end in a version is no statement of a platform either.
            self.version = .unreadable(Excerpt(value).text)
        }
    }

    /// The places of the platform, if there is one, and of the rest in a value.
    static func places(in value: Span<UInt8>) -> (platform: Range<Int>?, rest: Range<Int>) {
        guard let slash = value.firstIndex(of: UInt8(ascii: "/")) else {
            return (nil, 0..<value.count)
        }
        return (value.withoutBlanks(0..<slash), value.withoutBlanks(slash + 1..<value.count))
    }

    /// Reads a line with a value, or with a list of them.
    init(line: Span<UInt8>) {
        self.init()
        guard line.count <= IdentityLimits.lineLength else {
            self = .tooMuch
            return
        }
        var statement = self
        var reader = ListReader()
        let isList = line.firstIndex(of: UInt8(ascii: ",")) != nil
        let extent = reader.read(line, 0..<line.count, isList: isList) { place in
            statement.merge(line.extracting(place))
            return !statement.version.isUnreadable
        }
        self = extent == .tooMuch ? .tooMuch : statement
    }

    /// In place of more values, or longer ones, than are read.
    static var tooMuch: VersionStatement {
        var statement = VersionStatement()
        statement.version = .tooMuch
        return statement
    }

    /// Adds what another value says.
    mutating func merge(_ value: Span<UInt8>) {
        let statement = VersionStatement(value)
        self.platform.merge(statement.platform)
        self.version.merge(statement.version)
        self.build.merge(statement.build)
    }
}
