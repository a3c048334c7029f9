import GatePolicy

/// The places in a request's head that a log line shows.
struct LoggedParts {
    let method: Range<Int>
    /// Without the query, which often carries secrets.
    let path: Range<Int>
    let version: StaticString
    /// The client's, if it is taken.
    let requestID: Range<Int>?
    /// Without its query; the last one of several.
    private(set) var referer: Range<Int>?
    /// The last one of several.
    private(set) var userAgent: Range<Int>?
    /// The client, if it writes of itself as a log line does.
    let client: ClientClasses.PlainClient?

    /// Looks at a head once.
    ///
    /// `members`: the class of the client, if each of its members is read by itself.
    init(
        of head: borrowing RequestHead,
        in bytes: Span<UInt8>,
        isHTTP2: Bool,
        requestID: FieldLine?,
        members: ClassMembers?
    ) {
        self.method = head.methodStart..<head.methodEnd
        self.path = bytes.path(head.target.start..<head.target.end)
        self.version = isHTTP2 ? "2.0" : head.minorVersion == 0 ? "1.0" : "1.1"
        self.requestID = requestID?.value
        self.client = members?.plainClient(of: head, in: bytes)
        let lines = head.fields.lines.span
        for index in lines.indices {
            let start = lines[index].start
            // Nearly all fields are told from these two by the length of their names.
            switch lines[index].nameEnd - start {
            case 7 where bytes.holdsToken("referer", at: start):
                self.referer = bytes.path(lines[index].value)
            case 10 where bytes.holdsToken("user-agent", at: start):
                self.userAgent = lines[index].value
            default: break
            }
        }
    }

    /// Bytes of the parts besides the client.
    var count: Int {
        self.method.count + self.path.count + (self.referer?.count ?? 0)
            + (self.userAgent?.count ?? 0) + (self.requestID?.count ?? 0)
    }
}

extension Span<UInt8> {
    /// An address up to its query.
    fileprivate func path(_ address: Range<Int>) -> Range<Int> {
        let query = self.extracting(address).position(of: ASCII.questionMark, from: 0)
        return query.map { address.lowerBound..<(address.lowerBound + $0) } ?? address
    }
}
