import Foundation

/// A gate's statement by names: a denial (RFC 9457), a status, an event, the metadata of a gRPC call.
///
/// Lenient: a member of another type than expected is none, because what an operator wrote in a
/// `body` of the rules stands under the same names.
struct GateDocument: Decodable {
    enum CodingKeys: String, CodingKey {
        case type, decision, title, message, button, storeUrl, minimumVersion, minimumBuild
        case latestVersion, currentVersion, cannotUpdate, enforceFrom, brownoutFrom, brownoutUntil
        case maintenanceFrom, maintenanceUntil, snoozeSeconds, rule, revision
    }

    /// The problem type, of a denial.
    let type: String?
    /// `allow`, `recommend`, `require` or `maintenance`, of a status.
    let decision: String?
    /// The members about an update.
    let update: Update
    /// The members about a maintenance.
    let window: MaintenanceWindow

    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            text: { try? members.decodeIfPresent(String.self, forKey: $0) },
            number: { try? members.decodeIfPresent(Int64.self, forKey: $0) },
            flag: { try? members.decodeIfPresent(Bool.self, forKey: $0) }
        )
    }

    /// Reads members that are all text.
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
        func time(_ key: CodingKeys) -> Date? { text(key).flatMap { Date(gateTime: $0) } }
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

    /// Reads a document; `nil` if it is no object in JSON, or larger than any that a gate writes.
    init?(json: Data) {
        guard json.count <= Self.sizeLimit,
            let document = try? JSONDecoder().decode(Self.self, from: json)
        else { return nil }
        self = document
    }

    /// The largest answer of a gate that is read, in bytes.
    static let sizeLimit = 256 << 10

    /// The state of the client; `nil` if the document is no status, or says a word that this library
    /// does not know.
    var state: GateState? {
        switch self.decision {
        case "allow": return .allowed
        case "recommend": return .recommended(self.update)
        case "require":
            var update = self.update
            // Nothing that is required can be put off.
            update.snoozeSeconds = nil
            return .required(update)
        case "maintenance": return .maintenance(self.window)
        default: return nil
        }
    }

    /// The maintenance that is to come; `nil` if there is none, or it is there already.
    var announced: MaintenanceWindow? {
        guard self.decision != "maintenance",
            self.window.from != nil || self.window.until != nil
        else { return nil }
        // The words are about the decision.
        var window = MaintenanceWindow()
        window.from = self.window.from
        window.until = self.window.until
        return window
    }
}

extension Date {
    /// Reads a time as gates write it: RFC 3339, in UTC, without fractions of a second.
    init?(gateTime text: String) {
        guard let date = try? Date(text, strategy: .iso8601) else { return nil }
        self = date
    }
}
