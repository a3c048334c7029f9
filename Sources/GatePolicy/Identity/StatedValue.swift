/// One value that a client states for a part of its identity, without blanks around it.
///
/// Header lines are split at commas first, because `X: a, b` and two lines `X: a` and `X: b` are
/// the same message (RFC 9110 section 5.3), and a hop before the gate may have joined them.
struct StatedValue {
    /// The longest value of a part other than a version, in bytes.
    static let maximumLength = 256

    let text: Substring

    /// The values of one line; empty elements say nothing (RFC 9110 section 5.6.1.2).
    static func list(_ line: String) -> [StatedValue] {
        line.split(separator: ",").compactMap { element in
            let text = element.trimmingBlanks
            return text.isEmpty ? nil : StatedValue(text: text)
        }
    }

    /// The value as a name: app, channel or device.
    var name: Claim<String> {
        guard self.text.utf8.count <= Self.maximumLength,
            // A decoded query value can hold a line break, which must never reach a header.
            self.text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F })
        else { return self.unreadable() }
        return .stated(String(self.text))
    }

    var platform: Claim<Platform> {
        self.name.map { Platform($0) }
    }

    var version: Claim<AppVersion> {
        do throws(VersionError) {
            return .stated(try AppVersion(self.text))
        } catch {
            return self.unreadable()
        }
    }

    var build: Claim<UInt64> {
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
