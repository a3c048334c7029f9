/// Cases with a request at the limits of RFC 9112, and the follower after it.
extension ConformanceCase {
    /// The part with the fault, which determines how much may be forwarded before it is detected.
    enum Part: Sendable {
        /// Nothing of the request may reach the backend.
        case head
        /// The head, and the body up to the fault, may reach the backend; the end of the request and this text, which
        /// comes after the fault, must not.
        case body(hidden: String)
    }

    /// A proxy must not forward the request.
    ///
    /// `with` is the status of the gate's response, and `rfc` the status that the RFC requires, if any.
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

    /// A proxy must not forward the request or read anything after it, because the request's end is unknown.
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

    /// The request is valid, and reaches the backend with this body.
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

    /// The RFC permits rejecting and forwarding, but a forwarded request must be unambiguous; the gate rejects it.
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

    /// Both the RFC and the gate's own rules permit rejecting and forwarding.
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

    /// A request with two framings is rejected or interpreted as the RFC specifies; either way, the connection is
    /// closed.
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
