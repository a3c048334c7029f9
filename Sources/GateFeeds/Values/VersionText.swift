internal import GatePolicy
internal import GateRules

/// A version string from a source, with checks for unusual values.
struct VersionText: Equatable {
    /// The lowest whole number that is treated as a build or a mistake; years are accepted as
    /// versions, but versionCodes are not.
    private static let lowestBuild = 10_000

    let version: AppVersion
    private let text: String

    init(_ text: String, _ version: AppVersion) {
        self.text = text.filter { !$0.isWhitespace }
        self.version = version
    }

    /// The string as a whole number above zero; `nil` if it is not such a number.
    ///
    /// Zero means that nothing is required.
    private var wholeNumber: Int? {
        guard self.text.allSatisfy({ "0"..."9" ~= $0 }), let number = Int(self.text), number > 0
        else { return nil }
        return number
    }

    /// Returns the reason why the string is rejected as a version; `nil` if it is accepted.
    ///
    /// A number at or below the previous floor is accepted, because it may undo the last change.
    ///
    /// - Parameters:
    ///   - isNumber: Whether the type of the value in the source is a number.
    ///   - before: The previous floor of the source.
    ///   - hint: The instruction for mapping a build.
    /// - Returns: The reason, to append to the name of the field.
    func fault(isNumber: Bool, before: AppVersion?, hint: String) -> String? {
        guard let number = self.wholeNumber, isNumber || number >= Self.lowestBuild,
            before.map({ self.version > $0 }) ?? true
        else { return nil }
        let kind = isNumber ? "a whole number of type NUMBER" : "a whole number"
        return "is '\(self.text)', \(kind): if it is a build, \(hint); if it is a version, write "
            + "'\(self.text).0'" + (isNumber ? " as a STRING" : "")
    }

    /// Returns a remark about an accepted string, to append to the name of the field; `nil` if
    /// there is none.
    func remark(hint: String) -> String? {
        if let number = self.wholeNumber {
            return
                "is the whole number \(number), which is treated as version \(number): if it is a build, "
                + hint
        }
        guard let plus = self.text.firstIndex(of: "+") else { return nil }
        let metadata = self.text[plus...]
        let build = String(metadata.dropFirst())
        let remedy =
            (try? BuildNumber(parsing: build)) == nil
            ? "" : "; for a minimum build, \(hint), or set 'minimumBuild: \(build)' in a rule"
        return "has the suffix '\(metadata)', which is ignored in comparisons\(remedy)"
    }
}

extension JSONValue {
    /// Returns a version, and adds a note if its text is unusual; throws if the text is probably a
    /// build.
    ///
    /// `key` is the key in `fields` for a build, which messages suggest.
    func version(
        at path: String,
        mappedBy key: String,
        before: AppVersion?,
        _ notes: inout [String]
    ) throws(FeedFailure) -> AppVersion? {
        guard let version = try self.version(at: path), let text = try self.text(at: path) else {
            return nil
        }
        let stated = VersionText(text, version)
        let hint = "map it with `fields: { \(key): \"\(path)\" }`"
        if let fault = stated.fault(isNumber: false, before: before, hint: hint) {
            throw .content("'\(path)' \(fault)")
        }
        if let remark = stated.remark(hint: hint) { notes.append("'\(path)' \(remark)") }
        return version
    }
}
