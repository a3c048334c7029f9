import GateTestSupport

/// Clients whose connections the gate has parked.
extension Scene {
    /// A flag with a delay that is short enough for a test.
    static let parking = GateFlag.parkAfter(seconds: 0.1)

    /// Returns a client that has received a response and is parked, in addition to `count` parked clients.
    func parkedClient(after count: Int = 0, introducedBy header: String = "") throws -> RawClient {
        let client = try self.connect()
        try client.send(header + Request.text())
        guard try client.response().status == 200 else { throw HarnessError("no response") }
        try self.gate.waitUntilParked(count + 1)
        return client
    }

    func parkedClients(_ count: Int) throws -> [RawClient] {
        let clients = try (0..<count).map { _ in try self.connect() }
        for client in clients { try client.send(Request.text(fields: Request.outdated)) }
        for client in clients {
            guard try client.response().status == 426 else { throw HarnessError("no response") }
        }
        try self.gate.waitUntilParked(count)
        return clients
    }

    /// Returns the number of the gate's descriptors once it is stable after the start.
    func descriptorsAtRest() throws -> Int {
        var (count, since) = (-1, ContinuousClock.now)
        return try Deadline.usual.poll("a stable number of descriptors") {
            let current = try self.gate.descriptorCount()
            if current != count { (count, since) = (current, .now) }
            return since.duration(to: .now) >= .milliseconds(500) ? count : nil
        }
    }

    /// Blocks until the gate has exactly this number of descriptors open.
    func waitForDescriptors(_ count: Int) throws {
        try Deadline.usual.poll("\(count) descriptors, not \(self.gate.descriptorCount())") {
            try self.gate.descriptorCount() == count ? true : nil
        }
    }

    /// Returns whether connections remain unparked for longer than the gate needs to park one; it looks for such
    /// connections four times a second.
    func staysUnparked() throws -> Bool {
        let end = Deadline.after(.milliseconds(600))
        return try Deadline.usual.poll("time to pass") {
            if try self.gate.parkedCount() > 0 { return false }
            return end.hasPassed ? true : nil
        }
    }
}
