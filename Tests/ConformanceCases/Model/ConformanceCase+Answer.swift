import GateTestSupport

/// Cases with a plain request and an unusual response.
extension ConformanceCase {
    static func request(
        _ method: String = "GET",
        _ target: String = "/a",
        _ fields: String = "",
        _ body: String = ""
    ) -> String {
        "\(method) \(target) HTTP/1.1\r\nHost: gate\r\n\(fields)\r\n\(body)"
    }

    /// The backend responds to `/a` with these bytes and closes.
    static func answered(
        _ strength: Strength,
        _ name: String,
        _ section: String,
        _ bytes: String,
        then end: [BackendStep] = [.close],
        demands: [Demand],
        ours: [Demand] = []
    ) -> ConformanceCase {
        Self(
            strength,
            name,
            section,
            client: [.send(Self.request()), .answer],
            backend: ["/a": [[.send(bytes.latin1)] + end]],
            demands: demands,
            ours: ours
        )
    }

    /// A proxy must not forward the response; the client gets a 502.
    static func badGateway(
        _ strength: Strength,
        _ name: String,
        _ section: String,
        _ bytes: String,
        then end: [BackendStep] = [.close]
    ) -> ConformanceCase {
        Self.answered(
            strength,
            name,
            section,
            bytes,
            then: end,
            demands: [.first(Array(500...504))],
            ours: [.status(502), .isProblem, .requests(1)]
        )
    }

    /// The response is forwarded in an unambiguous form, or becomes a 502.
    static func repaired(
        _ strength: Strength,
        _ name: String,
        _ section: String,
        _ bytes: String,
        then end: [BackendStep] = [.close],
        demands: [Demand]
    ) -> ConformanceCase {
        Self.answered(
            strength,
            name,
            section,
            bytes,
            then: end,
            demands: [.refusedOr(.status(200), .oneLength, .all(demands))]
        )
    }

    /// The response is valid and arrives complete.
    static func whole(
        _ strength: Strength,
        _ name: String,
        _ section: String,
        _ bytes: String,
        body: String = "hello",
        then end: [BackendStep] = [.close],
        demands: [Demand] = []
    ) -> ConformanceCase {
        Self.answered(
            strength,
            name,
            section,
            bytes,
            then: end,
            demands: [.status(200), .answers(body), .oneLength, .all(demands)]
        )
    }
}

extension Demand {
    /// The response has at most one indication of its length.
    static let oneLength = Demand("the response has two lengths") { observation in
        guard let fields = observation.final.first?.response.fields else { return true }
        return fields["Content-Length"].count + fields["Transfer-Encoding"].count <= 1
    }
}
