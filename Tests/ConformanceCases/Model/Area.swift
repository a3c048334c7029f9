/// The areas that cases are about.
package enum Area: String, Sendable, CaseIterable, CustomStringConvertible {
    case requestLine = "request line"
    case fields = "header syntax"
    case framing = "request framing and smuggling"
    case chunks = "chunked syntax and trailers"
    case hopByHop = "fields for one hop"
    case forwarding = "methods, targets, upgrades"
    case responses = "odd and hostile responses"
    case truncation = "truncation"
    case leftovers = "bytes left over"
    case persistence = "keep-alive and pipelining"
    case interim = "early and interim responses, Expect"
    case endings = "half-close and resets"
    case enforcement = "enforcement"

    package var description: String { self.rawValue }
}
