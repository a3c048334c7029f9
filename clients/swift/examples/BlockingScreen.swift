// Shows and hides a screen while the app is in use. Run it with the gate's URL and the app's version.
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

// The first state is the stored one, or unknown.
for await state in gate.states {
    if let prompt = gate.prompt(for: state), !prompt.isDismissible {
        let button = prompt.storeURL.map { " [\(prompt.button ?? "Update"): \($0)]" } ?? ""
        show("show: \(prompt.title ?? ""): \(prompt.message ?? "")\(button)")
    } else {
        show("hide")
    }
}

/// Prints at once, even into a pipe.
func show(_ line: String) {
    FileHandle.standardOutput.write(Data("\(line)\n".utf8))
}
