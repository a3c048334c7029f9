import GatePolicy
import GateSystem
import Testing

@testable import GateFeeds

struct ConnectBudgetTests {
    private func budget(_ value: String?) -> ConnectBudget {
        let fields = value.map { [HeaderField(name: "x-rate-limit", value: $0)] } ?? []
        return ConnectBudget(ResponseHead(status: 200, fields: fields))
    }

    @Test(
        arguments: [
            ("user-hour-lim:3500;user-hour-rem:500;", nil, 60),
            ("user-hour-lim:3500;user-hour-rem:174;", "hour", 60),
            ("user-hour-lim:3500;user-hour-rem:0;", "hour", 900),
            (
                "user-minute-lim:150;user-minute-rem:7;user-hour-lim:3500;user-hour-rem:500;",
                "minute", 60
            ),
            (
                "user-minute-lim:150;user-minute-rem:0;user-hour-lim:3500;user-hour-rem:0;", "hour",
                900
            ),
            // These values are invalid, because they exceed any key's limit.
            ("user-hour-lim:3500;user-hour-rem:9223372036854775807;", nil, 60),
            ("user-hour-lim:3500;user-hour-rem:-9223372036854775808;", "hour", 900),
            ("user-hour-rem:0;", nil, 60), ("user-hour-lim:many;user-hour-rem:0", nil, 60),
            ("", nil, 60), (nil, nil, 60),
        ] as [(String?, String?, Int64)]
    )
    func `the remaining requests of a key are parsed, and invalid values are ignored`(
        value: String?,
        scarce: String?,
        patience: Int64
    ) {
        #expect(self.budget(value).scarce?.name == scarce)
        #expect(self.budget(value).patience == patience)
    }
}
