public import Foundation

/// An update that the gate recommends or requires, with the words that the operator has for it.
public struct Update: Sendable, Hashable, Codable {
    /// The heading, in a language of the request; `nil` if the operator wrote none.
    public var title: String?
    /// The operator's words to the user; `nil` if there are none.
    public var message: String?
    /// The words on the button that leads to the store.
    public var button: String?
    /// The place where the update is; `nil` if the operator named none.
    public var storeURL: URL?
    /// The oldest version that passes.
    public var minimumVersion: String?
    /// The lowest build number that passes.
    public var minimumBuild: Int64?
    /// The newest version.
    public var latestVersion: String?
    /// The version that the gate read from the request.
    public var currentVersion: String?
    /// Whether the device's system is too old for the update: show the words and no button.
    public var cannotUpdate = false
    /// The time from which the build is refused for good.
    public var enforceFrom: Date?
    /// The begin of the brownout that is running or comes next.
    public var brownoutFrom: Date?
    /// The end of the brownout: a requirement with it ends by itself then.
    public var brownoutUntil: Date?
    /// For how many seconds the user is left alone after "later"; `nil` for what is required.
    public var snoozeSeconds: TimeInterval?
    /// The rule that decided, for a report.
    public var rule: String?
    /// The revision of the rules that decided, for a report.
    public var revision: String?

    /// An update without words.
    public init() {}
}

/// A time in which nobody is served.
public struct MaintenanceWindow: Sendable, Hashable, Codable {
    /// The heading, in a language of the request; `nil` if the operator wrote none.
    public var title: String?
    /// The operator's words to the user; `nil` if there are none.
    public var message: String?
    /// The words on the button that leads to ``storeURL``.
    public var button: String?
    /// A page about it; `nil` if the operator named none.
    public var storeURL: URL?
    /// The begin, where it is known.
    public var from: Date?
    /// The end, where it is known.
    public var until: Date?
    /// The rule that decided, for a report.
    public var rule: String?
    /// The revision of the rules that decided, for a report.
    public var revision: String?

    /// A window without words and ends.
    public init() {}
}
