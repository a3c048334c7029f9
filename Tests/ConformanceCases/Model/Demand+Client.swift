import GateTestSupport

extension Demand {
    /// All error statuses.
    static let refusals = Array(400...599)

    /// The responses to the client, without the one to the follower, have these statuses in order.
    static func statuses(_ accepted: [Int]...) -> Demand {
        Demand { observation in
            let statuses = observation.final.map(\.response.status)
            let fits =
                statuses.count == accepted.count
                && zip(statuses, accepted).allSatisfy { $1.contains($0) }
            return fits
                ? nil : "responds with \(statuses)\(observation.trouble.map { ", \($0)" } ?? "")"
        }
    }

    static func status(_ accepted: Int...) -> Demand { .statuses(accepted) }

    /// The first response has one of these statuses.
    static func first(_ accepted: [Int]) -> Demand {
        Demand { observation in
            guard let first = observation.final.first else {
                return "no response\(observation.trouble.map { ": \($0)" } ?? "")"
            }
            return accepted.contains(first.response.status)
                ? nil : "responds with \(first.response.status)"
        }
    }

    /// The connection ends after the first response, and nothing after it is read.
    static let endsThere: Demand = .all([
        Demand("the connection continues after the response") {
            $0.answers.count <= 1 && $0.ending != nil
        },
        .followerIsUnheard,
    ])

    static let followerIsUnheard = Demand("the next request reached the backend") {
        !$0.followerReached
    }

    static let followerIsAnswered = Demand("the next request gets no response") {
        $0.answers.last?.isToFollower == true
    }

    static let closes = Demand("the connection stays") { $0.ending != nil }

    /// The response has `Connection: close`.
    static let saysClose = Demand("no Connection: close") {
        $0.final.last?.response.fields.tokens("Connection") == ["close"]
    }

    /// The response is one of the gate's problem documents.
    static let isProblem = Demand("no problem document") { observation in
        guard let response = observation.final.last?.response else { return false }
        let type = response.fields["Content-Type"].first ?? ""
        return response.version == "HTTP/1.1" && response.isComplete
            && type.hasPrefix("application/problem+json")
    }

    /// A response has exactly this body.
    static func answers(_ text: String, at index: Int = 0) -> Demand {
        Demand { observation in
            guard index < observation.final.count else { return "no response" }
            let response = observation.final[index].response
            guard response.isComplete else { return "the answer is cut short" }
            return response.body == text.latin1
                ? nil : "responds with \(response.text.prefix(40).debugDescription)"
        }
    }

    /// The response is to a request with this target.
    static func echoes(_ target: String, at index: Int = 0) -> Demand {
        Demand { observation in
            guard index < observation.final.count else { return "no response to \(target)" }
            return observation.final[index].echo?.target == target
                ? nil : "wrong response to \(target)"
        }
    }

    static func answerField(_ name: String, _ values: String..., at index: Int = 0) -> Demand {
        Demand { observation in
            guard index < observation.final.count else { return "no response" }
            let found = observation.final[index].response.fields[name]
            return found == values ? nil : "the answer's \(name) is \(found)"
        }
    }

    /// The response does not have this value in a field.
    static func answerLacks(_ name: String, _ value: String? = nil) -> Demand {
        Demand { observation in
            let found = observation.final.first?.response.fields.tokens(name) ?? []
            let bad = value.map { found.contains($0.lowercased()) } ?? !found.isEmpty
            return bad ? "the response has \(name): \(found.joined(separator: ", "))" : nil
        }
    }

    /// No byte of this text reaches the client, in any response.
    static func clientNeverHears(_ text: String) -> Demand {
        Demand { observation in
            let heard =
                observation.answers.contains { answer in
                    answer.response.text.contains(text)
                        || answer.response.reason.contains(text)
                        || answer.response.fields.lines.contains {
                            $0.name.contains(text) || $0.value.contains(text)
                        }
                } || observation.trouble?.contains(text) == true
            return heard ? "the client receives \(text.debugDescription)" : nil
        }
    }

    /// The response is truncated or missing, or is the proxy's own error.
    static let neverLooksComplete = Demand("a truncated response looks complete") { observation in
        guard let answer = observation.final.first else { return true }
        return answer.response.status >= 500 || !answer.response.isComplete
    }

    static func interim(_ statuses: Int...) -> Demand {
        Demand { observation in
            let heard =
                (observation.final.first?.interim ?? []).map(\.status)
                + observation.pending.map(\.status)
            return heard == statuses ? nil : "interim responses \(heard)"
        }
    }

    static func hears(_ text: String) -> Demand {
        Demand("what follows is not \(text.debugDescription)") { $0.bytes == text.latin1 }
    }
}
