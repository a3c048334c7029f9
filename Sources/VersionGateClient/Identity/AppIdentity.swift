public import Foundation

/// The build of the app that the gate judges: what each request says of itself.
///
/// ```swift
/// let identity = AppIdentity(platform: "ios", version: "4.2.0", build: "41200")
/// ```
///
/// Each property is a header field of the request. A value that no header field can carry, with
/// control characters or letters beyond ASCII, is not sent (RFC 9110 section 5.5).
public struct AppIdentity: Sendable, Hashable {
    /// The platform, such as `ios` or `android`, in any case.
    public var platform: String
    /// The version of the app, such as `4.2.0`.
    public var version: String
    /// The bundle identifier, where one gate serves several apps.
    public var app: String?
    /// The build number, where a rule counts in builds.
    public var build: String?
    /// The way that the build came by, such as `fdroid` or `testflight-internal`.
    public var channel: String?
    /// The version of the operating system, such as `16.4`, so that nobody is sent to an update that
    /// the device cannot have.
    public var systemVersion: String?
    /// A stable identifier of the device, so that a roll-out in steps always decides the same for it.
    public var deviceID: String?
    /// The country of the account in the store, in two or three letters.
    public var storefront: String?
    /// The languages of the words, the best one first (BCP 47).
    ///
    /// Without any, requests say what the session says by itself.
    public var languages: [String]
    /// The names of the header fields, where the operator of the gate renamed them.
    public var fieldNames: FieldNames

    /// Describes a build by what the app knows of itself.
    ///
    /// - Parameters:
    ///   - platform: The platform, such as `ios`.
    ///   - version: The version of the app.
    ///   - app: The bundle identifier.
    ///   - build: The build number.
    ///   - channel: The way that the build came by.
    ///   - systemVersion: The version of the operating system.
    ///   - deviceID: A stable identifier of the device.
    ///   - storefront: The country of the account in the store.
    ///   - languages: The languages of the words, the best one first.
    ///   - fieldNames: The names of the header fields.
    public init(
        platform: String,
        version: String,
        app: String? = nil,
        build: String? = nil,
        channel: String? = nil,
        systemVersion: String? = nil,
        deviceID: String? = nil,
        storefront: String? = nil,
        languages: [String] = [],
        fieldNames: FieldNames = FieldNames()
    ) {
        self.platform = platform
        self.version = version
        self.app = app
        self.build = build
        self.channel = channel
        self.systemVersion = systemVersion
        self.deviceID = deviceID
        self.storefront = storefront
        self.languages = languages
        self.fieldNames = fieldNames
    }

    /// Describes the app of a bundle, by its version, build and identifier, on this system.
    ///
    /// `nil` if the bundle states no version (`CFBundleShortVersionString`).
    ///
    /// - Parameter bundle: The app's own bundle, `Bundle.main`.
    public init?(bundle: Bundle) {
        guard let version = bundle.infoDictionary?["CFBundleShortVersionString"] as? String
        else { return nil }
        let system = ProcessInfo.processInfo.operatingSystemVersion
        self.init(
            platform: Self.thisPlatform,
            version: version,
            app: bundle.bundleIdentifier,
            build: bundle.infoDictionary?["CFBundleVersion"] as? String,
            systemVersion: "\(system.majorVersion).\(system.minorVersion).\(system.patchVersion)"
        )
    }

    /// The platform that this code runs on, as gates name it.
    public static var thisPlatform: String {
        #if os(iOS)
            "ios"
        #elseif os(macOS)
            "macos"
        #elseif os(tvOS)
            "tvos"
        #elseif os(watchOS)
            "watchos"
        #elseif os(visionOS)
            "visionos"
        #elseif os(Android)
            "android"
        #else
            "linux"
        #endif
    }

    /// The header fields of the identity, without those that have no value or none that can be sent.
    public var fields: [(name: String, value: String)] {
        let names = self.fieldNames
        let languages = self.languages.isEmpty ? nil : self.languages.joined(separator: ", ")
        let all: [(name: String, value: String?)] = [
            (names.platform, self.platform),
            (names.version, self.version),
            (names.app, self.app),
            (names.build, self.build),
            (names.channel, self.channel),
            (names.systemVersion, self.systemVersion),
            (names.deviceID, self.deviceID),
            (names.storefront, self.storefront),
            ("Accept-Language", languages),
        ]
        return all.compactMap { name, value in
            guard let value, Self.canBeSent(value) else { return nil }
            return (name, value)
        }
    }

    /// A line break would begin another field.
    private static func canBeSent(_ value: String) -> Bool {
        !value.isEmpty && value.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F }
    }
}

extension AppIdentity {
    /// The names of the header fields that carry an identity.
    public struct FieldNames: Sendable, Hashable {
        /// `X-App-Platform`, if the operator did not rename it.
        public var platform = "X-App-Platform"
        /// `X-App-Version`, if the operator did not rename it.
        public var version = "X-App-Version"
        /// `X-App-Id`, if the operator did not rename it.
        public var app = "X-App-Id"
        /// `X-App-Build`, if the operator did not rename it.
        public var build = "X-App-Build"
        /// `X-App-Channel`, if the operator did not rename it.
        public var channel = "X-App-Channel"
        /// `X-OS-Version`, if the operator did not rename it.
        public var systemVersion = "X-OS-Version"
        /// `X-Device-Id`, if the operator did not rename it.
        public var deviceID = "X-Device-Id"
        /// `X-App-Storefront`, if the operator did not rename it.
        public var storefront = "X-App-Storefront"

        /// The names that a gate reads where its rules say nothing else.
        public init() {}
    }
}
