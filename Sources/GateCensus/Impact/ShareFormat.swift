/// The conversion of shares to and from strings.
package enum ShareFormat {
    /// Returns a share as a percentage with one decimal place.
    ///
    /// Only 0 becomes 0%, and only 1 becomes 100%.
    package static func percent(_ share: Double) -> String {
        guard share > 0 else { return "0%" }
        guard share < 1 else { return "100%" }
        let tenths = min(max(Int((share * 1_000).rounded()), 1), 999)
        return tenths % 10 == 0 ? "\(tenths / 10)%" : "\(tenths / 10).\(tenths % 10)%"
    }
    /// Parses a share such as `1%` or `0.5 %`, greater than 0% and less than 100%; returns `nil` for any other string.
    package static func share(_ text: String) -> Double? {
        guard text.last == "%", let percent = Double(text.dropLast().filter { $0 != " " }),
            percent > 0, percent < 100
        else { return nil }
        return percent / 100
    }
}
