// Starts without a network. Run it with the gate's URL, the app's version and a folder for the last state.
import Foundation
import VersionGateClient

let arguments = CommandLine.arguments
guard arguments.count == 4, let url = URL(string: arguments[1]) else {
    fatalError("usage: URL VERSION FOLDER")
}
let gate = VersionGateClient(
    baseURL: url,
    identity: AppIdentity(platform: "ios", version: arguments[2]),
    storage: FileStorage(folder: URL(fileURLWithPath: arguments[3]))
)

switch await gate.check() {
case .unknown(last: .required):
    // The requirement may have been withdrawn since, so it does not block the app.
    print("start offline; last time, an update was required")
case .unknown:
    print("start offline")
default:
    print("online")
}
