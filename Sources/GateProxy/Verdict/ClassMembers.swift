package import GatePolicy

/// The clients that share a verdict, and what each of them says of itself in its own words.
package struct ClassMembers: Sendable {
    private let classes: ClientClasses
    /// The parts of them that the class was told.
    private let told: ClientClasses.Told

    package init(_ classes: ClientClasses, _ told: ClientClasses.Told) {
        self.classes = classes
        self.told = told
    }

    /// The fields in which the backend is told what only the version line says.
    func fields(of head: borrowing RequestHead, in bytes: Span<UInt8>) -> [HeaderField] {
        guard self.told.isAdded else { return [] }
        for line in head.fields.lines where self.part(of: line) == .version {
            let value = bytes.extracting(line.value)
            return self.classes.fields(added: self.told, inVersion: value)
        }
        return []
    }

    /// The client as log lines show it.
    func logged(
        _ head: borrowing RequestHead,
        in bytes: Span<UInt8>,
        as format: AccessLogFormat
    ) -> LoggedClient {
        let section = bytes.extracting(head.fieldsStart..<head.end)
        var client = ClientClasses.PlainClient()
        for line in head.fields.lines {
            guard let part = self.part(of: line) else { continue }
            let place = line.valueStart - head.fieldsStart..<line.valueEnd - head.fieldsStart
            guard client.add(part, place, in: section) else {
                return self.rendered(head, in: bytes, as: format)
            }
        }
        if let app = client.app, !section.extracting(app).isPlainLogText {
            return self.rendered(head, in: bytes, as: format)
        }
        return .plain(client)
    }

    private func rendered(
        _ head: borrowing RequestHead,
        in bytes: Span<UInt8>,
        as format: AccessLogFormat
    ) -> LoggedClient {
        let identity = self.identity(of: head, in: bytes)
        return .rendered(AccessLogFields.rendered(client: identity, as: format))
    }

    private func identity(
        of head: borrowing RequestHead,
        in bytes: Span<UInt8>
    ) -> ClientIdentity {
        var identity = ClientIdentity()
        for line in head.fields.lines {
            guard let part = self.part(of: line) else { continue }
            let value = bytes.extracting(line.value)
            ClientClasses.read(part, value, into: &identity)
        }
        return identity
    }

    private func part(of line: FieldLine) -> IdentityPart? {
        guard case .identity(let index) = line.role else { return nil }
        return self.classes.part(ofHeader: Int(index))
    }
}
