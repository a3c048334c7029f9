/// Suggests the nearest known name for a misspelled one.
package enum Spelling {
    /// Returns `; did you mean 'minimum'?`, or an empty string if no name is similar.
    package static func hint(for word: String, among words: some Sequence<String>) -> String {
        self.nearest(to: word, among: words).map { "; did you mean '\($0)'?" } ?? ""
    }

    package static func nearest(to word: String, among words: some Sequence<String>) -> String? {
        let folded = Array(word.lowercased().unicodeScalars)
        // The comparison is quadratic, and a long input is never a misspelling of a short name.
        guard folded.count <= 64 else { return nil }
        let limit = max(1, folded.count / 3)
        return words.sorted()
            .map { (word: $0, distance: self.distance(folded, $0)) }
            .filter { $0.distance <= limit }
            .min { $0.distance < $1.distance }?.word
    }

    /// Returns the optimal string alignment distance: the number of insertions, deletions,
    /// substitutions and swaps of adjacent letters.
    private static func distance(_ left: [Unicode.Scalar], _ word: String) -> Int {
        let right = Array(word.lowercased().unicodeScalars)
        var previous: [Int] = []
        var current = Array(0...right.count)
        for row in left.indices {
            let older = previous
            previous = current
            current = [row + 1]
            for column in right.indices {
                let replaced = previous[column] + (left[row] == right[column] ? 0 : 1)
                var best = min(replaced, previous[column + 1] + 1, current[column] + 1)
                if row > 0, column > 0, left[row] == right[column - 1],
                    left[row - 1] == right[column]
                {
                    best = min(best, older[column - 1] + 1)
                }
                current.append(best)
            }
        }
        return current[right.count]
    }
}
