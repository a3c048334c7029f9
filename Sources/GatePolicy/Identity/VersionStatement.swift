/// What a version header says: a version, and with it perhaps the platform and the build
/// (`ios/3.4.0 (93)`).
struct VersionStatement {
    let platform: Claim<Platform>
    let version: Claim<AppVersion>
    let build: Claim<UInt64>

    init(_ value: StatedValue) {
        let text = value.text
        guard !value.isTooMuch else {
            self.platform = .missing
            self.version = value.version
            self.build = .missing
            return
        }
        var platform = Claim<Platform>.missing
        var rest = text
        if let slash = text.utf8.firstIndex(of: UInt8(ascii: "/")) {
            let name = text[..<slash].trimmingBlanks
            rest = text[text.utf8.index(after: slash)...].trimmingBlanks
            platform = name.isEmpty ? .unreadable("") : StatedValue(text: name).platform
        }
        do throws(VersionError) {
            let parsed = try VersionAndBuild(rest)
            self.platform = platform
            self.version = .stated(parsed.version)
            self.build = parsed.build.map { .stated($0) } ?? .missing
        } catch {
            // `a/b` that does not end in a version is no statement of a platform either.
            self.platform = .missing
            self.version = .unreadable(Excerpt(text).text)
            self.build = .missing
        }
    }

    /// Reads several values as one statement, up to the first that makes the version unreadable.
    ///
    /// Each version costs something, and a client may send many that differ.
    static func merged(_ values: [StatedValue]) -> [VersionStatement] {
        var statements: [VersionStatement] = []
        for value in values {
            let statement = VersionStatement(value)
            statements.append(statement)
            if statement.version.value == nil || statement.version != statements[0].version {
                break
            }
        }
        return statements
    }
}
