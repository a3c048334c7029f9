internal import GatePolicy
internal import GateRules

/// The identifier of an app in the App Store.
enum AppStoreApp: Sendable, Equatable {
    /// The numeric ID, which the app's store URL contains.
    case number(UInt64)
    case bundle(String)
}

extension AppStoreApp {
    /// Decodes `trackId` or `bundleId`, of which exactly one is required.
    init?(_ fields: Fields, of feed: String, _ problems: Problems) {
        switch (fields["trackId"], fields["bundleId"]) {
        case (let element?, nil):
            let expected = "the number in the app's store URL"
            guard let number = element.wholeNumber(expected, problems) else { return nil }
            self = .number(number)
        case (nil, let element?):
            guard let name = element.text("a bundle identifier", problems) else { return nil }
            self = .bundle(name)
        case (nil, nil), (_?, _?):
            problems.report("\(feed) needs either 'trackId' or 'bundleId'", at: fields.place)
            return nil
        }
    }
}

extension Element {
    /// Decodes a platform that an Apple service supports; error messages name the service and its
    /// platforms.
    func platform(
        of service: String,
        among known: [Platform],
        _ problems: Problems
    ) -> Platform? {
        guard let platform = self.text("a platform", problems).map({ Platform($0) }) else {
            return nil
        }
        if known.contains(platform) { return platform }
        let message = "\(service) has no platform '\(platform)'; expected \(known.names)"
        return problems.reject(message, at: self.place)
    }
}

extension AppStoreApp: CustomStringConvertible {
    var description: String {
        switch self {
        case .number(let number): "\(number)"
        case .bundle(let bundle): bundle
        }
    }
}
