/// The platform of a client, with one name for all of its aliases.
package struct Platform: Sendable, Hashable {
    /// The name in lower case, such as `ios` or `android`.
    package let name: String

    package static let ios = Platform("ios")
    package static let macos = Platform("macos")
    package static let tvos = Platform("tvos")
    package static let watchos = Platform("watchos")
    package static let visionos = Platform("visionos")
    package static let android = Platform("android")
    package static let harmonyos = Platform("harmonyos")
    package static let windows = Platform("windows")
    package static let linux = Platform("linux")
    package static let web = Platform("web")

    /// Creates a platform from a name, with ASCII letters in lower case and aliases replaced.
    ///
    /// An unknown platform keeps its name.
    package init(_ raw: String) {
        self.init(raw.utf8Span.span)
    }

    /// Creates a platform from the bytes of a name.
    init(_ raw: Span<UInt8>) {
        let trimmed = raw.extracting(raw.withoutBlanks(0..<raw.count))
        let folded = trimmed.lowercasedText
        // Most clients send the name and not an alias, and aliases contain only ASCII letters.
        guard !Self.names.contains(folded), trimmed.isASCII else {
            self.name = folded
            return
        }
        self.name = Self.known(folded) ?? folded
    }

    /// Returns the name of a known platform for a lower-case name or alias; `nil` if the platform
    /// is unknown.
    private static func known(_ folded: String) -> String? {
        // `Mac OS X`, `mac_os_x` and `macOSX` are the same alias.
        let isSpaced = folded.utf8.contains(where: Self.isSpace)
        let key =
            isSpaced
            ? String(decoding: folded.utf8.filter { !Self.isSpace($0) }, as: UTF8.self) : folded
        return Self.aliases[key]
    }

    /// Whether the string is the name or an alias of a known platform.
    package static func isKnown(_ text: String) -> Bool {
        let bytes = text.utf8Span.span
        return self.isKnown(bytes.extracting(bytes.withoutBlanks(0..<bytes.count)))
    }

    /// Whether the bytes are the name or an alias of a known platform.
    static func isKnown(_ raw: Span<UInt8>) -> Bool {
        raw.isASCII && Self.known(raw.lowercasedText) != nil
    }

    private static let names = ["ios", "android", "web", "macos", "windows"]

    private static let packedNames = Self.names.map { Self.packed($0.utf8Span.span) }

    /// Whether the bytes are the name of a common platform, and not an alias.
    static func isName(_ bytes: Span<UInt8>) -> Bool {
        1...8 ~= bytes.count && self.packedNames.contains(self.packed(bytes))
    }

    /// Returns the first eight bytes as an integer.
    ///
    /// The result is unambiguous for up to eight bytes, because names contain no zero bytes.
    private static func packed(_ name: Span<UInt8>) -> UInt64 {
        var packed: UInt64 = 0
        for index in 0..<min(8, name.count) { packed = packed << 8 | UInt64(name[index]) }
        return packed
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-")
    }

    private static let aliases: [String: String] = [
        "ios": "ios", "iphone": "ios", "iphoneos": "ios", "ipad": "ios", "ipados": "ios",
        "ipod": "ios", "ipodtouch": "ios", "iphonesimulator": "ios", "iossimulator": "ios",
        "macos": "macos", "mac": "macos", "macosx": "macos", "osx": "macos", "darwin": "macos",
        "macintosh": "macos", "maccatalyst": "macos",
        "tvos": "tvos", "appletv": "tvos", "appletvos": "tvos",
        "watchos": "watchos", "applewatch": "watchos",
        "visionos": "visionos", "xros": "visionos", "applevision": "visionos",
        "android": "android", "androidos": "android",
        "harmonyos": "harmonyos", "harmony": "harmonyos", "ohos": "harmonyos",
        "openharmony": "harmonyos",
        "windows": "windows", "win": "windows", "win32": "windows", "win64": "windows",
        "windowsnt": "windows",
        "linux": "linux",
        "web": "web", "browser": "web",
    ]
}

extension Platform {
    /// Compares names by their bytes, because comparing by Unicode equivalence is expensive.
    package static func == (left: Platform, right: Platform) -> Bool {
        left.name.utf8.elementsEqual(right.name.utf8)
    }

    package func hash(into hasher: inout Hasher) {
        let bytes = self.name.utf8Span.span
        unsafe bytes.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
    }
}

extension Platform: CustomStringConvertible {
    package var description: String { self.name }
}

/// The names that are recognized as a platform before a slash, as in `ios/3.4.0`.
///
/// These are the known platforms and the platforms in the rules. Any other name before the slash
/// belongs to an app, an engine or a channel.
struct PlatformNames: Sendable {
    private let named: Set<String>

    init(_ platforms: some Sequence<Platform>) {
        self.named = Set(platforms.map(\.name))
    }

    /// The known platforms, without platforms from rules.
    static let known = PlatformNames([])

    func contains(_ name: Span<UInt8>) -> Bool {
        Platform.isName(name) || Platform.isKnown(name)
            || !self.named.isEmpty && self.named.contains(Platform(name).name)
    }
}
