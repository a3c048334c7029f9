import GateWire

/// Properties of any bytes as Envoy's `CheckRequest`.
struct EnvoyCheckProperties {
    private let input: [UInt8]

    init(_ input: [UInt8]) {
        self.input = input
    }

    /// Checks that a message becomes exactly one head, whatever its strings contain.
    func check() throws(Finding) {
        for appField in [nil, "x-app-id"] {
            guard let head = Self.head(self.input, appField: appField) else { continue }
            try Self.check(head)
        }
    }

    private static func head(_ input: [UInt8], appField: String?) -> [UInt8]? {
        let message = input.span
        do throws(EnvoyCheckRequest.Fault) {
            return try EnvoyCheckRequest(message).head(in: message, appField: appField)
        } catch {
            return nil
        }
    }

    private static func check(_ head: [UInt8]) throws(Finding) {
        let most = 1 << 30
        let limits = HeadLimits(bytes: most, fields: most, target: most)
        var parser = RequestHeadParser(limits: limits)
        switch parser.parse(head.span, table: RequestHeadPeer.table) {
        case .incomplete:
            throw Finding("the head has no end")
        case .malformed(let fault):
            // The other checks of a head are left to the parser.
            let isExpected = [MessageFault.unsupportedMethod, .target, .fieldValue].contains(fault)
            try expect(isExpected, "the head is malformed: \(fault)")
        case .complete:
            try expect(parser.head.end, is: head.count, "the end of the head")
        }
    }
}
