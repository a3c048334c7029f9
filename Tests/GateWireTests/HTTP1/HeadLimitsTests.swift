import Testing
import WireSamples

@testable import GateWire

/// Limits on heads, which apply at the same byte however a head arrives.
struct HeadLimitsTests {
    private enum Arrival: CaseIterable {
        case whole, byteByByte

        func parse(_ text: String, limits: HeadLimits) -> RequestHeadParser.Progress {
            let bytes = Array(text.utf8)
            var parser = RequestHeadParser(limits: limits)
            return switch self {
            case .whole: parser.parse(bytes, table: RequestSample.table)
            case .byteByByte: parser.parse(bytes, endingAt: 1...bytes.count)
            }
        }

        func parseResponse(_ text: String, limits: HeadLimits) -> RequestHeadParser.Progress {
            let bytes = Array(text.utf8)
            var parser = ResponseHeadParser(limits: limits)
            return switch self {
            case .whole: parser.parse(bytes)
            case .byteByByte: parser.parse(bytes, endingAt: 1...bytes.count)
            }
        }
    }

    private static func limits(
        bytes: Int = 4096,
        fields: Int = 100,
        target: Int = 1024
    ) -> HeadLimits {
        HeadLimits(bytes: bytes, fields: fields, target: target)
    }

    @Test(arguments: [0, 1, 2, 3, 100])
    func `a request head may be as long as the limit, but not longer`(_ excess: Int) {
        let text = wire("GET / HTTP/1.1", "Host: a", "Pad: 0123456789")
        let limits = Self.limits(bytes: text.utf8.count - excess + 1)
        for arrival in Arrival.allCases {
            #expect(
                arrival.parse(text, limits: limits)
                    == (excess <= 1 ? .complete : .malformed(.headTooLarge)),
                "\(arrival)"
            )
        }
    }

    @Test(arguments: [0, 1, 2, 3, 30])
    func `a response head may be as long as the limit, but not longer`(_ excess: Int) {
        let text = wire("HTTP/1.1 200 OK", "A: b", "Pad: 0123456789")
        let limits = Self.limits(bytes: text.utf8.count - excess + 1)
        for arrival in Arrival.allCases {
            #expect(
                arrival.parseResponse(text, limits: limits)
                    == (excess <= 1 ? .complete : .malformed(.headTooLarge)),
                "\(arrival)"
            )
        }
    }

    @Test func `a head may have as many fields as the limit, but not more`() {
        let two = wire("GET / HTTP/1.1", "Host: a", "B: c")
        let response = wire("HTTP/1.1 200 OK", "A: b", "B: c")
        for arrival in Arrival.allCases {
            #expect(arrival.parse(two, limits: Self.limits(fields: 2)) == .complete)
            #expect(
                arrival.parse(two, limits: Self.limits(fields: 1)) == .malformed(.tooManyFields)
            )
            #expect(arrival.parseResponse(response, limits: Self.limits(fields: 2)) == .complete)
            #expect(
                arrival.parseResponse(response, limits: Self.limits(fields: 1))
                    == .malformed(.tooManyFields)
            )
        }
    }

    @Test(arguments: ["GET", "DELETE", "PROPPATCH", "OPTIONS"])
    func `a target may be as long as the limit, but not longer`(_ method: String) {
        let limits = Self.limits(target: 200)
        for arrival in Arrival.allCases {
            let longest = "/" + String(repeating: "a", count: 199)
            #expect(
                arrival.parse(wire("\(method) \(longest) HTTP/1.1", "Host: a"), limits: limits)
                    == .complete
            )
            #expect(
                arrival.parse(wire("\(method) \(longest)a HTTP/1.1", "Host: a"), limits: limits)
                    == .malformed(.targetTooLong)
            )
        }
    }

    @Test func `empty lines before a request do not count against its target`() {
        let limits = Self.limits(target: 100)
        let text =
            String(repeating: "\r\n", count: 60)
            + wire("GET /\(String(repeating: "a", count: 99)) HTTP/1.1", "Host: a")
        for arrival in Arrival.allCases {
            #expect(arrival.parse(text, limits: limits) == .complete, "\(arrival)")
        }
    }

    @Test func `an endless sequence of empty lines is rejected`() {
        let text = String(repeating: "\r\n", count: 3000)
        for arrival in Arrival.allCases {
            guard case .malformed = arrival.parse(text, limits: Self.limits()) else {
                Issue.record("still waiting: \(arrival)")
                continue
            }
        }
    }

    @Test func `an endless line is rejected as soon as it exceeds the limit`() {
        let limits = Self.limits(bytes: 300, target: 100)
        let target = "GET /" + String(repeating: "a", count: 300)
        let field = "GET / HTTP/1.1\r\nA: " + String(repeating: "a", count: 300)
        for arrival in Arrival.allCases {
            #expect(arrival.parse(target, limits: limits) == .malformed(.targetTooLong))
            #expect(arrival.parse(field, limits: limits) == .malformed(.headTooLarge))
            #expect(
                arrival.parseResponse(
                    "HTTP/1.1 200 " + String(repeating: "a", count: 300),
                    limits: limits
                ) == .malformed(.headTooLarge)
            )
        }
    }

    @Test func `the default limits are the documented ones`() {
        #expect(HeadLimits.defaults == HeadLimits(bytes: 32768, fields: 100, target: 8192))
    }
}
