internal import GatePolicy

/// Decodes `storeUrl`: one URL, or a mapping with a `default` and URLs by channel and by country.
struct StoreURLDecoder {
    /// The key under which the URLs are listed by country; no channel can have this name.
    static let countries = "countries"

    let problems: Problems

    func decode(_ element: Element) -> StoreURL? {
        guard case .mapping(let entries) = element.content else {
            return element.storeLink(self.problems).map { StoreURL($0) }
        }
        var links: [String: String] = [:]
        var places: [String: Place] = [:]
        for entry in entries where entry.key != Self.countries {
            let channel = entry.key.lowercased()
            if let first = places.updateValue(entry.place, forKey: channel) {
                let message = "the channel '\(channel)' is already listed on line \(first.line)"
                self.problems.report(message, at: entry.place)
            }
            links[channel] = entry.value.storeLink(self.problems)
        }
        let byCountry = entries.first { $0.key == Self.countries }
            .map { self.links(byCountry: $0.value) }
        guard places["default"] != nil else {
            let message = "'storeUrl' by channel or country needs a 'default' for all other clients"
            return self.problems.reject(message, at: element.place)
        }
        return links.removeValue(forKey: "default")
            .map { StoreURL($0, channels: links, countries: byCountry ?? [:]) }
    }

    private func links(byCountry element: Element) -> [String: String] {
        var links: [String: String] = [:]
        for (code, value) in CountryDecoder(problems: self.problems).values(element) {
            links[code] = value.storeLink(self.problems)
        }
        return links
    }
}
