/// A signed permission to pass even if the rules deny a request.
package struct Pass: Sendable, Equatable {
    /// The header field that contains a pass.
    package static let fieldName = "X-VersionGate-Pass"
    /// The maximum lifetime of a pass, in seconds.
    package static let longestLifetime: Int64 = 30 * 86_400

    /// A random number that identifies a pass in logs and in the rules.
    package let id: ID
    /// The time of issue, before which the pass is not valid.
    package let issued: Timestamp
    /// The first second in which the pass is no longer valid.
    package let until: Timestamp
    /// The only app for which the pass is valid; `nil` if it is valid for every app.
    package let app: String?
    /// The only build for which the pass is valid; `nil` if it is valid for every build.
    package let build: BuildNumber?
    /// A keyed digest of the ID of the only device for which the pass is valid; `nil` if the pass
    /// is valid for every device.
    package let deviceDigest: [UInt8]?
    /// Whether the pass is valid for only one request.
    package let isSingleUse: Bool

    package init(
        id: ID,
        issued: Timestamp,
        until: Timestamp,
        app: String? = nil,
        build: BuildNumber? = nil,
        deviceDigest: [UInt8]? = nil,
        isSingleUse: Bool = false
    ) {
        self.id = id
        self.issued = issued
        self.until = until
        self.app = app
        self.build = build
        self.deviceDigest = deviceDigest
        self.isSingleUse = isSingleUse
    }
}

extension Pass {
    /// The ID of a pass: 16 lower-case hexadecimal digits, the first of which is a letter.
    ///
    /// Without the letter, YAML would read some IDs as numbers, for example `1234567890123456` and
    /// `12e4567890123456`.
    package struct ID: Sendable, Hashable, CustomStringConvertible {
        private static let digits = 16

        package let description: String

        /// Parses an ID; returns `nil` if the ID is invalid.
        package init?(parsing text: some StringProtocol) {
            let bytes = text.utf8
            guard bytes.count == Self.digits, let first = bytes.first, Self.isLetter(first),
                bytes.allSatisfy({ $0.isDigit || Self.isLetter($0) })
            else { return nil }
            self.description = String(text)
        }

        /// Creates an ID from a number, with the first digit replaced by a letter.
        package init(_ number: UInt64) {
            let first = 10 + (number >> 60) % 6
            let rest = number & (.max >> 4)
            self.description = String(rest | first << 60, radix: 16)
        }

        package static func random() -> ID { ID(.random(in: .min ... .max)) }

        private static func isLetter(_ byte: UInt8) -> Bool {
            UInt8(ascii: "a")...UInt8(ascii: "f") ~= byte
        }
    }

    /// The reason why a pass does not apply to a request.
    package enum Refusal: String, Sendable, CaseIterable {
        /// The value is malformed, or was not signed with a known secret for this purpose.
        case invalid
        /// The pass was issued in the future, according to the gate's clock.
        case notYetValid = "not_yet_valid"
        case expired
        case revoked
        /// The pass is valid only for another device, app or build.
        case otherClient = "other_client"
        /// The pass is valid for only one request, and was or may have been used before.
        case used
        /// The request contains several values of the header field.
        case repeated
    }

    /// The result of checking a pass.
    package enum Reading: Sendable, Equatable {
        case valid(Pass)
        case refused(Refusal)
    }

    /// Whether a client can send this name as its app or device.
    package static func canState(_ name: String) -> Bool {
        let bytes = name.utf8Span.span
        // A comma would separate two values, and leading or trailing spaces are not part of a
        // value.
        return !bytes.isEmpty && StatedValue.isName(bytes) && !name.utf8.contains(0x2C)
            && name.utf8.first != 0x20 && name.utf8.last != 0x20
    }
}

extension Decision {
    /// Whether a pass can change the decision, by lifting a denial or a route.
    package var isLiftable: Bool { self.kind >= .require || self.route != nil }

    /// Returns the decision about a client with a pass.
    ///
    /// The request goes to the default backend. `ruleID` is the ID of the rule whose denial or
    /// route the pass lifts.
    package func passed(by pass: Pass) -> Decision {
        var decision = self
        decision.reason = .passed(pass.id)
        if self.kind >= .require {
            decision.kind = .allow
            decision.upgrade = .none
            decision.warning = nil
            decision.brownout = nil
            decision.maintenance = nil
        } else {
            decision.ruleID = self.route?.ruleID
            decision.ruleIndex = nil
        }
        decision.route = nil
        decision.validUntil = Timestamp.earlier(self.validUntil, pass.until)
        return decision
    }

    /// The ID of the pass that lifted the denial or the route; `nil` if no pass did.
    package var passID: Pass.ID? {
        if case .passed(let id) = self.reason { id } else { nil }
    }

    /// The name of the decision in metrics, in logs and for backends.
    package var name: String {
        self.passID == nil ? self.kind.rawValue : Self.passedName
    }

    static let passedName = "passed"
}
