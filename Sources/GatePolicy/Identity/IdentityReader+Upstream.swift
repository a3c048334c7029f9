extension IdentityReader {
    /// What the backend gets instead of the lines that it could read otherwise than the gate.
    ///
    /// One line with one value stays as it is, readable or not. Lines that say a part twice are
    /// replaced by one; a part that was read elsewhere gets the header that was not there.
    func upstreamIdentity(
        _ claims: IdentityClaims,
        _ identity: ClientIdentity
    ) -> UpstreamIdentity {
        var upstream = UpstreamIdentity()
        // Languages are a list by nature, and nobody reads them in two ways; the country is what
        // some other proxy says.
        for part in IdentityPart.allCases where part != .languages && part != .country {
            guard let name = self.names(of: part).first else { continue }
            let lines = self.lines(of: part, in: claims)
            // Nearly every part of every client: what it says goes on as it is.
            if lines.count == 1, lines[0].isOneValue { continue }
            let stated = Self.text(of: part, in: identity)
            if lines.isEmpty, stated == nil { continue }
            let values = StatedValue.list(lines)
            let chosen = stated ?? Self.lowestVersion(part, values) ?? values.first?.forwardable
            let isTooMuch = lines.contains { $0.value == nil } || values.first?.isTooMuch == true
            guard chosen != nil || values.count > 1 || lines.count > 1 || isTooMuch else {
                continue
            }
            for line in lines where !upstream.drop.contains(line.name) {
                upstream.drop.append(line.name)
            }
            if let chosen { upstream.add.append(HeaderField(name: name, value: chosen)) }
        }
        return upstream
    }

    /// The lowest readable version of several: whoever claims two is served as the older one.
    private static func lowestVersion(_ part: IdentityPart, _ values: [StatedValue]) -> String? {
        switch part {
        case .version: values.compactMap { VersionStatement($0).version.value }.min()?.description
        case .osVersion: values.compactMap(\.version.value).min()?.description
        case .build: values.compactMap(\.build.value).min().map { String($0) }
        case .app, .platform, .channel, .device, .languages, .country, .storefront: nil
        }
    }

    private static func text(of part: IdentityPart, in identity: ClientIdentity) -> String? {
        switch part {
        case .app: identity.app.value
        case .platform: identity.platform.value?.name
        case .version: identity.version.value?.description
        case .build: identity.build.value.map { String($0) }
        case .channel: identity.channel.value
        case .osVersion: identity.osVersion.value?.description
        case .device: identity.device.value
        case .storefront: identity.storefront.value?.uppercased()
        case .languages, .country: nil
        }
    }
}

extension IdentityClaims.Line {
    /// Whether everybody reads one value from the line.
    fileprivate var isOneValue: Bool {
        guard !self.hasComma else { return false }
        return self.value?.utf8.contains { !$0.isBlank } ?? true
    }
}

extension StatedValue {
    /// The value, if it can stand in a header field.
    fileprivate var forwardable: String? {
        self.name.value
    }
}
