internal import GatePolicy

/// The request of a test, before it is known which headers say who its client is.
struct TestRequest: Sendable, Equatable {
    /// What the client says of itself.
    var parts: [IdentityPart: String] = [:]
    /// Fields beside those, in lower case.
    var headers: [HeaderField] = []
    var method = "GET"
    var path = "/"
    var address: String?
    /// Where the country of the client stands, which no header says by default.
    var countryPlace: Place?

    static let empty = TestRequest()

    /// All fields of the request; a part goes into the first header that speaks for it.
    func headers(by identity: IdentitySources) -> [HeaderField] {
        let spoken = IdentityPart.allCases.compactMap { part -> HeaderField? in
            guard let value = self.parts[part], let name = identity.headers[part]?.first else {
                return nil
            }
            return HeaderField(name: name, value: value)
        }
        return spoken + self.headers
    }

    /// Reports what the client says of itself and no header can carry.
    func check(against identity: IdentitySources, _ problems: Problems) {
        guard let place = self.countryPlace, identity.headers[.country, default: []].isEmpty else {
            return
        }
        problems.report("no header says the country; name one in 'identity'", at: place)
    }
}
