internal import GatePolicy

/// A text of a source that states a version, and what is odd about it.
struct VersionText: Equatable {
    /// Whole numbers from here on are builds, or mistakes: a year is a version, a versionCode is not.
    private static let lowestBuild = 10_000

    let version: AppVersion
    private let text: String

    init(_ text: String, _ version: AppVersion) {
        self.text = text.filter { !$0.isWhitespace }
        self.version = version
    }

    /// The text as a number without a dot, above zero, which asks for nothing; `nil` if it is anything
    /// else.
    private var wholeNumber: Int? {
        guard self.text.allSatisfy({ "0"..."9" ~= $0 }), let number = Int(self.text), number > 0
        else { return nil }
        return number
    }

    /// Why the text is not taken for a version; `nil` if it is.
    ///
    /// A number that is no higher than what was asked for before is taken: it may be an undo.
    ///
    /// - Parameters:
    ///   - isNumber: Whether the source types the value as a number.
    ///   - before: The floor that the source stated last.
    ///   - hint: How to map a build.
    /// - Returns: The reason, in words that follow the name of its field.
    func fault(isNumber: Bool, before: AppVersion?, hint: String) -> String? {
        guard let number = self.wholeNumber, isNumber || number >= Self.lowestBuild,
            before.map({ self.version > $0 }) ?? true
        else { return nil }
        let kind = isNumber ? "a whole number of the type NUMBER" : "a whole number"
        return "is '\(self.text)', \(kind): if it is a build, \(hint); if it is a version, write "
            + "'\(self.text).0'" + (isNumber ? " as a STRING" : "")
    }

    /// What is to be said of a text that is taken, in words that follow the name of its field.
    func remark(hint: String) -> String? {
        if let number = self.wholeNumber {
            return
                "is the whole number \(number), and counts as version \(number): if it is a build, "
                + hint
        }
        guard let plus = self.text.firstIndex(of: "+") else { return nil }
        let metadata = self.text[plus...]
        let build = String(metadata.dropFirst())
        let remedy =
            (try? BuildNumber(parsing: build)) == nil
            ? "" : ": for a floor by build, \(hint), or write 'minimumBuild: \(build)' into a rule"
        return "has '\(metadata)' behind the version, which is not compared\(remedy)"
    }
}
