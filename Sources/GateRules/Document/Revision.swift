internal import GateCrypto

/// The short name of one state of the rules: a hash of the contents of all files, in their order, and
/// of what feeds say.
///
/// The same rules have the same revision wherever they lie: on another gate, under another name.
package struct Revision: Sendable, Equatable {
    /// Hexadecimal digits that are shown: enough to tell revisions apart, short enough to read.
    static let length = 12

    /// The first sources, hashed: what follows them can change without hashing them again.
    struct Beginning: Sendable {
        private var hash = SHA256()

        init(_ sources: [RulesSource]) {
            for source in sources { self.add(source.bytes) }
        }

        /// Adds what a feed says; its name tells whether that is only observed, or of before.
        fileprivate mutating func add(feed source: RulesSource) {
            self.add(Array(source.name.utf8))
            self.add(source.bytes)
        }

        /// Lengths keep `a` + `bc` apart from `ab` + `c`.
        private mutating func add(_ bytes: [UInt8]) {
            self.hash.update(Array("\(bytes.count):".utf8))
            self.hash.update(bytes)
        }

        /// The short name of the files alone, whatever feeds say.
        var text: String {
            String(self.hash.digest.hexadecimal.prefix(Revision.length))
        }
    }

    package let text: String
    /// The same of the files alone.
    let files: String

    package init(of sources: [RulesSource]) {
        self.init(of: Beginning(sources), and: [])
    }

    /// - Parameters:
    ///   - beginning: The files.
    ///   - feeds: What feeds say, under the names by which messages call it.
    init(of beginning: Beginning, and feeds: [RulesSource]) {
        var whole = beginning
        for source in feeds { whole.add(feed: source) }
        self.text = whole.text
        self.files = beginning.text
    }
}
