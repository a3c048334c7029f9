internal import GatePolicy
internal import GateRules

/// The app and the platform of an App Store lookup.
///
/// If an app is sold for several platforms under one ID, the lookup may return the record for a
/// different platform, so each record is compared with the request.
struct AppStoreQuestion: Sendable, Equatable {
    /// The platforms whose records can be distinguished.
    static let platforms: [Platform] = [.ios, .macos, .tvos, .visionos, .watchos]

    let app: AppStoreApp
    let platform: Platform

    /// The parameters of the lookup.
    ///
    /// `desktopSoftware` is honored more often than `macSoftware`, which returns the iPhone record
    /// for many apps. There is no `entity` for visionOS and watchOS.
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

    /// Selects the record for the requested app and platform.
    ///
    /// - Parameter results: All records of a response.
    /// - Returns: The record; `nil` if there are no records.
    /// - Throws: `FeedFailure` if no record matches, or if several different records match.
    func record(in results: [JSONValue]) throws(FeedFailure) -> JSONValue? {
        let right = results.filter { self.isAbout($0) }
        guard let record = right.first else {
            guard let other = results.first else { return nil }
            throw .content(self.objection(to: other))
        }
        let names = Set(right.map { AppStoreRecord($0).name })
        guard names.count == 1 else {
            throw .content(
                "requested \(self), but the App Store returned \(right.count) different records: "
                    + "\(names.sorted().joined(separator: ", ")); none of them is used; identify the app "
                    + "by 'trackId'"
            )
        }
        return record
    }

    private func isAbout(_ result: JSONValue) -> Bool {
        let record = AppStoreRecord(result)
        return self.isOfApp(record) && record.platform == self.platform
    }

    /// Whether the record is for the requested app, or states no app.
    private func isOfApp(_ record: AppStoreRecord) -> Bool {
        switch self.app {
        case .number(let number): record.number.map { $0 == "\(number)" } ?? true
        case .bundle(let bundle):
            // Apple compares bundle identifiers case-insensitively.
            record.bundle.map { $0.lowercased() == bundle.lowercased() } ?? true
        }
    }

    private func objection(to result: JSONValue) -> String {
        let record = AppStoreRecord(result)
        let answer = "requested \(self), but the App Store returned \(record), which is ignored"
        guard self.isOfApp(record) else {
            return "\(answer); check 'trackId' or 'bundleId'"
        }
        let others = "use 'source: appStoreConnect', or list the versions under 'releases'"
        if let platform = record.platform, platform != .ios, self.platform == .ios {
            return "\(answer); if the app is only for \(platform), write 'platform: \(platform)', "
                + "otherwise \(others)"
        }
        return self.asksByBundleForEntity
            ? "\(answer); identify the app by 'trackId', or \(others)" : "\(answer); \(others)"
    }

    /// Whether the lookup uses a bundle identifier together with an `entity`; Apple then often
    /// ignores the `entity`.
    private var asksByBundleForEntity: Bool {
        guard case .bundle = self.app else { return false }
        return self.parameters.count > 1
    }
}

extension AppStoreQuestion: CustomStringConvertible {
    var description: String { "\(self.app) for \(self.platform)" }
}

/// The properties of a lookup record.
private struct AppStoreRecord {
    private static let macKind = "mac-software"
    private static let kind = "software"
    /// The prefixes of device names such as `iPhone15-iPhone15`.
    private static let families: [(prefix: String, platform: Platform)] = [
        ("iphone", .ios), ("ipad", .ios), ("ipod", .ios), ("appletv", .tvos), ("watch", .watchos),
        ("applewatch", .watchos), ("realitydevice", .visionos), ("applevision", .visionos),
    ]

    private let kind: String?
    private let wrapper: String?
    private let devices: [String]
    private let version: String?
    /// The app's numeric ID, as a string of digits.
    let number: String?
    let bundle: String?

    init(_ result: JSONValue) {
        self.kind = result["kind"]?.text
        self.wrapper = result["wrapperType"]?.text
        self.devices = (result["supportedDevices"]?.items ?? []).compactMap(\.text)
        self.version = result["version"]?.text
        self.bundle = result["bundleId"]?.text
        self.number = result["trackId"]?.digits
    }

    private var isApp: Bool { self.wrapper == nil || self.wrapper == Self.kind }

    /// The platform of the record's version; `nil` if it is uncertain.
    ///
    /// A record with iOS devices is for iOS, even if other devices (Mac, Apple Vision Pro) can run
    /// the build. The same applies to a record without devices, because the kind `software`
    /// predates the other devices.
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

    /// The app ID and the version, which distinguish the record from other records.
    var name: String {
        [self.number ?? self.bundle, self.version].compactMap(\.self).joined(separator: " ")
    }
}

extension AppStoreRecord: CustomStringConvertible {
    /// The maximum number of characters that a message quotes from a record.
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
