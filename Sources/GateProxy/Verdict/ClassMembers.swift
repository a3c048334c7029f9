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

    /// The client as its words stand in the head; `nil` if a log line does not show them so.
    func plainClient(
        of head: borrowing RequestHead,
        in bytes: Span<UInt8>
    ) -> ClientClasses.PlainClient? {
        var client = ClientClasses.PlainClient()
        let lines = head.fields.lines.span
        for index in lines.indices {
            guard case .identity(let header) = lines[index].role,
                let part = self.classes.part(ofHeader: Int(header)), part.isLogged
            else { continue }
            guard client.add(part, lines[index].value, in: bytes) else { return nil }
        }
        if let app = client.app, !bytes.extracting(app).isPlainLogText { return nil }
        return client
    }

    /// The client as it is read for a log line.
    func identity(
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

extension IdentityPart {
    /// Whether log lines show it.
    fileprivate var isLogged: Bool {
        switch self {
        case .app, .platform, .version, .build: true
        case .channel, .osVersion, .device, .languages, .country, .storefront: false
        }
    }
}
