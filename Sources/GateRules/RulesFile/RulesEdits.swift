internal import GatePolicy

/// The edits that turn one set of rules files and feed values into another, rule by rule, with values as written.
package struct RulesEdits: Sendable, Equatable {
    /// The part of the rules that a setting belongs to.
    enum Subject: Sendable, Hashable {
        case rule(String)
        case notice(String)
        case feed(String)
        /// A top-level key.
        case setting(String)
    }

    /// A setting of a subject.
    struct Setting: Sendable, Equatable {
        /// The key, or several keys separated by dots; `nil` stands for the subject as a whole.
        let key: String?
        /// The value as written; `nil` if it is missing.
        let before: String?
        let after: String?
    }

    struct Edit: Sendable, Equatable {
        let subject: Subject
        let settings: [Setting]
    }

    let all: [Edit]

    /// Compares two sets of rules.
    package init(from old: LoadedRules, to new: LoadedRules) {
        let before = old.sources + old.parsed.ofFeeds
        let after = new.sources + new.parsed.ofFeeds
        // Unchanged sources are skipped: a feed may change one rule while a file contains
        // thousands.
        self.init(before.filter { !after.contains($0) }, after.filter { !before.contains($0) })
    }

    init(_ old: [RulesSource], _ new: [RulesSource]) {
        let before = Self.subjects(of: old)
        let after = Self.subjects(of: new)
        let gone = before.order.filter { after.values[$0] == nil }
        self.all = (after.order + gone).compactMap { subject in
            let settings = Self.settings(
                subject,
                from: before.values[subject],
                to: after.values[subject]
            )
            return settings.isEmpty ? nil : Edit(subject: subject, settings: settings)
        }
    }

    private typealias Subjects = (
        order: [Subject], values: [Subject: [(key: String, text: String)]]
    )

    private static func subjects(of sources: [RulesSource]) -> Subjects {
        var subjects: Subjects = ([], [:])
        func add(_ subject: Subject, _ settings: [(key: String, text: String)]) {
            if subjects.values[subject] == nil { subjects.order.append(subject) }
            subjects.values[subject, default: []] += settings
        }
        for source in sources {
            for entry in (try? source.parsed())?.entries ?? [] {
                switch (entry.key, entry.value.content) {
                case ("rules", .list(let items)):
                    for item in items { add(.rule(item.name), item.settings) }
                case ("feeds", .list(let items)):
                    for item in items { add(.feed(item.name), item.settings) }
                case ("notices", .mapping(let notices)):
                    for notice in notices { add(.notice(notice.key), notice.value.words) }
                case ("$schema", _): break
                case (let key, _): add(.setting(key), [("", entry.value.flow)])
                }
            }
        }
        return subjects
    }

    private static func settings(
        _ subject: Subject,
        from old: [(key: String, text: String)]?,
        to new: [(key: String, text: String)]?
    ) -> [Setting] {
        let before = Dictionary(old ?? [], uniquingKeysWith: { $0 + ", " + $1 })
        let after = Dictionary(new ?? [], uniquingKeysWith: { $0 + ", " + $1 })
        if case .setting = subject {
            guard before[""] != after[""] else { return [] }
            return [Setting(key: "", before: before[""], after: after[""])]
        }
        guard old != nil, new != nil else {
            let text = (old ?? new ?? []).filter { $0.key != "id" }
                .map { "\($0.key): \($0.text)" }.joined(separator: ", ")
            return [Setting(key: nil, before: old.map { _ in text }, after: new.map { _ in text })]
        }
        return ((old ?? []) + (new ?? [])).map(\.key).uniqued()
            .filter { before[$0] != after[$0] }
            .map { Setting(key: $0, before: before[$0], after: after[$0]) }
    }
}

extension Element {
    /// The `id` of a rule or a feed.
    fileprivate var name: String {
        guard case .text(let id)? = self["id"]?.content else { return "" }
        return id
    }

    /// The keys of a mapping and their values as written.
    fileprivate var settings: [(key: String, text: String)] {
        self.entries.map { ($0.key, $0.value.flow) }
    }

    /// The texts of a notice, each with its language and key.
    fileprivate var words: [(key: String, text: String)] {
        self.entries.flatMap { language in
            language.value.settings.map { ("\(language.key).\($0.key)", $0.text) }
        }
    }

    /// The value on one line, in YAML flow style; equal values yield equal strings.
    fileprivate var flow: String {
        switch self.content {
        case .text(let text): "\"\(text)\""
        case .number(let text), .boolean(let text), .date(let text): text
        case .nothing: "null"
        case .list(let items): "[\(items.map(\.flow).joined(separator: ", "))]"
        case .mapping(let entries):
            "{ \(entries.map { "\($0.key): \($0.value.flow)" }.joined(separator: ", ")) }"
        }
    }
}
