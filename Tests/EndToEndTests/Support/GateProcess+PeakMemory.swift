import GateTestSupport
import Testing

extension GateProcess {
    /// Expects that the gate's peak memory stayed below the limit, in bytes.
    ///
    /// Warns in builds that cannot measure it.
    func expectPeak(
        below limit: Int,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        guard !GateExecutable.isSanitized else {
            Issue.record(
                "not checked: most of the gate's memory belongs to the sanitizer",
                severity: .warning,
                sourceLocation: sourceLocation
            )
            return
        }
        let peak = try self.peakResidentSize()
        #expect(peak < limit, sourceLocation: sourceLocation)
    }
}
