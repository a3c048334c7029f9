package import GatePolicy
import GateWire

/// The clients that share a verdict, and what each of them says of itself in its own words.
package struct ClassMembers: Sendable {
    private let classes: ClientClasses
    /// The parts of them that the class was told.
    private let told: ClientClasses.Told

    package init(_ classes: ClientClasses, _ told: ClientClasses.Told) {
        self.classes = classes
        self.told = told
    }

    /// The parts of which identity fields speak, by their roles.
    var identityParts: [IdentityPart?] { self.classes.parts }

    /// The fields in which the backend is told what only the version line says.
    func fields(of head: borrowing RequestHead, in bytes: Span<UInt8>) -> AddedFields? {
        guard self.told.isAdded else { return nil }
        let parts = self.identityParts
        for line in head.fields.lines {
            guard case .identity(let index) = line.role, parts[Int(index)] == .version else {
                continue
            }
            return self.classes.fields(added: self.told, inVersion: line.value, of: bytes)
        }
        return nil
    }

    private func part(_ role: FieldRole) -> IdentityPart? {
        guard case .identity(let index) = role else { return nil }
        return self.identityParts[Int(index)]
    }

    /// The client as it is read for a log line.
    func identity(
        of head: borrowing RequestHead,
        in bytes: Span<UInt8>
    ) -> ClientIdentity {
        var identity = ClientIdentity()
        for line in head.fields.lines {
            guard let part = self.part(line.role) else { continue }
            let value = bytes.extracting(line.value)
            self.classes.read(part, value, into: &identity)
        }
        return identity
    }
}
