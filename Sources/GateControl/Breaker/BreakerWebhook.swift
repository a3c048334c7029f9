private import FoundationEssentials
internal import Logging

/// Tells an address of somebody's own what has tripped.
struct BreakerWebhook: Sendable {
    private struct Message: Encodable {
        let event = "breaker-tripped"
        let trips: [BreakerTrip]
    }

    private static let attempts = 3
    private static let pause = Duration.seconds(5)

    let trust: TrustedAuthorities
    let logger: Logger

    /// Posts JSON, and tries again twice if nobody takes it.
    func tell(_ url: FetchURL, _ trips: [BreakerTrip]) async {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let body = try? encoder.encode(Message(trips: trips)) else { return }
        let request = FetchRequest(url, method: .post(body: Array(body), type: "application/json"))
        var problem = ""
        for attempt in 1...Self.attempts {
            do throws(FetchFailure) {
                let status = try await Fetcher(trust: self.trust).fetch(request).status
                if (200..<300).contains(status) { return }
                problem = "status \(status)"
            } catch {
                problem = "\(error)"
            }
            if attempt < Self.attempts { try? await Task.sleep(for: Self.pause) }
        }
        self.logger.error(
            "the webhook of the breaker was not told",
            metadata: ["host": "\(url.host)", "error": "\(problem)"]
        )
    }
}
