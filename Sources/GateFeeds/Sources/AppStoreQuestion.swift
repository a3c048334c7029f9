internal import GatePolicy
internal import GateRules

/// The app and the platform that an App Store lookup is about.
///
/// The lookup answers with the record of another platform where an app is sold for several under
/// one id, whatever was asked for, so that each record is compared with the question.
struct AppStoreQuestion: Sendable, Equatable {
    /// The way to name an app.
    enum App: Sendable, Equatable {
        /// The number in the link of the app.
        case number(UInt64)
        case bundle(String)
    }

    /// The platforms whose records can be told apart.
    static let platforms: [Platform] = [.ios, .macos, .tvos, .visionos, .watchos]

    let app: App
    let platform: Platform

    /// The parameters of the lookup.
    ///
    /// `desktopSoftware` is honored more often than `macSoftware`, which many apps are answered for
    /// with the record of the iPhone. Nothing asks for visionOS or watchOS.
    var parameters: [(name: String, value: String)] {
        let app: (name: String, value: String) =
            switch self.app {
            case .number(let number): ("id", "\(number)")
            case .bundle(let bundle): ("bundleId", bundle)
            }
        switch self.platform {
        case .macos: return [app, ("entity", "desktopSoftware")]
        case .tvos: return [app, ("entity", "tvSoftware")]
        case _: return [app]
        }
    }

    /// Picks the record that is about the app and the platform, wherever it stands.
    ///
    /// - Parameter results: All records of an answer.
    /// - Returns: The record; `nil` if there are none at all.
    /// - Throws: `FeedFailure` if all records are about something else, or if several differ.
    func record(in results: [JSONValue]) throws(FeedFailure) -> JSONValue? {
        let right = results.filter { self.isAbout($0) }
        guard let record = right.first else {
            guard let other = results.first else { return nil }
            throw .content(self.objection(to: other))
        }
        let names = Set(right.map { AppStoreRecord($0).name })
        guard names.count == 1 else {
            throw .content(
                "asked for \(self), the App Store answers with \(right.count) records that differ: "
                    + "\(names.sorted().joined(separator: ", ")); none of them counts; name the app "
                    + "by 'trackId'"
            )
        }
        return record
    }

    private func isAbout(_ result: JSONValue) -> Bool {
        let record = AppStoreRecord(result)
        return self.isOfApp(record) && record.platform == self.platform
    }

    /// Whether nothing in a record says that it is about another app.
    private func isOfApp(_ record: AppStoreRecord) -> Bool {
        switch self.app {
        case .number(let number): record.number.map { $0 == "\(number)" } ?? true
        case .bundle(let bundle):
            // Apple compares bundle identifiers without case.
            record.bundle.map { $0.lowercased() == bundle.lowercased() } ?? true
        }
    }

    private func objection(to result: JSONValue) -> String {
        let record = AppStoreRecord(result)
        let answer = "asked for \(self), the App Store answers with \(record), which does not count"
        guard self.isOfApp(record) else {
            return "\(answer); check 'trackId' or 'bundleId'"
        }
        let others = "take the facts from 'source: appStoreConnect', or write them under 'releases'"
        if let platform = record.platform, platform != .ios, self.platform == .ios {
            return "\(answer); if the app is for \(platform) alone, write 'platform: \(platform)', "
                + "else \(others)"
        }
        return self.asksByBundleForEntity
            ? "\(answer); ask by 'trackId', or \(others)" : "\(answer); \(others)"
    }

    /// Whether the lookup is asked by a bundle identifier, and then often ignores the entity.
    private var asksByBundleForEntity: Bool {
        guard case .bundle = self.app else { return false }
        return self.parameters.count > 1
    }
}

extension AppStoreQuestion: CustomStringConvertible {
    var description: String { "\(self.app) for \(self.platform)" }
}

extension AppStoreQuestion.App: CustomStringConvertible {
    var description: String {
        switch self {
        case .number(let number): "\(number)"
        case .bundle(let bundle): bundle
        }
    }
}

/// What a record of the App Store's lookup says of itself.
private struct AppStoreRecord {
    private static let macKind = "mac-software"
    private static let kind = "software"
    /// The names of devices, as `iPhone15-iPhone15`, begin with these.
    private static let families: [(prefix: String, platform: Platform)] = [
        ("iphone", .ios), ("ipad", .ios), ("ipod", .ios), ("appletv", .tvos), ("watch", .watchos),
        ("applewatch", .watchos), ("realitydevice", .visionos), ("applevision", .visionos),
    ]

    private let kind: String?
    private let wrapper: String?
    private let devices: [String]
    private let version: String?
    /// The number of the app, in digits.
    let number: String?
    let bundle: String?

    init(_ result: JSONValue) {
        self.kind = result["kind"]?.text
        self.wrapper = result["wrapperType"]?.text
        self.devices = (result["supportedDevices"]?.items ?? []).compactMap(\.text)
        self.version = result["version"]?.text
        self.bundle = result["bundleId"]?.text
        switch result["trackId"] {
        case .number(let digits)?, .text(let digits)?: self.number = digits
        case nil, .null?, .boolean?, .list?, .object?: self.number = nil
        }
    }

    private var isApp: Bool { self.wrapper == nil || self.wrapper == Self.kind }

    /// The platform whose version the record states; `nil` if it does not say that for certain.
    ///
    /// A record that names devices of iOS is the one of iOS, whatever other devices run its build
    /// (a Mac, an Apple Vision Pro). One that names none is of iOS, too: that is what `software`
    /// meant before there were other devices.
    var platform: Platform? {
        guard self.isApp else { return nil }
        switch self.kind {
        case Self.macKind?: return .macos
        case Self.kind?:
            guard !self.devices.isEmpty else { return .ios }
            let platforms = Set(self.devices.compactMap { Self.platform(of: $0) })
            if platforms.contains(.ios) { return .ios }
            return platforms.count == 1 ? platforms.first : nil
        case _: return nil
        }
    }

    private static func platform(of device: String) -> Platform? {
        let name = device.lowercased()
        return self.families.first { name.hasPrefix($0.prefix) }?.platform
    }

    /// What tells the record from others, on one line.
    var name: String {
        [self.number ?? self.bundle, self.version].compactMap(\.self).joined(separator: " ")
    }
}

extension AppStoreRecord: CustomStringConvertible {
    /// The most characters of a text of the store in a message.
    private static let longestText = 80

    var description: String {
        let kind = (self.isApp ? self.kind : self.wrapper)
            .map { "a record of the kind '\($0.prefix(Self.longestText))'" }
        let subject = [
            (self.bundle ?? self.number).map { "\($0.prefix(Self.longestText))" },
            self.platform.map { "for \($0)" },
            self.version.map { "version \($0.prefix(Self.longestText))" },
        ].compactMap(\.self)
        let words = kind ?? "a record without a 'kind'"
        return subject.isEmpty ? words : "\(words) (\(subject.joined(separator: ", ")))"
    }
}
