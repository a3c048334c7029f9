internal import GateCensus
internal import GatePolicy

/// The lines below the table, which say what it does not know.
extension OperationReport {
    /// Operations that a line names.
    private static let mostNamed = 3

    var remarks: [String] {
        self.timeRemarks + self.mismatchRemarks + self.shapeRemarks + self.operationRemarks
    }

    private var timeRemarks: [String] {
        if self.coverage.isEmpty { return ["?: the census has no requests of this time"] }
        let start = self.coverage.start.map {
            ["The census begins at \($0): nothing is known about the time before."]
        }
        return (start ?? [])
            + self.coverage.pauses.map { pause in
                "?: the census has no requests from \(pause.lowerBound) to \(pause.upperBound); "
                    + "it may have been off"
            }
    }

    private var mismatchRemarks: [String] {
        self.mismatches.map { misfit in
            let name = self.names[misfit.document]
            let seen = misfit.seen.map(\.text).joined(separator: ", ")
            let base = misfit.base.map { "'--base \($0)'" } ?? "--base"
            let isLike = misfit.base != nil || !misfit.isWhole
            let subject =
                misfit.isWhole ? "no request fits \(name)" : "no request fits a server of \(name)"
            let wayOut =
                isLike
                ? "if they are for this API, pass \(base)"
                : "if requests arrive under another path than that of its servers, pass --base"
            return "?: \(subject); seen: \(seen); \(wayOut)"
        }
    }

    private var shapeRemarks: [String] {
        var remarks: [String] = []
        func add(_ requests: UInt64, _ text: String) {
            if requests > 0 { remarks.append("?: \(requests) requests \(text)") }
        }
        add(
            self.gaps.shapeless,
            "have no shape: their paths are long, or ambiguous, or there were too many"
        )
        add(
            self.gaps.estimated,
            "are estimated from others, since there was no room for their paths; "
                + "a shorter --census-interval makes room"
        )
        add(self.gaps.early, "were counted before the census kept shapes of paths")
        add(
            self.gaps.unknownClients,
            "are of clients that the census does not tell apart; --census-max-cells makes room"
        )
        return remarks
    }

    private var operationRemarks: [String] {
        var remarks: [String] = []
        func add(_ doubt: OperationSurvey.Doubt, _ text: String) {
            let names = self.texts { $0 == doubt }
            guard !names.isEmpty else { return }
            let more = names.count - Self.mostNamed
            let named = names.prefix(Self.mostNamed).joined(separator: ", ")
            remarks.append("?: \(named)\(more > 0 ? " and \(more) more" : ""): \(text)")
        }
        add(.unversionedClients, "called by clients whose version is missing or unreadable")
        add(.uncounted, "CORS preflights, and paths that the gate answers itself, are not counted")
        add(.noShape, "the census keeps no shapes of such requests")
        for line in self.found {
            guard case .unknown(.unread(let reason)) = line.calls else { continue }
            remarks.append("?: \(line.place.text(self.operations)): \(reason)")
        }
        if self.found.contains(where: { $0.calls == .possible }) {
            remarks.append(
                "at most: the requests may be for another operation, "
                    + "or for a path that the document does not name"
            )
        }
        return remarks
    }
}
