internal import GateCrypto
/// The short identifier of a state of the rules: a hash of the contents of all files, in order, and
/// of the feed values.
///
/// Equal rules have equal revisions, on every gate and at every path.
package struct Revision: Sendable, Equatable {
    /// The number of hexadecimal digits shown: enough to tell revisions apart, short enough to
    /// read.
    static let length = 12

    /// The intermediate hash of all files.
    ///
    /// Feed values are hashed after the files, so that the files need not be hashed again when only feed values change.
    struct Beginning: Sendable {
        private var hash = SHA256()

        init(_ sources: [RulesSource]) {
            for source in sources { self.add(source.bytes) }
        }

        /// Adds a feed value, preceded by its source name, which differs for stale and earlier values.
        fileprivate mutating func add(feed source: RulesSource) {
            self.add(Array(source.name.utf8))
            self.add(source.bytes)
        }

        /// Adds bytes, preceded by their length, so that `a` + `bc` and `ab` + `c` have different hashes.
        private mutating func add(_ bytes: [UInt8]) {
            self.hash.update(Array("\(bytes.count):".utf8))
            self.hash.update(bytes)
        }

        /// The short identifier of the files alone, without feed values.
        var text: String {
            String(self.hash.digest.hexadecimal.prefix(Revision.length))
        }
    }

    package let text: String
    /// The short identifier of the files alone.
    let files: String

    package init(of sources: [RulesSource]) {
        self.init(of: Beginning(sources), and: [])
    }

    /// Creates a revision from the hash of the files and the values of feeds.
    ///
    /// The hash includes the names of the sources in `feeds`.
    init(of beginning: Beginning, and feeds: [RulesSource]) {
        var whole = beginning
        for source in feeds { whole.add(feed: source) }
        self.text = whole.text
        self.files = beginning.text
    }
}
