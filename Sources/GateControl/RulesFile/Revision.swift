private import Crypto

/// The short name of one state of the rules: a hash of all file names and contents.
struct Revision: Sendable, Equatable {
    /// How many hexadecimal digits are shown: enough to tell revisions apart, short enough to read.
    static let length = 12

    let text: String

    init(of sources: [RulesSource]) {
        var hash = SHA256()
        for source in sources {
            // Lengths keep `a` + `bc` apart from `ab` + `c`.
            for part in [Array(source.baseName.utf8), source.bytes] {
                hash.update(data: Array("\(part.count):".utf8))
                hash.update(data: part)
            }
        }
        let digits = hash.finalize().map { byte in
            let digits = String(byte, radix: 16)
            return byte < 16 ? "0" + digits : digits
        }
        self.text = String(digits.joined().prefix(Self.length))
    }
}
