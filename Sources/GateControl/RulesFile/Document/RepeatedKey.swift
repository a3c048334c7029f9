/// Finds where a block mapping says a key for the second time.
///
/// The YAML composer names only the first place. In a block mapping all keys stand in one column,
/// and a line that is indented less ends the mapping; a flow mapping has no such shape, and nothing
/// is found.
struct RepeatedKey {
    private let spellings: [String]
    private let line: Int
    private let column: Int

    /// A key, and the place where it stands for the first time.
    init(_ key: String, line: Int, column: Int) {
        self.spellings = [key, "\"\(key)\"", "'\(key)'"]
        self.line = line
        self.column = column
    }

    func line(in text: String) -> Int? {
        let lines = text.split(separator: /\r\n|\n|\r/, omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated().dropFirst(self.line) {
            let scalars = line.unicodeScalars
            let indentation = scalars.prefix { $0 == " " }.count
            guard indentation < scalars.count, scalars.dropFirst(indentation).first != "#" else {
                continue
            }
            guard indentation >= self.column - 1 else { return nil }
            if indentation == self.column - 1, self.isKey(line.dropFirst(indentation)) {
                return index + 1
            }
        }
        return nil
    }

    private func isKey(_ text: Substring) -> Bool {
        self.spellings.contains { spelling in
            text.hasPrefix(spelling)
                && text.dropFirst(spelling.count).drop { $0 == " " }.first == ":"
        }
    }
}
