import GateControl
import GatePolicy

/// Properties of any bytes as the field of a pass.
///
/// The first line is the field. If it has a signature, the signature is also replaced by the right one, so that the
/// parser of the signed text is reached.
enum PassProperties {
    private static let seal = try? PassSeal(secrets: "a secret for the fuzzer")
    private static let now = Timestamp(secondsSinceEpoch: 1_800_000_030)

    static func check(_ input: [UInt8]) throws(Finding) {
        guard let seal = self.seal else { throw Finding("there is no secret") }
        let line = input.prefix { $0 != 0x0A }
        let field = String(decoding: line, as: UTF8.self)
        let client = ClientIdentity(
            app: .stated("com.example.shop"),
            build: .stated(93),
            device: .stated("8C5B7A1E")
        )
        let reading = seal.read(field, of: client, at: self.now)
        guard case .refused(.invalid) = reading else {
            throw Finding("\(field) has no valid signature: \(reading)")
        }
        guard let dot = field.lastIndex(of: ".") else { return }
        let signed = seal.signed(field[..<dot])
        let again = seal.read(signed, of: client, at: self.now)
        switch again {
        case .valid(let pass):
            try expect(seal.field(for: pass), is: signed, "the field of the parsed pass")
            try expect(
                pass.issued <= self.now && self.now < pass.until,
                "\(signed) is too early or late"
            )
            let lifetime = pass.issued.seconds(until: pass.until)
            try expect(1...Pass.longestLifetime ~= lifetime, "\(signed) lasts for \(lifetime) s")
        case .refused(.invalid), .refused(.notYetValid), .refused(.expired), .refused(.otherClient):
            break
        case .refused(let refusal):
            throw Finding("\(signed): \(refusal)")
        }
    }
}
