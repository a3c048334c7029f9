import Testing

@testable import GateProxy

struct SharedDenialsTests {
    @Test func `another denial is expected after two in a row`() {
        var denials = SharedDenials.none
        denials.add()
        #expect(denials.isCached)
        #expect(!denials.expectsDenial)
        for expected in [false, true, true] {
            denials.count(isDenied: true)
            #expect(denials.expectsDenial == expected)
        }
        denials.count(isDenied: false)
        #expect(denials == .cached(inARow: 0))
    }

    @Test func `no denial is expected before one is cached`() {
        var denials = SharedDenials.none
        for _ in 0..<3 { denials.count(isDenied: true) }
        #expect(!denials.isCached)
        #expect(!denials.expectsDenial)
    }

    @Test func `another shared denial does not restart the count`() {
        var denials = SharedDenials.cached(inARow: 2)
        denials.add()
        #expect(denials.expectsDenial)
    }
}
