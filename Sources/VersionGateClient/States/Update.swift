public import Foundation

/// An update that the gate recommends or requires, with the operator's texts.
public struct Update: Sendable, Hashable, Codable {
    /// The title, in one of the request's languages; `nil` if the operator provides none.
    public var title: String?
    /// The message for the user; `nil` if the operator provides none.
    public var message: String?
    /// The label of the button that opens the store.
    public var button: String?
    /// The URL of the update; `nil` if the operator provides none.
    public var storeURL: URL?
    /// The minimum version that is allowed.
    public var minimumVersion: String?
    /// The minimum build number that is allowed.
    public var minimumBuild: Int64?
    /// The newest version.
    public var latestVersion: String?
    /// The version that the gate found in the request.
    public var currentVersion: String?
    /// Whether the device's OS is too old for the update; if so, show the texts without a button.
    public var cannotUpdate = false
    /// The time from which the build is denied permanently.
    public var enforceFrom: Date?
    /// The start of the current or next brownout.
    public var brownoutFrom: Date?
    /// The end of the brownout, after which the build is allowed again.
    public var brownoutUntil: Date?
    /// How long to hide the update after the user chooses "later", in seconds; `nil` for a required
    /// update.
    public var snoozeSeconds: TimeInterval?
    /// The rule that decided, for error reports.
    public var rule: String?
    /// The revision of the rules, for error reports.
    public var revision: String?

    /// Creates an update without texts.
    public init() {}

    /// The version that identifies the update; empty if the gate sends no version.
    var offeredVersion: String { self.latestVersion ?? self.minimumVersion ?? "" }
}

/// A maintenance window, in which requests are denied.
public struct MaintenanceWindow: Sendable, Hashable, Codable {
    /// The title, in one of the request's languages; `nil` if the operator provides none.
    public var title: String?
    /// The message for the user; `nil` if the operator provides none.
    public var message: String?
    /// The label of the button that opens ``storeURL``.
    public var button: String?
    /// The URL of a page about the maintenance window; `nil` if the operator provides none.
    public var storeURL: URL?
    /// The start of the window; `nil` if it is unknown.
    public var from: Date?
    /// The end of the window; `nil` if it is unknown.
    public var until: Date?
    /// The rule that decided, for error reports.
    public var rule: String?
    /// The revision of the rules, for error reports.
    public var revision: String?

    /// Creates a window without texts or times.
    public init() {}
}
