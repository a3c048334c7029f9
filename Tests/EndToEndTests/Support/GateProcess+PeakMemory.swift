import GateTestSupport
import Testing

extension GateProcess {
    /// Expects that it has never held more than this, in bytes; warns where that cannot be told.
    func expectPeak(
        below limit: Int,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        guard !GateExecutable.isSanitized else {
            Issue.record(
                "not judged: most of what the gate holds is the sanitizer's",
                severity: .warning,
                sourceLocation: sourceLocation
            )
            return
        }
        let peak = try self.peakResidentSize()
        #expect(peak < limit, sourceLocation: sourceLocation)
    }
}
