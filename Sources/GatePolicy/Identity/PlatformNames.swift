/// The names that count as a platform before a slash, as in `ios/3.4.0`.
///
/// Those of known platforms and those that rules name; any other text there is the name of an app, an engine or
/// a channel.
struct PlatformNames: Sendable {
    private let named: Set<String>

    init(_ platforms: some Sequence<Platform>) {
        self.named = Set(platforms.map(\.name))
    }

    /// Only the known platforms.
    static let known = PlatformNames([])

    func contains(_ name: Span<UInt8>) -> Bool {
        Platform.isName(name) || Platform.isKnown(name)
            || !self.named.isEmpty && self.named.contains(Platform(name).name)
    }
}
