internal import GatePolicy

/// Build metadata that a rules file states in a version: `3.7.2+93`.
///
/// Versions compare without it (SemVer 2.0.0 section 10), so that the text does not do what it says.
struct StatedMetadata: Sendable {
    /// The key under which it stands.
    let key: String
    /// The version without it.
    let version: AppVersion
    /// The text after the plus sign.
    let metadata: String

    /// Reads the first version with metadata in a version or a range; `nil` without one.
    init?(in text: String, under key: String) {
        for word in text.split(whereSeparator: { $0 == " " || $0 == "\t" }) {
            let written = word.drop { "<>=".contains($0) }
            guard let plus = written.firstIndex(of: "+"),
                let version = try? AppVersion(parsing: String(written))
            else { continue }
            self.key = key
            self.version = version
            self.metadata = String(written[written.index(after: plus)...])
            return
        }
        return nil
    }

    /// The build that the metadata is, if it is one.
    private var build: BuildNumber? { try? BuildNumber(parsing: self.metadata) }

    /// The lines of a rules file that say what was probably meant.
    private var advice: String {
        guard let build else { return "leave '+\(self.metadata)' away" }
        let number = build.isWhole ? "\(build)" : "\"\(build)\""
        switch self.key {
        case "minimum", "minimumBuildOf":
            return "to ask for a build of this version, write minimum: \"\(self.version)\", "
                + "minimumBuild: \(number), minimumBuildOf: \"\(self.version)\""
        case "recommended":
            return "to recommend a build, write recommended: \"\(self.version)\", "
                + "recommendedBuild: \(number)"
        case "blocked":
            return "to block this build alone, write blockedBuilds: "
                + "[{ version: \"\(self.version)\", build: \(number) }]"
        case "version":
            return "write version: \"\(self.version)\", build: \(number)"
        case _:
            return "leave '+\(self.metadata)' away"
        }
    }

    var message: String {
        "'\(self.version)+\(self.metadata)' stands for every build of \(self.version), "
            + "since build metadata is not compared: \(self.advice)"
    }
}

extension Element {
    /// The keys of a rule, or of its `next`, that hold versions.
    private static let keysOfVersions = ["minimum", "minimumBuildOf", "recommended", "blocked"]

    /// The metadata in the versions of a rule and of its `next`.
    var metadataOfRule: [Located<StatedMetadata>] {
        guard case .mapping(let entries) = self.content else { return [] }
        return entries.flatMap { entry -> [Located<StatedMetadata>] in
            switch entry.key {
            case let key where Self.keysOfVersions.contains(key):
                entry.value.metadata(under: key)
            case "blockedBuilds", "next":
                entry.value.listed.flatMap { item in
                    entry.key == "next" ? item.metadataOfRule : item.metadataOfVersion
                }
            case _: []
            }
        }
    }

    /// The metadata in the `version` of a release or of blocked builds.
    var metadataOfVersion: [Located<StatedMetadata>] {
        guard case .mapping(let entries) = self.content else { return [] }
        return entries.filter { $0.key == "version" }.flatMap {
            $0.value.metadata(under: "version")
        }
    }

    /// The items of a list; any other value alone.
    private var listed: [Element] {
        if case .list(let items) = self.content { items } else { [self] }
    }

    private func metadata(under key: String) -> [Located<StatedMetadata>] {
        self.listed.compactMap { item in
            guard case .text(let text) = item.content else { return nil }
            return StatedMetadata(in: text, under: key)
                .map { Located(value: $0, place: item.place) }
        }
    }
}
