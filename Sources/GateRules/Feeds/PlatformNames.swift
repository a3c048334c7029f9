package import GatePolicy

/// Detects platforms in field names and field values of a source.
package enum PlatformNames {
    /// The name parts that identify a platform.
    ///
    /// Other platform names, such as `web`, occur in many unrelated field names.
    private static let words = [
        "ios", "iphone", "ipad", "ipados", "macos", "tvos", "watchos", "visionos", "android",
        "harmonyos", "windows",
    ]
    /// The name parts of fields that contain a platform.
    private static let fields = ["platform", "platforms", "os", "device", "target"]

    /// Returns the platform in a field name or path; `nil` unless there is exactly one.
    package static func platform(in name: String) -> Platform? {
        let platforms = Set(self.parts(of: name).filter(self.words.contains).map { Platform($0) })
        return platforms.count == 1 ? platforms.first : nil
    }

    /// Whether a field with this name may contain a platform.
    package static func mayHoldPlatform(_ name: String) -> Bool {
        self.parts(of: name).contains(where: self.fields.contains)
    }

    /// Returns the platforms that a value names; `nil` if the value is anything else.
    package static func platforms(named value: JSONValue) -> [Platform]? {
        let texts = (value.items ?? [value]).compactMap(\.text)
        guard !texts.isEmpty, texts.count == (value.items?.count ?? 1) else { return nil }
        let platforms = texts.map { Platform($0) }
        return platforms.allSatisfy { self.words.contains($0.name) } ? platforms : nil
    }

    /// Splits a name such as `min_version_ios`, `minVersionIOS` or `iOSMinVersion` into lowercase
    /// parts.
    package static func parts(of name: String) -> [String] {
        let text = ["iOS": "Ios", "iPhone": "Iphone", "iPad": "Ipad", "OS": "os"]
            .sorted { $0.key.count > $1.key.count }
            .reduce(name) { $0.replacing($1.key, with: $1.value) }
        var parts: [String] = []
        var part = ""
        var wasUpper = true
        for character in text {
            guard character.isLetter || character.isNumber else {
                if !part.isEmpty { parts.append(part) }
                (part, wasUpper) = ("", true)
                continue
            }
            if character.isUppercase, !wasUpper {
                parts.append(part)
                part = ""
            }
            part.append(contentsOf: character.lowercased())
            wasUpper = character.isUppercase
        }
        return part.isEmpty ? parts : parts + [part]
    }
}
