/// A component that is tested with any bytes, and the properties that it must have.
package struct FuzzTarget: Sendable {
    /// The name of the target's folders in `Corpus` and `FailCases`.
    package let name: String
    private let body: @Sendable ([UInt8]) throws(Finding) -> Void

    package static let all: [FuzzTarget] = [
        FuzzTarget("request-head") { input throws(Finding) in
            try RequestHeadProperties(input).check()
        },
        FuzzTarget("response-head") { input throws(Finding) in
            try ResponseHeadProperties(input).check()
        },
        FuzzTarget("chunked-body") { input throws(Finding) in
            try ChunkedBodyProperties(input).check()
        },
        FuzzTarget("websocket-frames") { input throws(Finding) in
            try WebSocketProperties(input).check()
        },
        FuzzTarget("proxy-header") { input throws(Finding) in
            try ProxyHeaderProperties(input).check()
        },
        FuzzTarget("header-block") { input throws(Finding) in
            try HeaderBlockProperties(input).check()
        },
        FuzzTarget("envoy-check") { input throws(Finding) in
            try EnvoyCheckProperties(input).check()
        },
        FuzzTarget("envoy-module") { input throws(Finding) in
            try EnvoyModuleProperties(input).check()
        },
        FuzzTarget("http2-connection") { input throws(Finding) in
            try HTTP2ConnectionProperties(input).check()
        },
        FuzzTarget("exchange") { input throws(Finding) in
            try ExchangeProperties.check(input)
        },
        FuzzTarget("version") { input throws(Finding) in
            try VersionProperties(input).check()
        },
        FuzzTarget("accept-language") { input throws(Finding) in
            try AcceptLanguageProperties.check(input)
        },
        FuzzTarget("user-agent-pattern") { input throws(Finding) in
            try UserAgentPatternProperties.check(input)
        },
        FuzzTarget("pass") { input throws(Finding) in
            try PassProperties.check(input)
        },
        FuzzTarget("client-class") { input throws(Finding) in
            try ClientClassProperties(input).check()
        },
        FuzzTarget("recent-client") { input throws(Finding) in
            try RecentClientProperties(input).check()
        },
        FuzzTarget("request-path") { input throws(Finding) in
            try RequestPathProperties(input).check()
        },
        FuzzTarget("json") { input throws(Finding) in
            try JSONProperties(input).check()
        },
        FuzzTarget("json-stream") { input throws(Finding) in
            try JSONStreamProperties(input).check()
        },
        FuzzTarget("event-stream") { input throws(Finding) in
            try EventStreamProperties(input).check()
        },
        FuzzTarget("rules-file") { input throws(Finding) in
            try RulesFileProperties.check(input)
        },
        FuzzTarget("rules-change") { input throws(Finding) in
            try RulesChangeProperties.check(input)
        },
    ]

    private init(_ name: String, _ body: @escaping @Sendable ([UInt8]) throws(Finding) -> Void) {
        self.name = name
        self.body = body
    }

    /// Returns the target with this name; `nil` if there is none.
    package static func named(_ name: String) -> FuzzTarget? {
        self.all.first { $0.name == name }
    }

    /// Checks all properties for one input.
    package func check(_ input: [UInt8]) throws(Finding) {
        try self.body(input)
    }
}
