/// Which field lines of a head say where its sender comes from, `Referer`, and what it is,
/// `User-Agent`: found once for all requests of a connection that have the same header section.
struct AgentLines {
    /// That of the section in which they were found.
    private var generation: UInt64 = 0
    /// Indices into the field lines; the last of two counts.
    private(set) var referer: Int?
    private(set) var userAgent: Int?

    /// Finds them in a head, unless its header section is the same as that of the last one.
    mutating func find(
        in head: borrowing RequestHead,
        generation: HeadGeneration,
        bytes: Span<UInt8>
    ) {
        guard generation.fields != self.generation else { return }
        self = AgentLines()
        self.generation = generation.fields
        for index in head.fields.lines.indices {
            let (start, end) = (head.fields.lines[index].start, head.fields.lines[index].nameEnd)
            // Nearly all fields are told from these two by the length of their names.
            switch end - start {
            case 7 where bytes.matches("referer", from: start, to: end): self.referer = index
            case 10 where bytes.matches("user-agent", from: start, to: end): self.userAgent = index
            default: break
            }
        }
    }
}
