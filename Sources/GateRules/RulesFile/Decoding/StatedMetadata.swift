internal import GatePolicy

/// Build metadata of a version in a rules file, such as `93` in `3.7.2+93`.
///
/// Versions are compared without build metadata (SemVer 2.0.0 section 10), although the author probably intended
/// otherwise.
struct StatedMetadata: Sendable {
    /// The key of the version.
    let key: String
    /// The version without the metadata.
    let version: AppVersion
    /// The text after the plus sign.
    let metadata: String

    /// Finds the first version with metadata in a version or a range; returns `nil` if there is none.
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

    /// The metadata as a build number; `nil` if it is not a valid build number.
    private var build: BuildNumber? { try? BuildNumber(parsing: self.metadata) }

    /// A suggestion for what was probably meant, in the syntax of a rules file.
    private var advice: String {
        guard let build else { return "remove '+\(self.metadata)'" }
        let number = build.isWhole ? "\(build)" : "\"\(build)\""
        switch self.key {
        case "minimum", "minimumBuildOf":
            return "to require a build of this version, write minimum: \"\(self.version)\", "
                + "minimumBuild: \(number), minimumBuildOf: \"\(self.version)\""
        case "recommended":
            return "to recommend a build, write recommended: \"\(self.version)\", "
                + "recommendedBuild: \(number)"
        case "blocked":
            return "to block only this build, write blockedBuilds: "
                + "[{ version: \"\(self.version)\", build: \(number) }]"
        case "version":
            return "write version: \"\(self.version)\", build: \(number)"
        case _:
            return "remove '+\(self.metadata)'"
        }
    }

    var message: String {
        "'\(self.version)+\(self.metadata)' applies to all builds of \(self.version), "
            + "because build metadata is not compared: \(self.advice)"
    }
}

extension Element {
    /// The keys of a rule, or of its `next`, whose values are versions.
    private static let keysOfVersions = ["minimum", "minimumBuildOf", "recommended", "blocked"]

    /// The metadata in the versions of a rule and of its `next`.
    var metadataOfRule: [Located<StatedMetadata>] {
        self.entries.flatMap { entry -> [Located<StatedMetadata>] in
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
        self["version"]?.metadata(under: "version") ?? []
    }

    private func metadata(under key: String) -> [Located<StatedMetadata>] {
        self.listed.compactMap { item in
            guard case .text(let text) = item.content else { return nil }
            return StatedMetadata(in: text, under: key)
                .map { Located(value: $0, place: item.place) }
        }
    }
}
