/// A share as people read it.
package enum ShareWords {
    /// With one decimal place; what is not nothing never looks like it, and what is not all, neither.
    package static func percent(_ share: Double) -> String {
        guard share > 0 else { return "0 %" }
        guard share < 1 else { return "100 %" }
        let tenths = min(max(Int((share * 1_000).rounded()), 1), 999)
        return tenths % 10 == 0 ? "\(tenths / 10) %" : "\(tenths / 10).\(tenths % 10) %"
    }
    /// Reads a share that people write: `1%`, `0.5 %`; `nil` for what is none, and for nothing or more than
    /// all.
    package static func share(_ text: String) -> Double? {
        guard text.last == "%", let percent = Double(text.dropLast().filter { $0 != " " }),
            percent > 0, percent < 100
        else { return nil }
        return percent / 100
    }
}
