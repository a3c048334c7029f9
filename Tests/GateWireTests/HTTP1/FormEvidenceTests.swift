import GatePolicy
import Testing
import WireSamples

@testable import GateWire

struct FormEvidenceTests {
    /// The parts of a request without a body that determine the form of the denial.
    struct Asked: CustomTestStringConvertible {
        var method = "POST"
        var target = "/shop.Orders/List"
        var lines: [String] = []
        var form: AnswerForm

        var testDescription: String {
            "\(self.method) \(self.target) \(self.lines) is \(self.form)"
        }
    }

    private static func asked(_ lines: String..., form: AnswerForm) -> Asked {
        Asked(lines: lines, form: form)
    }

    private static func asked(
        by method: String,
        _ target: String,
        _ lines: String...,
        form: AnswerForm
    ) -> Asked {
        Asked(method: method, target: target, lines: lines, form: form)
    }

    static let browser = "Accept: text/html,application/xhtml+xml,*/*;q=0.8"
    static let connect = "Connect-Protocol-Version: 1"
    static let graphQL = "Accept: application/graphql-response+json, application/json;q=0.9"

    static let ordinary = [
        asked(form: .document),
        asked("Accept: */*", form: .document),
        asked("Accept: application/json, text/plain, */*", form: .document),
        asked("Accept: text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2", form: .document),
        asked("Accept: text/html;q=0.9, Application/XHTML+xml,*/*;q=0.8", form: .page),
        asked("Accept: application/xhtml+xml,text/html", form: .page),
        asked("Accept: ,TEXT/HTML,, APPLICATION/XHTML+XML,", form: .page),
        asked("Accept: text/htmlx, application/xhtml+xml", form: .document),
        asked("Accept: text/html", "Accept: application/xhtml+xml", form: .document),
        asked("Content-Type: application/json", form: .document),
        asked("Content-Type: application/proto", form: .document),
        asked("Content-Type:", form: .document),
        asked("Content-Type: application/", form: .document),
        asked("Content-Type: application/problem+json", form: .document),
        asked("Content-Type: text/graphql", form: .document),
    ]

    static let grpc = [
        asked("Content-Type: application/grpc", form: .grpc),
        asked("content-type: Application/GRPC+proto", form: .grpc),
        asked("Content-Type: application/grpc;charset=utf-8", form: .grpc),
        asked("Content-Type: application/grpcx", form: .document),
        asked("Content-Type: application/grpc-web", form: .grpcWeb),
        asked("Content-Type: application/grpc-web+proto", form: .grpcWeb),
        asked("Content-Type: application/grpc-web-text", form: .grpcWebText),
        asked("Content-Type: application/grpc-web-text+proto", form: .grpcWebText),
        asked(browser, "Content-Type: application/grpc", form: .grpc),
        asked("Content-Type: application/grpc", browser, form: .grpc),
        // The backend parses the message by its media type.
        asked(connect, "Content-Type: application/grpc", form: .grpc),
        asked("Content-Type: application/grpc-web+proto", connect, form: .grpcWeb),
        asked(graphQL, "Content-Type: application/grpc", form: .grpc),
        asked(by: "POST", "/a/graphql", "Content-Type: application/grpc", form: .grpc),
    ]

    static let connectCalls = [
        asked(connect, "Content-Type: application/json", form: .connect),
        asked("Content-Type: application/proto", connect, form: .connect),
        asked("CONNECT-PROTOCOL-VERSION:  1 ", form: .connect),
        asked("Connect-Protocol-Version: 2", "Content-Type: application/json", form: .document),
        asked("Connect-Protocol-Version: 1.0", form: .document),
        asked("Connect-Protocol-Version: 1, 1", form: .document),
        asked("Connect-Protocol-Version:", form: .document),
        asked("Connect-Protocol-Version: 2", connect, form: .connect),
        asked("Content-Type: application/connect+json", form: .connectStreamJSON),
        asked("Content-Type: Application/Connect+JSON; charset=utf-8", form: .connectStreamJSON),
        asked("Content-Type: application/connect+proto", connect, form: .connectStreamProto),
        asked("Content-Type: application/connect+thrift", form: .connect),
        asked("Content-Type: application/connect", form: .connect),
        asked("Content-Type: application/connecting", form: .document),
        asked(connect, browser, form: .connect),
        asked(connect, graphQL, form: .connect),
        asked(connect, "Content-Type: application/graphql", form: .connect),
        asked(by: "POST", "/graphql", connect, form: .connect),
        asked(by: "GET", "/s.S/Get?connect=v1&encoding=json&message=%7B%7D", form: .connect),
        asked(by: "GET", "/s.S/Get?encoding=proto&message=AA&base64=1&connect=v1", form: .connect),
        asked(by: "GET", "http://a/s.S/Get?connect=v1", form: .connect),
        asked(by: "HEAD", "/s.S/Get?connect=v1", form: .connect),
        asked(by: "POST", "/s.S/Get?connect=v1", form: .document),
        asked(by: "DELETE", "/s.S/Get?connect=v1", form: .document),
        asked(by: "GET", "/s.S/Get?connect=v2", form: .document),
        asked(by: "GET", "/s.S/Get?connect=v11", form: .document),
        asked(by: "GET", "/s.S/Get?xconnect=v1", form: .document),
        asked(by: "GET", "/s.S/Get?Connect=v1", form: .document),
        asked(by: "GET", "/s.S/connect=v1", form: .document),
        asked(by: "GET", "/s.S/Get?a&b&c&d&e&f&g&connect=v1", form: .connect),
        asked(by: "GET", "/s.S/Get?a&b&c&d&e&f&g&h&connect=v1", form: .document),
        asked(by: "GET", "/s.S/Get?", form: .document),
        asked(by: "GET", "/s.S/Get?&", form: .document),
        asked(by: "GET", "/s.S/Get?connect=v1", browser, form: .page),
    ]

    static let graphQLRequests = [
        asked(graphQL, form: .graphQLResponse),
        asked("Accept: Application/GraphQL-Response+JSON;charset=utf-8", form: .graphQLResponse),
        asked("Accept: APPLICATION/GRAPHQL-RESPONSE+JSON", form: .graphQLResponse),
        asked("Accept: */*", graphQL, form: .graphQLResponse),
        asked("Accept: application/graphql-response", form: .document),
        asked(by: "GET", "/api?query=%7Ba%7D", graphQL, form: .graphQLResponse),
        asked(graphQL, browser, form: .graphQLResponse),
        asked("Content-Type: application/graphql", form: .graphQL),
        asked("Content-Type: application/graphql+json; charset=utf-8", form: .graphQL),
        asked("Content-Type: application/graphql-response+json", form: .document),
        asked("Content-Type: application/graphql", graphQL, form: .graphQLResponse),
        asked("Apollographql-Client-Name: shop", form: .graphQL),
        asked("X-APOLLO-OPERATION-NAME: Orders", "Accept: application/json", form: .graphQL),
        asked("Apollo-Require-Preflight: 1", "Content-Type: multipart/form-data", form: .graphQL),
        asked("X-Apollo-Operation-Name:", form: .graphQL),
        asked("X-APOLLO-OPERATION-NAME: Orders", graphQL, form: .graphQLResponse),
        asked("X-APOLLO-OPERATION-NAME: Orders", browser, form: .graphQL),
        asked(by: "POST", "/graphql", form: .graphQL),
        asked(by: "POST", "/graphql", "Content-Type: application/json", form: .graphQL),
        asked(by: "POST", "/v1/graphql?name=Orders", form: .graphQL),
        asked(by: "POST", "/graphql/", form: .graphQL),
        asked(by: "POST", "http://a/graphql", form: .graphQL),
        asked(by: "POST", "/graphql", browser, form: .page),
        asked(by: "POST", "/graphql", graphQL, form: .graphQLResponse),
        asked(by: "POST", "/xgraphql", form: .document),
        asked(by: "POST", "/graphql/more", form: .document),
        asked(by: "POST", "/graphql//", form: .document),
        asked(by: "POST", "/GraphQL", form: .document),
        asked(by: "POST", "/a?b=/graphql", form: .document),
        asked(by: "POST", "/", form: .document),
        asked(by: "POST", "/?", form: .document),
        asked(by: "GET", "/articles/graphql", form: .document),
        asked(by: "PUT", "/graphql", form: .document),
    ]

    static let contradictory = [
        asked("Content-Type: application/grpc", "Content-Type: application/json", form: .grpc),
        asked("Content-Type: application/json", "Content-Type: application/grpc", form: .grpc),
        // The first of two types that indicate a form counts, as in most servers.
        asked(
            "Content-Type: application/grpc-web",
            "Content-Type: application/grpc",
            form: .grpcWeb
        ),
        asked(
            "Content-Type: application/connect+json",
            "Content-Type: application/connect+proto",
            form: .connectStreamJSON
        ),
        asked(
            "Content-Type: application/graphql",
            "Content-Type: application/grpc",
            form: .graphQL
        ),
        asked("Content-Type: application/json, application/grpc", form: .document),
        asked("Connect_Protocol_Version: 1", form: .document),
    ]

    @Test(arguments: ordinary + grpc + connectCalls + graphQLRequests + contradictory)
    func `the request head determines the form of the response`(_ asked: Asked) throws {
        let lines = ["\(asked.method) \(asked.target) HTTP/1.1", "Host: a"] + asked.lines
        #expect(try RequestSample(wire(lines)).facts().answerForm == asked.form)
    }

    @Test func `every form is determined by some request`() {
        let all = Self.ordinary + Self.grpc + Self.connectCalls + Self.graphQLRequests
        #expect(Set(all.map(\.form)) == Set(AnswerForm.allCases))
    }
}
