package import GatePolicy
import GateWire

/// The clients that share a verdict, with functions to read the fields of an individual client.
package struct ClassMembers: Sendable {
    private let classes: ClientClasses
    /// The parts of the identity that determined the class.
    private let told: ClientClasses.Told

    package init(_ classes: ClientClasses, _ told: ClientClasses.Told) {
        self.classes = classes
        self.told = told
    }

    /// The part of the identity that each identity field contains, or `nil` for a field that contains none.
    ///
    /// Element n belongs to the field whose role has index n.
    var identityParts: [IdentityPart?] { self.classes.parts }

    /// Returns the fields to add to the request for values that the client sends only in its version field.
    ///
    /// Returns `nil` if there are none.
    func fields(of head: borrowing RequestHead, in bytes: Span<UInt8>) -> AddedFields? {
        guard self.told.isAdded else { return nil }
        let parts = self.identityParts
        for line in head.fields.lines {
            guard case .identity(let index) = line.role, case .version? = parts[Int(index)] else {
                continue
            }
            return self.classes.fields(added: self.told, inVersion: line.value, of: bytes)
        }
        return nil
    }

    /// Parses the identity of a client, for a log line.
    func identity(
        of head: borrowing RequestHead,
        in bytes: Span<UInt8>
    ) -> ClientIdentity {
        var identity = ClientIdentity()
        for line in head.fields.lines {
            guard case .identity(let index) = line.role,
                let part = self.identityParts[Int(index)]
            else { continue }
            let value = bytes.extracting(line.value)
            self.classes.read(part, value, into: &identity)
        }
        return identity
    }
}
