/// A share as people read it.
package enum ShareWords {
    /// With one decimal place; what is not nothing never looks like it, and what is not all, neither.
    package static func percent(_ share: Double) -> String {
        guard share > 0 else { return "0 %" }
        guard share < 1 else { return "100 %" }
        let tenths = min(max(Int((share * 1_000).rounded()), 1), 999)
        return tenths % 10 == 0 ? "\(tenths / 10) %" : "\(tenths / 10).\(tenths % 10) %"
    }
}
