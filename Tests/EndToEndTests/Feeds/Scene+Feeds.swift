import GateTestSupport
import Testing

extension Scene {
    /// Repeats the request after every reload until the response is as expected.
    @discardableResult
    func waitForAnswer(
        _ awaited: String,
        to request: String,
        by deadline: Deadline = .usual,
        where isAwaited: (RawResponse) throws -> Bool
    ) throws -> RawResponse {
        while true {
            let seen = self.gate.logLines.count
            let answer = try self.ask(request)
            if try isAwaited(answer) { return answer }
            try self.gate.logLine("\(awaited)", skipping: seen, by: deadline) {
                $0.message == "rules loaded"
            }
        }
    }

    /// Blocks until a version of the shop's iOS app is denied or allowed.
    @discardableResult
    func wait(untilVersion version: String, isDenied: Bool) throws -> RawResponse {
        let request = Request.text(fields: Request.identity(version: version))
        return try self.waitForAnswer("\(version) denied: \(isDenied)", to: request) {
            ($0.status == 426) == isDenied
        }
    }

    func isDenied(_ version: String) throws -> Bool {
        try self.ask(Request.text(fields: Request.identity(version: version))).status == 426
    }
}
