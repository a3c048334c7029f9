/// A typo in a rules file.
package struct Mutation: Sendable {
    /// A description of the mutation that includes its line.
    package let words: String
    package let text: String

    /// Returns all mutations, in the order of the text.
    ///
    /// A mutation adds a digit to a number or removes one, swaps two letters in a word, deletes a line, or truncates
    /// the file after a line.
    ///
    /// Comments are not mutated.
    package static func all(of text: String) -> [Mutation] {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        return lines.indices.flatMap { index -> [Mutation] in
            let line = lines[index]
            guard line.contains(where: { !$0.isWhitespace }),
                line.drop(while: \.isWhitespace).first != "#"
            else { return [] }
            func replaced(_ new: String, _ words: String) -> Mutation {
                var lines = lines
                lines[index] = Substring(new)
                return Mutation(
                    words: "line \(index + 1), \(words)",
                    text: lines.joined(separator: "\n")
                )
            }
            var without = lines
            without.remove(at: index)
            let deleted = Mutation(
                words: "line \(index + 1) deleted: \(line)",
                text: without.joined(separator: "\n")
            )
            let cut = Mutation(
                words: "truncated after line \(index + 1): \(line)",
                text: lines[...index].joined(separator: "\n") + "\n"
            )
            let slips = Self.slips(in: String(line)).map { replaced($0, "\($0)") }
            return slips + (index < lines.count - 1 ? [deleted, cut] : [deleted])
        }
    }

    /// Returns this number of mutations, evenly distributed.
    package static func sample(_ count: Int, of all: [Mutation]) -> [Mutation] {
        guard all.count > count else { return all }
        return (0..<count).map { all[$0 * all.count / count] }
    }

    /// Returns the lines that result from each mutation of a single number or word.
    private static func slips(in line: String) -> [String] {
        line.matches(of: /[0-9]+|[A-Za-z]{2,}/).flatMap { match -> [String] in
            let (head, tail) = (line[..<match.range.lowerBound], line[match.range.upperBound...])
            return Self.slips(of: line[match.range]).map { head + $0 + tail }
        }
    }

    private static func slips(of word: Substring) -> [String] {
        guard let first = word.first, !first.isNumber else {
            let less = word.count > 1 ? [String(word.dropLast())] : []
            return less + ["\(word)0"]
        }
        let letters = Array(word)
        let places = letters.indices.dropLast()
        guard let place = places.first(where: { letters[$0] != letters[$0 + 1] }) else {
            return []
        }
        var swapped = letters
        swapped.swapAt(place, place + 1)
        return [String(swapped)]
    }
}
