/// Cases of one request at the border of what RFC 9112 allows, with a follower behind it.
extension ConformanceCase {
    /// The part with the fault, and so how much may have been passed on before it is seen.
    enum Part: Sendable {
        /// Nothing of the request may reach the backend.
        case head
        /// The head and the body before the fault may have; the end of the request must not, nor
        /// this text, which stands behind the fault.
        case body(hidden: String)
    }

    /// Nobody may let it pass.
    ///
    /// `with`: how the gate answers; `rfc`: the status that the RFC wants from everyone, if it does.
    static func refused(
        _ strength: Strength,
        _ name: String,
        _ section: String,
        _ text: String,
        with statuses: [Int] = [400],
        rfc: Int? = nil,
        part: Part = .head
    ) -> ConformanceCase {
        Self(
            strength,
            name,
            section,
            client: Self.withFollower(text),
            demands: [.first(rfc.map { [$0] } ?? Demand.refusals)] + Self.nothingBehind(part),
            ours: Self.refusal(statuses, part)
        )
    }

    /// Nobody may let it pass, nor read on: where it ends is unknown.
    static func unframed(
        _ strength: Strength,
        _ name: String,
        _ section: String,
        _ text: String,
        with statuses: [Int] = [400],
        rfc: Int? = nil
    ) -> ConformanceCase {
        var each = Self.refused(strength, name, section, text, with: statuses, rfc: rfc)
        each.demands.append(.endsThere)
        return each
    }

    /// It is legal, and reaches the backend with this body.
    static func passes(
        _ strength: Strength,
        _ name: String,
        _ section: String,
        _ text: String,
        body: String = ""
    ) -> ConformanceCase {
        Self(
            strength,
            name,
            section,
            client: Self.withFollower(text),
            demands: [
                .status(200), .arrives(body), .requests(1), .isUnambiguous, .followerIsAnswered,
            ]
        )
    }

    /// The RFC leaves the choice, but what passes must be beyond doubt; the gate refuses.
    static func refusedHere(
        _ strength: Strength,
        _ name: String,
        _ section: String,
        _ text: String,
        with statuses: [Int] = [400],
        part: Part = .head,
        body: String = "",
        demands: [Demand] = []
    ) -> ConformanceCase {
        var each = Self.refusedOrPasses(
            strength,
            name,
            section,
            text,
            part: part,
            body: body,
            demands: demands
        )
        each.ours = Self.refusal(statuses, part)
        return each
    }

    /// The RFC leaves the choice, and so does the gate's own rule.
    static func refusedOrPasses(
        _ strength: Strength,
        _ name: String,
        _ section: String,
        _ text: String,
        part: Part = .head,
        body: String = "",
        demands: [Demand] = []
    ) -> ConformanceCase {
        Self(
            strength,
            name,
            section,
            client: Self.withFollower(text),
            demands: [
                .refusedOr(
                    .status(200),
                    .arrives(body),
                    .requests(1),
                    .isUnambiguous,
                    .followerIsAnswered,
                    .all(demands),
                    refused: [.first(Demand.refusals)] + Self.nothingBehind(part)
                )
            ]
        )
    }

    /// Two framings in one request: refused, or read as the RFC says and the connection closed.
    static func closesAnyway(
        _ name: String,
        _ section: String,
        _ text: String,
        bodies: String...
    ) -> ConformanceCase {
        Self(
            .must,
            name,
            section,
            client: Self.withFollower(text),
            demands: [
                .refusedOr(
                    .status(200),
                    .arrives(oneOf: bodies),
                    .requests(1),
                    .isUnambiguous,
                    .endsThere,
                    refused: Self.nothingBehind(.head) + [.endsThere]
                )
            ],
            ours: Self.refusal([400], .head)
        )
    }

    private static func withFollower(_ text: String) -> [ClientStep] {
        [.send(text + ClientStep.follower), .readToFollower]
    }

    private static func nothingBehind(_ part: Part) -> [Demand] {
        switch part {
        case .head:
            [.nothingReaches]
        case .body(let hidden):
            [
                .neverCompletes, .neverReaches(hidden), .neverReaches("/smuggled"), .endsThere,
            ]
        }
    }

    private static func refusal(_ statuses: [Int], _ part: Part) -> [Demand] {
        [.statuses(statuses), .endsThere, .saysClose, .isProblem] + Self.nothingBehind(part)
    }
}
