internal import GateCensus
internal import GatePolicy

/// The remarks below the table, about gaps in the data.
extension OperationReport {
    /// The maximum number of operations that a remark names.
    private static let mostNamed = 3

    var remarks: [String] {
        self.timeRemarks + self.mismatchRemarks + self.shapeRemarks + self.operationRemarks
    }

    private var timeRemarks: [String] {
        if self.coverage.isEmpty { return ["?: the census has no requests in this period"] }
        let start = self.coverage.start.map {
            ["The census starts at \($0); earlier requests are unknown."]
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
                misfit.isWhole
                ? "no request matches \(name)" : "no request matches a server in \(name)"
            let wayOut =
                isLike
                ? "if these requests are for this API, pass \(base)"
                : "if the base path of the requests differs from those of its servers, pass --base"
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
            "have no shape: their paths are too long or ambiguous, or there were too many shapes"
        )
        add(
            self.gaps.estimated,
            "have estimated paths, because the limit for paths was reached; "
                + "a shorter --census-interval records more paths"
        )
        add(self.gaps.early, "were counted before the census recorded path shapes")
        add(
            self.gaps.unknownClients,
            "are from kinds of clients beyond --census-max-cells; increase it"
        )
        return remarks
    }

    private var operationRemarks: [String] {
        var remarks: [String] = []
        func add(_ doubt: OperationSurvey.Doubt, _ text: String) {
            let names = self.found.filter { $0.calls == .unknown(doubt) }
                .map { $0.place.text(self.operations) }
            guard !names.isEmpty else { return }
            let more = names.count - Self.mostNamed
            let named = names.prefix(Self.mostNamed).joined(separator: ", ")
            remarks.append("?: \(named)\(more > 0 ? " and \(more) more" : ""): \(text)")
        }
        add(.unversionedClients, "called by clients whose version is missing or unparsable")
        add(.uncounted, "CORS preflights and requests to the gate's own endpoints are not counted")
        add(.noShape, "the census stores no path shapes for these requests")
        for line in self.found {
            guard case .unknown(.unread(let reason)) = line.calls else { continue }
            remarks.append("?: \(line.place.text(self.operations)): \(reason)")
        }
        if self.found.contains(where: { $0.calls == .possible }) {
            remarks.append(
                "at most: the requests may be for another operation, "
                    + "or for a path that is not in the document"
            )
        }
        return remarks
    }
}
