// Sends a request to the backend. Run it with the gate's URL and the app's version.
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

let request = URLRequest(url: gate.baseURL.appendingPathComponent("orders"))
do {
    let (_, response) = try await gate.data(for: request)
    print("status \((response as? HTTPURLResponse)?.statusCode ?? 0)")
} catch let denied as GateDenied {
    switch denied.denial.reason {
    case .updateRequired(let update):
        print("denied: \(update.message ?? "") \(update.storeURL?.absoluteString ?? "")")
    case .maintenance(let window):
        print("maintenance: \(window.message ?? "")")
    }
}
