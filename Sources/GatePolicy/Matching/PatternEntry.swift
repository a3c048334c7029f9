/// A request pattern as the matcher keeps it: its number, and the methods that it takes.
struct PatternEntry: Sendable {
    let number: Int
    /// Where the numbers of its methods are in a list of all; `nil` for every method.
    let methods: Range<Int>?

    /// Whether the pattern takes a method, known by its number in the list.
    func accepts(_ method: Int?, in numbers: [Int]) -> Bool {
        guard let methods = self.methods else { return true }
        guard let method else { return false }
        for index in methods where numbers[index] == method { return true }
        return false
    }
}
