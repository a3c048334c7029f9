// Waits until maintenance is over. Run it with the gate's URL and the app's version.
import Foundation
import VersionGateClient

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

let arguments = CommandLine.arguments
guard arguments.count == 3, let url = URL(string: arguments[1]) else {
    fatalError("usage: URL VERSION")
}
let gate = VersionGateClient(
    baseURL: url,
    identity: AppIdentity(platform: "ios", version: arguments[2])
)

do {
    _ = try await gate.data(for: URLRequest(url: gate.baseURL.appendingPathComponent("orders")))
} catch let denied as GateDenied {
    guard case .maintenance(let window) = denied.denial.reason else { throw denied }
    let end = window.until?.ISO8601Format() ?? "further notice"
    show("maintenance until \(end): \(window.message ?? "")")
}

// The first state is the stored one, or unknown.
for await state in gate.states.dropFirst() {
    if case .maintenance = state { continue }
    show("maintenance is over")
    break
}

/// Prints at once, even into a pipe.
func show(_ line: String) {
    FileHandle.standardOutput.write(Data("\(line)\n".utf8))
}
