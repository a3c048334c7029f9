public import Foundation

/// The identity of the app build, which the gate evaluates in each request.
///
/// ```swift
/// let identity = AppIdentity(platform: "ios", version: "4.2.0", build: "41200")
/// ```
///
/// Each property is sent as a header. Values with control characters or non-ASCII
/// characters cannot be sent in a header and are omitted (RFC 9110 section 5.5).
public struct AppIdentity: Sendable, Hashable {
    /// The platform, such as `ios` or `android`; case-insensitive.
    public var platform: String
    /// The version of the app, such as `4.2.0`.
    public var version: String
    /// The bundle identifier, needed if the gate serves several apps.
    public var app: String?
    /// The build number, needed for rules about builds.
    public var build: String?
    /// The distribution channel of the build, such as `fdroid` or `testflight-internal`.
    public var channel: String?
    /// The version of the operating system, such as `16.4`.
    ///
    /// With this value, the gate does not send users to an update that does not run on the device.
    public var systemVersion: String?
    /// A stable identifier of the device, which keeps rollout decisions about the device
    /// consistent.
    public var deviceID: String?
    /// The country of the user's store account, as a two- or three-letter code.
    public var storefront: String?
    /// The preferred languages of texts, most preferred first (BCP 47).
    ///
    /// If the list is empty, requests keep the `Accept-Language` header of the session.
    public var languages: [String]
    /// The names of the headers, if the operator of the gate has changed them.
    public var fieldNames: FieldNames

    /// Creates an identity.
    ///
    /// - Parameters:
    ///   - platform: The platform, such as `ios`.
    ///   - version: The version of the app.
    ///   - app: The bundle identifier.
    ///   - build: The build number.
    ///   - channel: The distribution channel of the build.
    ///   - systemVersion: The version of the operating system.
    ///   - deviceID: A stable identifier of the device.
    ///   - storefront: The country of the user's store account.
    ///   - languages: The preferred languages of texts, most preferred first.
    ///   - fieldNames: The names of the headers.
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

    /// Creates the identity of an app from its bundle and the current system.
    ///
    /// The result is `nil` if the bundle has no version (`CFBundleShortVersionString`).
    ///
    /// - Parameter bundle: The bundle of the app, usually `Bundle.main`.
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

    /// The platform that this code runs on, as named in rules.
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

    /// The headers of the identity, excluding values that are missing or cannot be sent.
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

    /// Returns whether a value is not empty and contains only printable ASCII characters; a line break
    /// would start another header.
    private static func canBeSent(_ value: String) -> Bool {
        !value.isEmpty && value.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F }
    }
}

extension AppIdentity {
    /// The names of the headers that contain the identity.
    public struct FieldNames: Sendable, Hashable {
        /// The header for the platform; `X-App-Platform` by default.
        public var platform = "X-App-Platform"
        /// The header for the version; `X-App-Version` by default.
        public var version = "X-App-Version"
        /// The header for the bundle identifier; `X-App-Id` by default.
        public var app = "X-App-Id"
        /// The header for the build number; `X-App-Build` by default.
        public var build = "X-App-Build"
        /// The header for the channel; `X-App-Channel` by default.
        public var channel = "X-App-Channel"
        /// The header for the version of the operating system; `X-OS-Version` by default.
        public var systemVersion = "X-OS-Version"
        /// The header for the device identifier; `X-Device-Id` by default.
        public var deviceID = "X-Device-Id"
        /// The header for the country of the store account; `X-App-Storefront` by default.
        public var storefront = "X-App-Storefront"

        /// Creates the gate's default names.
        public init() {}
    }
}
