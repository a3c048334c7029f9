import Foundation

/// A document from the gate: a denial (RFC 9457), a status, an event, or the metadata of a gRPC
/// call.
///
/// Decoding is lenient: members of an unexpected type are ignored, because a custom `body` in the
/// rules may use the same names.
struct GateDocument: Decodable {
    enum CodingKeys: String, CodingKey {
        case type, decision, title, message, button, storeUrl, minimumVersion, minimumBuild
        case latestVersion, currentVersion, cannotUpdate, enforceFrom, brownoutFrom, brownoutUntil
        case maintenanceFrom, maintenanceUntil, snoozeSeconds, rule, revision
    }

    /// The problem type of a denial.
    let type: String?
    /// The decision in a status: `allow`, `recommend`, `require` or `maintenance`.
    let decision: String?
    /// The members about an update.
    let update: Update
    /// The members about maintenance.
    let window: MaintenanceWindow

    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            text: { try? members.decodeIfPresent(String.self, forKey: $0) },
            number: { try? members.decodeIfPresent(Int64.self, forKey: $0) },
            flag: { try? members.decodeIfPresent(Bool.self, forKey: $0) }
        )
    }

    /// Creates a document from metadata, in which all values are strings.
    init(metadata: [String: String]) {
        func value(_ key: CodingKeys) -> String? { metadata[key.rawValue] }
        self.init(
            text: { value($0) },
            number: { value($0).flatMap { Int64($0) } },
            flag: { value($0).map { $0 == "true" } }
        )
    }

    private init(
        text member: (CodingKeys) -> String?,
        number: (CodingKeys) -> Int64?,
        flag: (CodingKeys) -> Bool?
    ) {
        func text(_ key: CodingKeys) -> String? {
            member(key).flatMap { $0.isEmpty ? nil : $0 }
        }
        // Times are in the format of RFC 3339, in UTC, without fractions of a second.
        func time(_ key: CodingKeys) -> Date? {
            text(key).flatMap { try? Date($0, strategy: .iso8601) }
        }
        func url(_ key: CodingKeys) -> URL? { text(key).flatMap { URL(string: $0) } }
        self.type = text(.type)
        self.decision = text(.decision)
        var update = Update()
        update.title = text(.title)
        update.message = text(.message)
        update.button = text(.button)
        update.storeURL = url(.storeUrl)
        update.minimumVersion = text(.minimumVersion)
        update.minimumBuild = number(.minimumBuild)
        update.latestVersion = text(.latestVersion)
        update.currentVersion = text(.currentVersion)
        update.cannotUpdate = flag(.cannotUpdate) ?? false
        update.enforceFrom = time(.enforceFrom)
        update.brownoutFrom = time(.brownoutFrom)
        update.brownoutUntil = time(.brownoutUntil)
        update.snoozeSeconds = number(.snoozeSeconds).map { TimeInterval($0) }
        update.rule = text(.rule)
        update.revision = text(.revision)
        self.update = update
        var window = MaintenanceWindow()
        window.title = update.title
        window.message = update.message
        window.button = update.button
        window.storeURL = update.storeURL
        window.from = time(.maintenanceFrom)
        window.until = time(.maintenanceUntil)
        window.rule = update.rule
        window.revision = update.revision
        self.window = window
    }

    /// Decodes a document; returns `nil` if the data is not a JSON object or exceeds `sizeLimit`.
    init?(json: Data) {
        guard json.count <= Self.sizeLimit,
            let document = try? JSONDecoder().decode(Self.self, from: json)
        else { return nil }
        self = document
    }

    /// The maximum size of a response from the gate, in bytes.
    static let sizeLimit = 256 << 10

    /// The state of the client; `nil` if the document is not a status, or contains a decision
    /// unknown to this library.
    var state: GateState? {
        switch self.decision {
        case "allow": return .allowed
        case "recommend": return .recommended(self.update)
        case "require":
            var update = self.update
            // A required update cannot be snoozed.
            update.snoozeSeconds = nil
            return .required(update)
        case "maintenance": return .maintenance(self.window)
        default: return nil
        }
    }

    /// The announced maintenance window; `nil` if there is none, or if it has started.
    var announced: MaintenanceWindow? {
        guard self.decision != "maintenance",
            self.window.from != nil || self.window.until != nil
        else { return nil }
        // The texts belong to the decision, so they are omitted.
        var window = MaintenanceWindow()
        window.from = self.window.from
        window.until = self.window.until
        return window
    }
}
