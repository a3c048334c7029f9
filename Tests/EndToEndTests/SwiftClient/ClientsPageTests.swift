import Foundation
import GateTestSupport
import Testing
import VersionGateClient

/// The statements of `docs/clients.md` about the Swift library.
@Suite(.serialized, .ownThread, .timeLimit(.minutes(5)))
struct ClientsPageTests {
    @Test
    func `the page contains the snippet that is compiled here`() throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
        let source = try String(
            contentsOf: folder.appending(path: "ClientsPageSnippet.swift"),
            encoding: .utf8
        )
        let page = try String(
            contentsOf: folder.appending(path: "../../../docs/clients.md").standardized,
            encoding: .utf8
        )
        let parts = source.components(separatedBy: "// -- begin\n")
        let snippet = try #require(parts.last?.components(separatedBy: "// -- end").first)
        #expect(snippet.contains("func follow"))
        #expect(page.contains("```swift\n\(snippet)```\n"))
    }

    @Test
    func `the snippet works as documented`() async throws {
        try await Scene.play { scene in
            let current = try TestedClient(port: scene.gate.port, version: "3.5.0")
            guard case .loaded(let data) = try await orders(through: current.client) else {
                throw HarnessError("a current build was denied")
            }
            #expect(try JSONDecoder().decode(EchoReport.self, from: data).target == "/v2/orders")
            let outdated = try TestedClient(port: scene.gate.port)
            guard case .updateFirst(let update) = try await orders(through: outdated.client) else {
                throw HarnessError("an outdated build was allowed")
            }
            #expect(update.title == "Update required")
            let shown = Watched<[UpdatePrompt?]>([])
            let client = outdated.client
            let following = Task {
                await follow(client) { prompt in shown.update { $0.append(prompt) } }
            }
            defer { following.cancel() }
            let prompt = try shown.wait(for: "the prompt") { $0.compactMap(\.self).first }
            #expect(!prompt.isDismissible)
        }
    }
}
