import Testing

@testable import GateRules

struct PlainScalarTests {
    private func kind(_ text: String) -> String {
        switch Element.Content(plain: text) {
        case .text: "text"
        case .number: "number"
        case .boolean: "truth value"
        case .date: "date"
        case .nothing: "nothing"
        case .list, .mapping: "collection"
        }
    }

    @Test(
        arguments: [
            ("nothing", ["", "~", "null", "NULL"]),
            ("truth value", ["yes", "No", "TRUE", "false", "on", "Off"]),
            (
                "number",
                [
                    "0", "-1", "+1", "1.10", "3.", ".5", "1_000", "1e3", "1.5E-3", "0x1F", "0o17",
                    "0b01", "08", ".inf", "-.INF", ".NaN",
                ]
            ),
            ("date", ["2026-07-01", "2026-7-1", "2026-07-01T00:00:00Z", "2026-07-01 10:00:00"]),
            (
                "text",
                [
                    "1.2.3", "1.x", "v1", "1-2", "_1", ".", "-", "+", "e3", "1e", "0x", "0xg",
                    "2026-07", "2026-07-011", "26-07-01", "y", "ios", "nulls", "/a", "１",
                ]
            ),
        ]
    )
    func `a plain scalar has a kind on which all YAML versions agree`(
        _ expected: String,
        _ texts: [String]
    ) {
        for text in texts {
            #expect(self.kind(text) == expected, "\(text)")
        }
    }
}
