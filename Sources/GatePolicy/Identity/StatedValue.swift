/// One value that a client states for a part of its identity, without blanks around it.
///
/// Header lines are split at commas first, because `X: a, b` and two lines `X: a` and `X: b` are
/// the same message (RFC 9110 section 5.3), and a hop before the gate may have joined them.
struct StatedValue {
    /// The longest value of a part other than a version, in bytes.
    static let maximumLength = 256

    let text: Substring
    /// Whether it stands for more than is read, and is unreadable whatever it says.
    let isTooMuch: Bool

    init(text: Substring) {
        self.text = text
        self.isTooMuch = false
    }

    private init(tooMuch text: Substring) {
        self.text = text
        self.isTooMuch = true
    }

    /// The statement in place of more values, or longer ones, than are read.
    static let tooMuch = StatedValue(tooMuch: "(too long)")

    /// The values of lines; empty elements say nothing (RFC 9110 section 5.6.1.2).
    ///
    /// More than are read are one that is unreadable: see `IdentityLimits`.
    static func list(_ lines: [IdentityClaims.Line]) -> [StatedValue] {
        var values: [StatedValue] = []
        var elements = 0
        for line in lines {
            guard let text = line.value else { return [.tooMuch] }
            var rest = text[...]
            while true {
                elements += 1
                guard elements <= IdentityLimits.elements else { return [.tooMuch] }
                let comma = rest.utf8.firstIndex(of: UInt8(ascii: ","))
                let element = rest[..<(comma ?? rest.endIndex)].trimmingBlanks
                if !element.isEmpty {
                    guard values.count < IdentityLimits.values else { return [.tooMuch] }
                    values.append(StatedValue(text: element))
                }
                guard let comma else { break }
                rest = rest[rest.utf8.index(after: comma)...]
            }
        }
        return values
    }

    /// The value as a name: app, channel or device.
    var name: Claim<String> {
        guard !self.isTooMuch, self.text.utf8.count <= Self.maximumLength,
            // A decoded query value can hold a line break, which must never reach a header.
            self.text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F })
        else { return self.unreadable() }
        return .stated(String(self.text))
    }

    var platform: Claim<Platform> {
        self.name.map { Platform($0) }
    }

    var version: Claim<AppVersion> {
        guard !self.isTooMuch else { return self.unreadable() }
        do throws(VersionError) {
            return .stated(try AppVersion(self.text))
        } catch {
            return self.unreadable()
        }
    }

    var build: Claim<UInt64> {
        guard !self.isTooMuch else { return self.unreadable() }
        do throws(VersionError) {
            return .stated(try VersionAndBuild.build(self.text))
        } catch {
            return self.unreadable()
        }
    }

    /// A country code (ISO 3166-1 alpha-2), lower case.
    var country: Claim<String> {
        guard self.text.utf8.count == 2, self.text.utf8.allSatisfy(\.isLetter) else {
            return self.unreadable()
        }
        return .stated(self.text.lowercased())
    }

    /// The country of a store, from a code of two or three letters.
    var storefront: Claim<String> {
        Storefront.country(self.text).map { .stated($0) } ?? self.unreadable()
    }

    private func unreadable<Value>() -> Claim<Value> {
        .unreadable(Excerpt(self.text).text)
    }
}
