/// What the `Connection` fields of a message ask for (RFC 9110 7.6.1).
package struct ConnectionOptions: Equatable, Sendable {
    package internal(set) var close = false
    package internal(set) var keepAlive = false
    package internal(set) var upgrade = false
    /// The lower-case names of fields that are for this hop only.
    package internal(set) var nominated: [String] = []

    mutating func add(_ bytes: Span<UInt8>, _ line: FieldLine) {
        bytes.forEachListMember(from: line.valueStart, to: line.valueEnd) { start, end in
            if bytes.matches("keep-alive", from: start, to: end) {
                self.keepAlive = true
            } else if bytes.matches("close", from: start, to: end) {
                self.close = true
            } else if bytes.matches("upgrade", from: start, to: end) {
                self.upgrade = true
            } else {
                self.nominated.append(bytes.text(from: start, to: end).lowercased())
            }
            return true
        }
    }

    /// Whether `Connection` says that a line is for this hop only.
    ///
    /// Fields that mean something to the gate are never dropped on a client's word: naming `Host`
    /// or a version header here is an attack, not a wish.
    func nominates(_ line: FieldLine, in bytes: Span<UInt8>) -> Bool {
        guard !self.nominated.isEmpty, line.role == .other else { return false }
        return self.nominated.contains(
            bytes.text(from: line.start, to: line.nameEnd).lowercased()
        )
    }
}
