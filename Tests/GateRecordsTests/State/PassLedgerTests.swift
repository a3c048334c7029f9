import Foundation
import GatePolicy
import GateSystem
import GateTestSupport
import Synchronization
import Testing

@testable import GateRecords

struct PassLedgerTests {
    private let folder: TestFolder
    private let clock = Clock()
    private let log = LogRecorder()

    private final class Clock: Sendable {
        let seconds = Mutex<Int64>(1_000)
        var now: Timestamp { Timestamp(secondsSinceEpoch: self.seconds.withLock { $0 }) }
        func advance(by seconds: Int64) { self.seconds.withLock { $0 += seconds } }
    }

    init() throws {
        self.folder = try TestFolder()
    }

    private func ledger(isKept: Bool = true, starts: Bool = true) -> PassLedger {
        let clock = self.clock
        let ledger = PassLedger(
            in: isKept ? StateFolder(path: self.folder.path) : nil,
            logger: self.log.logger,
            now: { clock.now }
        )
        if starts { ledger.start() }
        return ledger
    }

    /// Returns a pass that was issued some seconds ago.
    private func pass(_ number: UInt64, issued: Int64 = 0, until: Int64 = 100) -> Pass {
        Pass(
            id: Pass.ID(number),
            issued: self.clock.now.advanced(by: issued),
            until: self.clock.now.advanced(by: until),
            isSingleUse: true
        )
    }

    /// Waits for the writes that have been queued.
    private func settle() async {
        await BackgroundThread.records.run {}
    }

    private var stored: String {
        get throws {
            String(
                decoding: try Data(
                    contentsOf: URL(filePath: self.folder.path(of: "used-passes.json"))
                ),
                as: UTF8.self
            )
        }
    }

    @Test(arguments: [true, false])
    func `a pass works once, and not before the gate listens`(_ isKept: Bool) {
        let ledger = self.ledger(isKept: isKept, starts: false)
        self.clock.advance(by: 1)
        #expect(!ledger.use(self.pass(1)))
        ledger.start()
        #expect(!ledger.isUsable(self.pass(1)))
        self.clock.advance(by: 1)
        #expect(ledger.isUsable(self.pass(1)))
        #expect(ledger.use(self.pass(1)))
        #expect(!ledger.use(self.pass(1)) && !ledger.isUsable(self.pass(1)))
        #expect(ledger.use(self.pass(2)))
        ledger.close()
        #expect(!ledger.use(self.pass(3)))
    }

    @Test func `threads that use a pass at once use it once`() async {
        let ledger = self.ledger()
        self.clock.advance(by: 1)
        for number in 0..<20 as Range<UInt64> {
            let pass = self.pass(number)
            let uses = await withTaskGroup(of: Bool.self) { group in
                for _ in 0..<8 { group.addTask { ledger.use(pass) } }
                return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            #expect(uses == 1)
        }
    }

    @Test func `a restart remembers used passes, and accepts unused ones`() {
        let first = self.ledger()
        self.clock.advance(by: 1)
        let (used, unused) = (self.pass(1), self.pass(2))
        #expect(first.use(used))
        first.close()
        self.clock.advance(by: 10)
        let second = self.ledger()
        #expect(!second.use(used))
        #expect(second.use(unused))
        second.close()
        let third = self.ledger()
        #expect(!third.use(used) && !third.use(unused))
    }

    @Test func `without a state folder, passes from before the start are rejected`() {
        let pass = self.pass(1)
        self.clock.advance(by: 1)
        let ledger = self.ledger(isKept: false)
        #expect(!ledger.use(pass))
        #expect(!ledger.use(self.pass(2)))
        self.clock.advance(by: 1)
        #expect(ledger.use(self.pass(3)))
    }

    @Test func `after a crash, passes from before the start are rejected`() async {
        let first = self.ledger()
        self.clock.advance(by: 1)
        let (used, unused) = (self.pass(1), self.pass(2))
        #expect(first.use(used))
        await self.settle()
        self.clock.advance(by: 1)
        let second = self.ledger()
        #expect(!second.use(used) && !second.use(unused))
        self.clock.advance(by: 1)
        #expect(second.use(self.pass(3)))
    }

    @Test(arguments: ["", "{}", "{\"format\":2}", "\u{0}"])
    func `an unusable file counts as no file`(_ text: String) throws {
        try self.folder.write(text, to: "used-passes.json")
        let pass = self.pass(1)
        self.clock.advance(by: 1)
        let ledger = self.ledger()
        #expect(!ledger.use(pass))
        self.clock.advance(by: 1)
        #expect(ledger.use(self.pass(2)))
        ledger.close()
        #expect(try self.stored.contains("\(Pass.ID(2))"))
    }

    @Test func `a file that cannot be written means that no pass works`() throws {
        try self.folder.makeFolder("used-passes.json")
        let ledger = self.ledger()
        self.clock.advance(by: 1)
        #expect(!ledger.use(self.pass(1)))
    }

    @Test func `uses are stored in the background, and dropped after their expiry`() async throws {
        let ledger = self.ledger()
        self.clock.advance(by: 1)
        #expect(ledger.use(self.pass(1, until: 5)))
        await self.settle()
        #expect(try self.stored.contains("\(Pass.ID(1))"))
        self.clock.advance(by: 5)
        #expect(ledger.use(self.pass(2)))
        await self.settle()
        #expect(try !self.stored.contains("\(Pass.ID(1))"))
        #expect(try self.stored.contains("\(Pass.ID(2))"))
    }

    @Test func `above the limit, the oldest passes are rejected`() {
        let ledger = self.ledger(isKept: false)
        self.clock.advance(by: 1)
        let unused = self.pass(.max)
        for number in 0..<UInt64(PassLedger.capacity) {
            self.clock.advance(by: number % 100 == 0 ? 1 : 0)
            #expect(ledger.use(self.pass(number, until: 100_000)))
        }
        let first = self.pass(0, issued: -99, until: 9)
        #expect(!ledger.use(first))
        self.clock.advance(by: 1)
        #expect(ledger.use(self.pass(UInt64(PassLedger.capacity), until: 100_000)))
        #expect(!ledger.use(unused))
        #expect(!ledger.use(first))
        #expect(!ledger.use(self.pass(UInt64(PassLedger.capacity) - 1, issued: -1)))
        #expect(ledger.use(self.pass(UInt64(PassLedger.capacity) + 1)))
    }

    @Test func `a gate that another one has replaced no longer writes`() async throws {
        let old = self.ledger()
        self.clock.advance(by: 1)
        let pass = self.pass(1)
        let new = self.ledger()
        #expect(!new.use(pass))
        #expect(old.use(pass))
        await self.settle()
        self.clock.advance(by: 1)
        #expect(new.use(self.pass(2)))
        new.close()
        old.close()
        #expect(try self.stored.contains("\(Pass.ID(2))"))
        #expect(try self.stored.contains("\"isComplete\":true"))
        #expect(try !self.stored.contains("\(Pass.ID(1))"))
    }
}
