import GatePolicy
import GateWire

/// The pass field of a request.
enum PassField: Equatable {
    case value(String)
    /// The field has several lines, or several values in a line.
    case repeated

    /// The number of bytes after which a value is cut off; no valid value is that long.
    private static let longest = 1024

    /// Reads the field, or returns `nil` if the request has none.
    init?(of head: borrowing RequestHead, in bytes: Span<UInt8>) {
        var value: Range<Int>?
        for line in head.fields.lines {
            guard line.role == .gateOwned,
                bytes.matches("x-versiongate-pass", from: line.start, to: line.nameEnd)
            else { continue }
            guard value == nil else {
                self = .repeated
                return
            }
            value = line.value
        }
        guard let value else { return nil }
        let end = min(value.upperBound, value.lowerBound + Self.longest)
        let isList = (value.lowerBound..<end).contains { bytes[$0] == ASCII.comma }
        self = isList ? .repeated : .value(bytes.text(from: value.lowerBound, to: end))
    }
}

/// A check of passes for a particular purpose.
struct PassCheck {
    enum Purpose {
        /// To evaluate a new request, which uses up a single-use pass.
        case request
        /// To re-evaluate a response in progress.
        ///
        /// The value is the ID of the pass that the request has used, or `nil` if it has used none.
        case response(Pass.ID?)
        /// To report a decision without evaluating a request.
        case inspection
    }

    let passes: PassSettings
    let purpose: Purpose

    /// Checks the pass of a client that the rules deny.
    func read(
        _ field: PassField,
        of client: ClientIdentity,
        by ruleSet: RuleSet,
        at now: Timestamp
    ) -> Pass.Reading {
        guard case .value(let value) = field else { return .refused(.repeated) }
        let reading = self.passes.read(value, client, now)
        guard case .valid(let pass) = reading else { return reading }
        guard !ruleSet.revokes(pass) else { return .refused(.revoked) }
        return self.isUsable(pass) ? reading : .refused(.used)
    }

    private func isUsable(_ pass: Pass) -> Bool {
        guard pass.isSingleUse else { return true }
        return switch self.purpose {
        case .request: self.passes.use(pass)
        case .response(pass.id): true
        case .response: self.passes.use(pass)
        case .inspection: self.passes.isUsable(pass)
        }
    }
}

/// Verdicts for clients with a valid pass.
extension WorkerRules {
    /// Returns the verdict that replaces the denial of a client with a valid pass.
    func verdict(
        passedBy pass: Pass,
        inPlaceOf denial: Verdict,
        for client: ClientIdentity,
        on head: RequestHead,
        facts: RequestFacts,
        in bytes: Span<UInt8>
    ) -> Verdict {
        let subject = Subject(
            identity: client,
            scope: self.scope(of: head, in: bytes),
            form: facts.answerForm
        )
        return self.render(
            denial.decision.passed(by: pass),
            on: subject,
            upstream: self.upstreamIdentity(of: client),
            nil,
            at: self.now()
        )
    }
}
