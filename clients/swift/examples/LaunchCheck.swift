// Checks the version when the app starts. Run it with the gate's URL and the app's version.
import Foundation
import VersionGateClient

let arguments = CommandLine.arguments
guard arguments.count == 3, let url = URL(string: arguments[1]) else {
    fatalError("usage: URL VERSION")
}
let gate = VersionGateClient(
    baseURL: url,
    identity: AppIdentity(platform: "ios", version: arguments[2])
)

switch await gate.check() {
case .recommended(let update):
    print("start, and offer \(update.latestVersion ?? "an update")")
case .required(let update):
    print("update first: \(update.storeURL?.absoluteString ?? "")")
case .maintenance:
    print("come back later")
case .allowed, .unknown:
    print("start")  // unknown: there is no network
}
