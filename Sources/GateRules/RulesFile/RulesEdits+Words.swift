extension RulesEdits {
    /// The edits without their effects, in file order, each as one or more lines.
    package var words: [String] { self.all.flatMap(\.lines) }
}

extension RulesEdits.Edit {
    /// The edit as one or more lines.
    var lines: [String] {
        let name =
            switch self.subject {
            case .rule(let id): "rule '\(id)'"
            case .notice(let name): "notice '\(name)'"
            case .feed(let id): "feed '\(id)'"
            case .setting(let key): key
            }
        if let whole = self.settings.first(where: { $0.key == nil }) {
            let word = whole.before == nil ? "is new" : "was removed"
            return ["\(name) \(word): \(ValueText.short(whole.after ?? whole.before ?? ""))"]
        }
        if case .setting = self.subject, let setting = self.settings.first {
            return ["\(name): \(setting.words)"]
        }
        return ["\(name):"] + self.settings.map { "  \($0.key ?? ""): \($0.words)" }
    }
}

extension RulesEdits.Setting {
    fileprivate var words: String {
        switch (self.before, self.after) {
        case (nil, let after): "new, \(ValueText.short(after ?? ""))"
        case (let before, nil): "removed, was \(ValueText.short(before ?? ""))"
        case (let before?, let after?): ValueText.differing(before, after)
        }
    }
}

/// Shortens values as written in a file.
private enum ValueText {
    /// The maximum length of a value in characters; longer values are truncated.
    private static let limit = 72

    /// Returns both values as text; long values are shown from shortly before their first difference.
    static func differing(_ before: String, _ after: String) -> String {
        let common = zip(before, after).prefix { $0 == $1 }.count
        guard max(before.count, after.count) > self.limit, common > 20 else {
            return "\(self.short(before)) -> \(self.short(after))"
        }
        let skipped = common - 12
        return "…\(self.short(String(before.dropFirst(skipped)))) -> "
            + "…\(self.short(String(after.dropFirst(skipped))))"
    }

    static func short(_ text: String) -> String {
        text.count > self.limit ? "\(text.prefix(self.limit))…" : text
    }
}
