import GatePolicy

/// Properties of any three lines as versions and as version ranges.
struct VersionProperties {
    private let lines: [String]
    private let versions: [AppVersion]

    init(_ input: [UInt8]) {
        let lines = input.split(separator: 0x0A, omittingEmptySubsequences: false).prefix(4)
        self.lines = lines.map { String(decoding: $0, as: UTF8.self) }
        self.versions = self.lines.compactMap { try? AppVersion(parsing: $0) }
    }

    func check() throws(Finding) {
        for line in self.lines {
            self.checkError(line)
            try self.checkBuild(line)
            try self.checkRange(line)
        }
        for version in self.versions { try self.checkText(version) }
        try self.checkOrder()
    }

    /// Checks that every error has a description.
    private func checkError(_ line: String) {
        do throws(VersionError) {
            _ = try AppVersion(parsing: line)
        } catch {
            precondition(!error.description.isEmpty)
        }
    }

    /// Checks that the description of a version is parsed as the same version.
    private func checkText(_ version: AppVersion) throws(Finding) {
        let text = version.description
        guard let again = try? AppVersion(parsing: text) else {
            throw Finding("the description \(text) cannot be parsed")
        }
        try expect(again, is: version, "what was printed")
        try expect(again.description, is: text, "the description of the parsed description")
        try expect(again.hashValue, is: version.hashValue, "the hash of \(text)")
        for decorated in [" v\(text)\t", "V\(text)+b.1"] where text.utf8.count < 50 {
            try expect(try? AppVersion(parsing: decorated), is: version, "\(decorated)")
        }
        try expect(version.release >= version, "the release of \(text) precedes it")
        try expect(version.release.release, is: version.release, "the release of a release")
        let reference = ReferenceVersion(text)
        if reference.numbers.count < 5, reference.identifiers == nil, text.utf8.count < 60 {
            try expect(try? AppVersion(parsing: "\(text).0"), is: version, "\(text).0")
        }
    }

    /// Checks that a version and a build are parsed alike in every combined format.
    private func checkBuild(_ line: String) throws(Finding) {
        let stated = VersionStatement(parsing: line)
        if let version = try? AppVersion(parsing: line) {
            try expect(stated.version, is: .stated(version), "\(line) is a version")
        }
        guard let version = stated.version.value, let build = stated.build.value else { return }
        for text in ["\(version) (\(build))", "\(version)+\(build)", "\(version)/\(build)"] {
            let again = VersionStatement(parsing: text)
            try expect(again.version, is: .stated(version), "\(text)")
            try expect(again.build, is: .stated(build), "\(text)")
        }
        // An unparsable build must not affect the version.
        for text in ["\(version) (\(build)x)", "\(version)/\(build)-x", "\(version) (\(build)"] {
            let again = VersionStatement(parsing: text)
            try expect(again.version, is: .stated(version), "\(text)")
            try expect(again.build.value, is: nil, "\(text)")
        }
    }

    /// Checks that the description of a range is a range that contains the same versions.
    private func checkRange(_ line: String) throws(Finding) {
        guard let range = try? VersionRange(parsing: line) else { return }
        let text = range.description
        guard let again = try? VersionRange(parsing: text) else {
            throw Finding("the description \(text) of a range cannot be parsed")
        }
        try expect(again.description, is: text, "the description of the parsed range")
        for version in self.versions {
            let holds = range.contains(version)
            try expect(again.contains(version), is: holds, "\(version) in \(text)")
            try self.checkEnds(of: range, text, version, holds)
        }
    }

    private func checkEnds(
        of range: VersionRange,
        _ text: String,
        _ version: AppVersion,
        _ holds: Bool
    ) throws(Finding) {
        // A version that ends in a wildcard, such as `1.0-rc.x`, is rejected in a range: an author would expect it to
        // match several versions, but it would match only one.
        guard !["x", "X"].contains(version.description.split(separator: ".").last) else { return }
        for (relation, expected) in [
            (">=", version >= version), ("<", version < version), ("", true),
        ] {
            guard let exact = try? VersionRange(parsing: relation + version.description) else {
                throw Finding("\(relation)\(version) is no range")
            }
            try expect(exact.contains(version), is: expected, "\(version) in \(relation)\(version)")
        }
        for floor in self.versions where holds && range.isEntirelyBelow(floor) {
            try expect(version < floor, "\(version) is in \(text), which is below \(floor)")
        }
    }

    /// Checks that the order is total, and equals that of a simpler comparison of the texts.
    private func checkOrder() throws(Finding) {
        for one in self.versions {
            for other in self.versions {
                let relations = [one < other, one == other, other < one]
                try expect(relations.count { $0 }, is: 1, "\(one) and \(other)")
                try expect(
                    one < other,
                    is: ReferenceVersion(one.description) < ReferenceVersion(other.description),
                    "\(one) < \(other)"
                )
                if one == other {
                    try expect(one.hashValue, is: other.hashValue, "\(one) and \(other)")
                }
                for third in self.versions where one <= other && other <= third {
                    try expect(one <= third, "\(one), \(other) and \(third) go round in a ring")
                }
            }
        }
    }
}

/// A version created from its canonical text, with a slow and simple comparison (SemVer 2.0.0 section 11).
private struct ReferenceVersion {
    let numbers: [String]
    let identifiers: [String]?

    init(_ text: String) {
        let parts = text.split(separator: "-", maxSplits: 1)
        self.numbers = parts[0].split(separator: ".").map(String.init)
        self.identifiers =
            parts.count == 1 ? nil : parts[1].split(separator: ".").map(String.init)
    }

    /// Returns a number as a text that sorts by the number's value.
    private static func padded(_ number: String) -> String {
        String(repeating: "0", count: 80 - number.utf8.count) + number
    }

    static func < (left: ReferenceVersion, right: ReferenceVersion) -> Bool {
        for index in 0..<5 {
            let one = Self.padded(index < left.numbers.count ? left.numbers[index] : "0")
            let other = Self.padded(index < right.numbers.count ? right.numbers[index] : "0")
            if one != other { return one < other }
        }
        switch (left.identifiers, right.identifiers) {
        case (nil, _): return false
        case (_, nil): return true
        case (let one?, let other?):
            return one.map(Self.key).lexicographicallyPrecedes(other.map(Self.key))
        }
    }

    /// Returns a key that sorts numbers before texts.
    private static func key(_ identifier: String) -> String {
        identifier.utf8.allSatisfy { (0x30...0x39).contains($0) }
            ? "0" + Self.padded(identifier) : "1" + identifier
    }
}
