/// The changes to the identity headers of a forwarded request.
///
/// After these changes, the backend reads the same values as the gate.
package struct UpstreamIdentity: Sendable, Equatable {
    /// The names of the fields to remove, in lower case.
    package var drop: [String]
    package var add: [HeaderField]

    package init(drop: [String] = [], add: [HeaderField] = []) {
        self.drop = drop
        self.add = add
    }
}

extension IdentityReader {
    /// Returns the changes to the lines that the backend could interpret differently from the gate.
    ///
    /// A single line with one value is not changed, even if the value is unparsable. Several lines
    /// or values for a part are replaced by one line. A part that was read from another source is
    /// added as a header field.
    func upstreamIdentity(
        _ claims: IdentityClaims,
        _ identity: ClientIdentity
    ) -> UpstreamIdentity {
        var upstream = UpstreamIdentity()
        for (part, name, indices) in self.forwarded {
            var (count, isPlain) = (0, true)
            for line in claims.headers where indices.contains(line.name) {
                count += 1
                isPlain = isPlain && claims.isOneValue(line)
            }
            // In the most frequent case, the value is forwarded unchanged.
            if count == 1, isPlain { continue }
            let stated = Self.text(of: part, in: identity)
            if count == 0, stated == nil { continue }
            let lines = claims.headers.filter { indices.contains($0.name) }
            var values = 0
            var first: String?
            let extent = claims.forEachValue(of: lines, named: indices) { value in
                values += 1
                if values == 1 { first = StatedValue.name(value).value }
                return true
            }
            let isTooMuch = extent == .tooMuch
            let chosen = stated ?? (isTooMuch ? nil : self.lowest(part, in: claims) ?? first)
            guard chosen != nil || values > 1 || lines.count > 1 || isTooMuch else { continue }
            for line in lines where !upstream.drop.contains(self.headerNames[line.name]) {
                upstream.drop.append(self.headerNames[line.name])
            }
            if let chosen { upstream.add.append(HeaderField(name: name, value: chosen)) }
        }
        return upstream
    }

    /// Returns the lowest of several versions or builds.
    ///
    /// A client that sends several values is treated as having the lowest.
    private func lowest(_ part: IdentityPart, in claims: IdentityClaims) -> String? {
        func lowest<Value: Comparable>(_ read: (Span<UInt8>) -> Claim<Value>) -> Value? {
            var lowest: Value?
            _ = claims.forEachValue(of: claims.headers, named: self.indices(of: part)) { value in
                if let value = read(value).value, lowest.map({ value < $0 }) ?? true {
                    lowest = value
                }
                return true
            }
            return lowest
        }
        return switch part {
        case .version: lowest { VersionStatement($0, self.platforms).version }?.description
        case .osVersion: lowest(StatedValue.version)?.description
        case .build: lowest(StatedValue.build)?.description
        case .app, .platform, .channel, .device, .languages, .country, .storefront: nil
        }
    }

    private static func text(of part: IdentityPart, in identity: ClientIdentity) -> String? {
        switch part {
        case .app: identity.app.value
        case .platform: identity.platform.value?.name
        case .version: identity.version.value?.description
        case .build: identity.build.value?.description
        case .channel: identity.channel.value
        case .osVersion: identity.osVersion.value?.description
        case .device: identity.device.value
        case .storefront: identity.storefront.value?.uppercased()
        case .languages, .country: nil
        }
    }
}
