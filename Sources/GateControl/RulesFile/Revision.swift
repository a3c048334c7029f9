private import Crypto

/// The short name of one state of the rules: a hash of all file names and contents.
struct Revision: Sendable, Equatable {
    /// How many hexadecimal digits are shown: enough to tell revisions apart, short enough to read.
    static let length = 12

    /// The first sources, hashed: what follows them can change without hashing them again.
    struct Beginning: Sendable {
        private var hash = SHA256()

        init(_ sources: [RulesSource]) {
            self.add(sources)
        }

        mutating func add(_ sources: [RulesSource]) {
            for source in sources {
                // Lengths keep `a` + `bc` apart from `ab` + `c`.
                for part in [Array(source.baseName.utf8), source.bytes] {
                    self.hash.update(data: Array("\(part.count):".utf8))
                    self.hash.update(data: part)
                }
            }
        }

        fileprivate func digest() -> SHA256.Digest { self.hash.finalize() }
    }

    let text: String

    init(of sources: [RulesSource]) {
        self.init(of: Beginning([]), and: sources)
    }

    init(of beginning: Beginning, and sources: [RulesSource]) {
        var whole = beginning
        whole.add(sources)
        let digits = whole.digest().map { byte in
            let digits = String(byte, radix: 16)
            return byte < 16 ? "0" + digits : digits
        }
        self.text = String(digits.joined().prefix(Self.length))
    }
}
