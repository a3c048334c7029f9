import Foundation
import GateTestSupport
import Observation
import Testing

@testable import VersionGateClient

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The client library for Swift, with the real gate.
@Suite(.serialized, .ownThread, .timeLimit(.minutes(5)))
struct ClientLibraryTests {
    private static func time(_ seconds: Double) -> String {
        Date(timeIntervalSinceNow: seconds).formatted(.iso8601)
    }

    @Test
    func `an outdated build is denied with the operator's texts`() async throws {
        try await Scene.play { scene in
            let tested = try TestedClient(port: scene.gate.port)
            let denial = try await tested.denial("/v2/orders")
            #expect(denial.status == 426)
            #expect(denial.retryAfter == nil)
            #expect(!denial.isBrownout)
            guard case .updateRequired(let update) = denial.reason else {
                throw HarnessError("\(denial)")
            }
            #expect(update.title == "Update required")
            #expect(update.message == "Version 3.4.9 is too old. Please update to 3.5.0.")
            #expect(update.button == "Update")
            #expect(update.storeURL?.absoluteString == RulesText.storeURL)
            #expect(update.minimumVersion == "3.5.0")
            #expect(update.currentVersion == "3.4.9")
            #expect(update.rule == "ios")
            #expect(update.revision?.isEmpty == false)
            #expect(try #require(UpdatePrompt(denial)).isDismissible == false)
            // The denial of one path does not change the state of the app.
            #expect(tested.client.state == .unknown(last: nil))
            let state = await tested.client.check()
            #expect(state.isRequired)
            #expect(state.update?.message == update.message)
            #expect(tested.client.state == state)
            #expect(try scene.finalRecord().requests.isEmpty)
        }
    }

    @Test
    func `a current build is allowed, and its identity is forwarded`() async throws {
        try await Scene.play { scene in
            let tested = try TestedClient(port: scene.gate.port, version: "3.5.0")
            let (data, response) = try await tested.get("/v2/orders")
            #expect(response.statusCode == 200)
            let echo = try JSONDecoder().decode(EchoReport.self, from: data)
            #expect(echo.fields["X-App-Version"] == ["3.5.0"])
            #expect(echo.fields["X-App-Platform"] == ["ios"])
            #expect(tested.client.hint(in: response) == nil)
            #expect(await tested.client.check() == .allowed)
            // An unchanged status is not sent again (304).
            #expect(await tested.client.check() == .allowed)
        }
    }

    @Test
    func `the app gets all backend responses, including errors and the backend's own 426`()
        async throws
    {
        let script: ScriptedBackend.Script = { request in
            request.target == "/426"
                ? [.answer("426 Upgrade Required", fields: "Upgrade: HTTP/2.0\r\n")]
                : [.answer("500 Internal Server Error", body: "oops")]
        }
        try await Scene.play(backend: script) { scene in
            let tested = try TestedClient(port: scene.gate.port, version: "3.5.0")
            #expect(try await tested.get("/426").1.statusCode == 426)
            let (data, response) = try await tested.get("/500")
            #expect(response.statusCode == 500)
            #expect(data == Data("oops".utf8))
        }
    }

    @Test
    func `a warned build is allowed with a hint, which its user can postpone`() async throws {
        let rules = """
            rules:
              - id: ios
                match: { app: com.example.shop, platform: ios }
                minimum: "3.0.0"
                recommended: "4.2.0"
                snooze: 1h
                recommendedNotice: news
                storeUrl: \(RulesText.storeURL)
            notices:
              news:
                en: { title: Update available, message: Please., button: Get it }

            """
        try await Scene.play(rules: rules) { scene in
            let tested = try TestedClient(port: scene.gate.port)
            let (_, response) = try await tested.get("/v2/orders")
            let hint = try #require(tested.client.hint(in: response)?.update)
            #expect(hint.latestVersion == "4.2.0")
            #expect(hint.storeURL?.absoluteString == RulesText.storeURL)
            let state = await tested.client.check()
            guard case .recommended(let update) = state else { throw HarnessError("\(state)") }
            #expect(update.title == "Update available")
            #expect(update.snoozeSeconds == 3600)
            let prompt = try #require(tested.client.prompt(for: state))
            #expect(prompt.isDismissible)
            #expect(tested.client.snooze(prompt.update))
            #expect(tested.client.prompt(for: state) == nil)
            try scene.reload(rules.replacing("4.2.0", with: "4.3.0"))
            let next = await tested.client.check()
            #expect(tested.client.prompt(for: next)?.update.latestVersion == "4.3.0")
        }
    }

    @Test
    func `a build that will be denied gets the date`() async throws {
        let day = Self.time(86_400)
        let plan = "    warnFrom: \(Self.time(-60))\n    enforceFrom: \(day)\n"
        let notice = "    notice: upgrade\n"
        let rules = RulesText.shop.replacing(notice, with: notice + plan)
        try await Scene.play(rules: rules) { scene in
            let tested = try TestedClient(port: scene.gate.port)
            let (_, response) = try await tested.get("/v2/orders")
            #expect(response.statusCode == 200)
            let hint = try #require(tested.client.hint(in: response)?.update)
            let state = await tested.client.check()
            guard case .recommended(let update) = state else { throw HarnessError("\(state)") }
            for told in [hint, update] {
                #expect(told.enforceFrom?.formatted(.iso8601) == day)
                #expect(told.latestVersion == "3.5.0")
            }
            #expect(tested.client.prompt(for: state)?.isDismissible == true)
        }
    }

    @Test
    func `a brownout states its end, and ends then`() async throws {
        try await Scene.play { scene in
            // The rules are written only now, because on a busy machine the gate may take seconds
            // to start.
            let rules = """
                rules:
                  - id: ios
                    match: { platform: ios }
                    minimum: "3.5.0"
                    warnFrom: \(Self.time(-60))
                    brownouts: [{ from: \(Self.time(-30)), until: \(Self.time(4)) }]
                    enforceFrom: \(Self.time(600))
                    storeUrl: https://example.com

                """
            try scene.reload(rules)
            let tested = try TestedClient(port: scene.gate.port)
            tested.listen()
            let denial = try await tested.denial("/v2/orders")
            #expect(denial.isBrownout)
            #expect((0...4).contains(try #require(denial.retryAfter)))
            let refused = try tested.waitForState("the brownout") { $0.isRequired }
            #expect(tested.client.state.update?.brownoutUntil != nil)
            #expect(tested.client.state.update?.enforceFrom != nil)
            try tested.waitForState("its end", after: refused) { state in
                guard case .recommended = state else { return false }
                return true
            }
            #expect(try await tested.get("/v2/orders").1.statusCode == 200)
        }
    }

    @Test
    func `maintenance is a temporary denial, for one path or for all paths`() async throws {
        let rules = """
            rules:
              - id: orders
                match: { path: /orders/** }
                maintenance: { from: \(Self.time(-60)), until: \(Self.time(600)) }

            """
        try await Scene.play(rules: rules) { scene in
            let tested = try TestedClient(port: scene.gate.port)
            let denial = try await tested.denial("/orders/1")
            #expect(denial.status == 503)
            #expect((500...600).contains(try #require(denial.retryAfter)))
            guard case .maintenance(let window) = denial.reason else {
                throw HarnessError("\(denial)")
            }
            let seconds = try #require(window.until).timeIntervalSinceNow
            #expect((400...600).contains(seconds))
            #expect(await tested.client.check() == .allowed)
            let about = await tested.client.check(path: "/orders/a b+c?d&e", method: "POST")
            guard case .maintenance(let asked) = about else { throw HarnessError("\(about)") }
            #expect(asked.until != nil)
            #expect(tested.client.state == .allowed)
            // Now the maintenance covers all paths.
            tested.listen()
            let open = try tested.waitForState("the beginning") { $0 == .allowed }
            let all = rules.replacing("    match: { path: /orders/** }\n", with: "")
            try scene.reload(all)
            let closed = try tested.waitForState("the maintenance", after: open) {
                $0.isMaintenance
            }
            #expect(await tested.client.check().isMaintenance)
            #expect(try await tested.denial("/v2/carts").status == 503)
            try scene.reload("rules: []\n")
            try tested.waitForState("its end", after: closed) { $0 == .allowed }
            #expect(try await tested.get("/v2/carts").1.statusCode == 200)
        }
    }

    @Test
    func `a running app is informed of a change and of its undo`() async throws {
        try await Scene.play { scene in
            let tested = try TestedClient(port: scene.gate.port, version: "3.5.0")
            tested.listen()
            let first = try tested.waitForState("the beginning") { $0 == .allowed }
            #expect(tested.heard.current.first == .unknown(last: nil))
            try scene.reload(RulesText.shop(minimum: "4.0.0"))
            let raised = try tested.waitForState("the new floor", after: first) {
                $0.isRequired && $0.update?.minimumVersion == "4.0.0"
            }
            try scene.reload(RulesText.shop)
            try tested.waitForState("the undo", after: raised) { $0 == .allowed }
            // All listeners share one connection, which ends with the last listener.
            let other = tested.client.states
            var iterator = other.makeAsyncIterator()
            #expect(await iterator.next() == .allowed)
        }
    }

    @Test
    func `no request is denied offline, whatever was required before`()
        async throws
    {
        let port = try FreePort.find()
        let storage = TestStorage()
        try await Scene.play(flags: [.listen(port: port)]) { scene in
            let tested = try TestedClient(port: port, storage: storage)
            tested.listen()
            let refused = try tested.waitForState("the floor") { $0.isRequired }
            #expect(scene.gate.end() == .status(0))
            try tested.waitForState("the loss", after: refused) { $0.isUnknown }
            let offline = tested.client.state
            #expect(offline == .unknown(last: tested.heard.current[refused - 1]))
            #expect(offline.inEffect == .allowed)
            #expect(tested.client.prompt(for: offline) == nil)
            await #expect(throws: URLError.self) { try await tested.get("/v2/orders") }
            tested.stopListening()

            // The app restarts while still offline, and is then updated.
            let again = try TestedClient(port: port, storage: storage)
            #expect(again.client.state == offline)
            let checked = await again.client.check()
            #expect(checked == offline)
            try await Self.playPortal(port: port, for: again, state: checked)
            let updated = try TestedClient(port: port, version: "3.5.0", storage: storage)
            #expect(updated.client.state == .unknown(last: nil))
            #expect(await updated.client.check().inEffect == .allowed)

            // The gate is back with a lower floor.
            again.listen()
            try scene.folder.replace("rules.yaml", with: RulesText.shop(minimum: "3.0.0"))
            let next = try GateProcess(
                upstreamPort: scene.backend.port,
                rules: scene.folder.file("rules.yaml"),
                flags: [.listen(port: port)]
            )
            try again.waitForState("the lower floor") { $0 == .allowed }
            #expect(try await again.get("/v2/orders").1.statusCode == 200)
            again.stopListening()
            #expect(next.end() == .status(0))
        }
    }

    /// Runs a captive portal on the gate's port.
    ///
    /// Its responses neither deny nor allow.
    private static func playPortal(
        port: UInt16,
        for tested: TestedClient,
        state: GateState
    ) async throws {
        let page = "<!doctype html><title>Sign in</title>"
        let portal = try ScriptedBackend(port: port) { request in
            request.target == "/v2/orders"
                ? [.answer("302 Found", fields: "Location: /login\r\n"), .close]
                : [.answer(fields: "Content-Type: text/html\r\n", body: page), .close]
        }
        #expect(await tested.client.check() == state)
        // The app must handle the portal's response itself.
        let (data, response) = try await tested.get("/v2/orders")
        #expect(response.statusCode == 200)
        #expect(data == Data(page.utf8))
        portal.stopListening()
        try portal.endConnections()
        #expect(portal.record.requests.count == 3)
    }

    @Test
    func `a restart of the gate does not lose the state`() async throws {
        let port = try FreePort.find()
        // The client cannot reconnect before the gate is back.
        let held = Latch()
        let tested = try TestedClient(port: port, surroundings: .returning(after: held))
        try await Scene.play(flags: [.listen(port: port), .drainTimeout(seconds: 1)]) { scene in
            tested.listen()
            let first = try tested.waitForState("the floor") { $0.isRequired }
            let next = try scene.restarted(flags: [.listen(port: port)])
            try next.reload(RulesText.shop(minimum: "3.0.0"))
            held.open()
            try tested.waitForState("the lower floor", after: first) { $0 == .allowed }
            let lost = tested.heard.current.dropFirst().filter(\.isUnknown)
            #expect(lost.isEmpty)
            tested.stopListening()
            #expect(next.gate.end() == .status(0))
        }
    }

    @Test
    @MainActor
    func `the view model shows a required update and removes it`() async throws {
        try await Scene.play { scene in
            let tested = try TestedClient(port: scene.gate.port)
            let model = GateModel(tested.client)
            #expect(model.prompt == nil)
            let running = Task { await model.run() }
            defer { running.cancel() }
            await Self.changes(of: model) { $0.prompt != nil }
            #expect(model.state.isRequired)
            #expect(model.prompt?.isDismissible == false)
            #expect(!model.dismiss())
            #expect(model.prompt != nil)
            try scene.reload(RulesText.shop(minimum: "3.0.0"))
            await Self.changes(of: model) { $0.prompt == nil }
            #expect(model.state == .allowed)
            await model.check()
            #expect(model.state == .allowed)
        }
    }

    /// Suspends until the model meets the condition.
    @MainActor
    private static func changes(
        of model: GateModel,
        until isExpected: @escaping (GateModel) -> Bool
    ) async {
        while !isExpected(model) {
            await withCheckedContinuation { continuation in
                withObservationTracking {
                    _ = isExpected(model)
                } onChange: {
                    continuation.resume()
                }
            }
        }
    }
}
