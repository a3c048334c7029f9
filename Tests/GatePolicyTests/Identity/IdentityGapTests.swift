import Testing

@testable import GatePolicy

@Suite struct IdentityGapTests {
    @Test func `invalid values come before missing ones, and the version comes first`() {
        let gaps: [IdentityGap] = [
            .missing(.app), .unreadable(.app), .missing(.version), .unreadable(.version),
        ]
        #expect(
            gaps.sorted() == [
                .unreadable(.version), .unreadable(.app), .missing(.version), .missing(.app),
            ]
        )
    }

    @Test func `a gap is described by a clause`() {
        #expect(
            IdentityGap.missing(.osVersion).description
                == "the client does not state its OS version"
        )
        #expect(
            IdentityGap.unreadable(.version).description
                == "the version that the client states cannot be parsed"
        )
    }
}
