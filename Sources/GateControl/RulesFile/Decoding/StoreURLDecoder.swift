internal import GatePolicy

/// Reads `storeUrl`: one link, or one by channel beside a `default`.
struct StoreURLDecoder {
    let problems: Problems

    func decode(_ element: Element) -> StoreURL? {
        guard case .mapping(let entries) = element.content else {
            return self.link(element).map { StoreURL($0) }
        }
        var links: [String: String] = [:]
        var places: [String: Place] = [:]
        for entry in entries {
            let channel = entry.key.lowercased()
            if let first = places.updateValue(entry.place, forKey: channel) {
                let message = "the channel '\(channel)' is already in line \(first.line)"
                self.problems.report(message, at: entry.place)
            }
            links[channel] = self.link(entry.value)
        }
        guard places["default"] != nil else {
            let message = "'storeUrl' by channel needs a 'default' for every other channel"
            self.problems.report(message, at: element.place)
            return nil
        }
        return links.removeValue(forKey: "default").map { StoreURL($0, channels: links) }
    }

    private func link(_ element: Element) -> String? {
        element.parsed(as: "a store link", self.problems, by: StoreLink.init(parsing:))?.text
    }
}
