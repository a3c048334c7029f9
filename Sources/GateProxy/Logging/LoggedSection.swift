/// The parts of a header section that log lines show: `Referer`, `User-Agent` and the client; found once
/// for all requests of a connection that have the same section.
struct LoggedSection {
    /// That of the section in which they were found.
    private var generation: UInt64 = 0
    /// Indices into the field lines; the last of two counts.
    private(set) var referer: Int?
    private(set) var userAgent: Int?
    private var client: LoggedClient?

    /// Looks at a head, unless its header section is the same as that of the last one.
    mutating func find(
        in head: borrowing RequestHead,
        generation: HeadGeneration,
        bytes: Span<UInt8>
    ) {
        guard generation.fields != self.generation else { return }
        self = LoggedSection()
        self.generation = generation.fields
        let lines = head.fields.lines.span
        for index in lines.indices {
            let (start, end) = (lines[index].start, lines[index].nameEnd)
            // Nearly all fields are told from these two by the length of their names.
            switch end - start {
            case 7 where bytes.matches("referer", from: start, to: end): self.referer = index
            case 10 where bytes.matches("user-agent", from: start, to: end): self.userAgent = index
            default: break
            }
        }
    }

    /// The client of the section, on which there is a verdict.
    mutating func client(
        _ verdict: Verdict,
        _ head: borrowing RequestHead,
        in bytes: Span<UInt8>,
        as format: AccessLogFormat
    ) -> LoggedClient {
        guard let members = verdict.members else { return .rendered(verdict.clientLogFields) }
        if let client = self.client { return client }
        let client = members.logged(head, in: bytes, as: format)
        self.client = client
        return client
    }
}
