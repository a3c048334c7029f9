import GatePolicy
import Testing

@testable import GateSystem

struct ResponseHeadReaderTests {
    private func heads(_ lines: [String]) -> [ResponseHeadReader.Action] {
        var reader = ResponseHeadReader()
        return lines.map { reader.receive(Array("\($0)\r\n".utf8)) }.filter { $0 != .wait }
    }

    @Test func `a head is complete at its empty line`() {
        let head = ResponseHead(
            status: 200,
            fields: [
                HeaderField(name: "ETag", value: "\"a:b\""), HeaderField(name: "Empty", value: ""),
            ]
        )
        #expect(
            self.heads(["HTTP/1.1 200 OK", "ETag:  \"a:b\" ", "Empty:", ""]) == [.deliver(head)]
        )
        #expect(head["etag"] == "\"a:b\"")
        #expect(head["missing"] == nil)
    }

    @Test func `interim responses and trailers are skipped`() {
        let head = ResponseHead(status: 404, fields: [])
        let lines = [
            "HTTP/1.1 100 Continue", "A: b", "", "HTTP/1.1 103 Early Hints", "",
            "HTTP/1.1 404 Not Found", "", "Trailer: x", "",
        ]
        #expect(self.heads(lines) == [.deliver(head)])
    }

    @Test func `a line that is not a field is skipped`() {
        #expect(
            self.heads(["HTTP/1.1 200", "nonsense", ""])
                == [.deliver(ResponseHead(status: 200, fields: []))]
        )
    }

    @Test func `an endless head is rejected`() {
        let line = "X: " + String(repeating: "x", count: 1000)
        let actions = self.heads(["HTTP/1.1 200"] + Array(repeating: line, count: 70))
        #expect(actions.first == .fail)
    }
}
