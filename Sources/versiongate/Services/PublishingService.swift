import GateRecords
import GateRules
import Logging
import ServiceLifecycle

/// Ends the writes of the published rules as soon as the gate begins to drain: the file then belongs to its successor.
struct PublishingService: Service {
    let publisher: RulesPublisher

    func run() async throws {
        try? await gracefulShutdown()
        self.publisher.stop()
    }
}

extension RulesPublisher {
    /// Creates the publisher for the settings; `nil` if none is configured.
    convenience init?(_ settings: ServeSettings, logger: Logger) throws(SettingsError) {
        guard let path = settings.publishRules else { return nil }
        do throws(Failure) {
            try self.init(path: path, besides: settings.rules, logger: logger)
        } catch {
            throw SettingsError("\(Settings[\.publishRules].name.flag) '\(path)': \(error)")
        }
    }

    var publishing: @Sendable (PublishedRules) async -> Void {
        { rules in await self.publish(rules) }
    }
}
