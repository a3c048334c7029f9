import GateTestSupport

/// Cases of one plain request whose answer is odd.
extension ConformanceCase {
    static func request(
        _ method: String = "GET",
        _ target: String = "/a",
        _ fields: String = "",
        _ body: String = ""
    ) -> String {
        "\(method) \(target) HTTP/1.1\r\nHost: gate\r\n\(fields)\r\n\(body)"
    }

    /// The backend answers `/a` with these bytes and closes.
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

    /// Nobody may pass such an answer on; the client gets a 502.
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

    /// The answer is passed on in a form that is beyond doubt, or becomes a 502.
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

    /// The answer is legal and arrives whole.
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
    /// The answer tells its length in one way, if at all.
    static let oneLength = Demand("the answer has two lengths") { observation in
        guard let fields = observation.final.first?.response.fields else { return true }
        return fields["Content-Length"].count + fields["Transfer-Encoding"].count <= 1
    }
}
