/// The names that are recognized as a platform before a slash, as in `ios/3.4.0`.
///
/// These are the known platforms and those in the rules. Any other text before the slash is the
/// name of an app, an engine or a channel.
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
