import GatePolicy
import GateWire

extension EnvoyCheckResponse {
    private static let forgeable = GateField.forgeable.filter {
        $0 != GateField.decision.lowercasedASCII
    }
    private static let forgeableBesideRoute = Self.forgeable.filter {
        $0 != GateField.route.lowercasedASCII
    }

    /// Creates the response for a verdict.
    ///
    /// `denial` is the denial for this client, or `nil` if the request is allowed. `origin` is the origin of a web app
    /// that must be able to read a denial. `added` contains the fields for the backend that depend on more than the
    /// verdict.
    init(
        _ verdict: Verdict,
        denial: RenderedAnswer?,
        origin: String?,
        added: [HeaderField],
        rules: WorkerRules
    ) {
        let metadata = verdict.decision.facts(of: rules.ruleSet.revision)
        if let denial {
            self.init(
                deniedWith: denial.status,
                lines: denial.fieldLines + (origin.map(RenderedAnswer.crossOriginLines) ?? []),
                body: denial.body,
                metadata: metadata
            )
            return
        }
        let lines = verdict.upstreamFields.text + RenderedAnswer.lines(added)
        // Fields that the gate sets are not in the list, because Envoy would remove these fields, too.
        let forgeable = verdict.route == nil ? Self.forgeable : Self.forgeableBesideRoute
        self.init(
            allowedWith: lines,
            removing: forgeable + Self.dropped(by: verdict, rules, unlessIn: lines),
            responseLines: verdict.clientFields.text,
            metadata: metadata
        )
    }

    /// Returns the names of the client's identity fields that the backend must not receive.
    ///
    /// Envoy first sets fields, which replaces all their existing lines, and then removes fields.
    private static func dropped(
        by verdict: Verdict,
        _ rules: WorkerRules,
        unlessIn lines: [UInt8]
    ) -> [String] {
        guard verdict.droppedFields != 0 else { return [] }
        var replaced: Set<String> = []
        let bytes = lines.span
        bytes.forEachFieldLine { line in
            replaced.insert(bytes.text(from: line.start, to: line.nameEnd).lowercasedASCII)
        }
        return rules.ruleSet.identityHeaderNames.prefix(64).enumerated()
            .filter { index, name in
                verdict.droppedFields & (1 << UInt64(index)) != 0 && !replaced.contains(name)
            }
            .map(\.element)
    }
}

extension WorkerRules {
    /// The lowercase name of the field that states the app; `nil` if the rules read no such field.
    var appField: String? {
        self.ruleSet.headerIndices(of: .app).first.map { self.ruleSet.identityHeaderNames[$0] }
    }
}
