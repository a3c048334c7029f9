import GateWire
import NIOCore
import Testing

@testable import GateProxy

struct UnfinishedRequestsTests {
    private typealias Row = (length: UInt64?, received: Int, needsRoom: Bool)

    @Test func `a client gets a larger window only for what it has to send`() {
        let rows: [Row] = [
            (0, 0, false), (65_535, 0, false), (65_536, 0, true), (30_000_000, 0, true),
            (65_536, 65_535, true), (10_000, 9_999, false),
            // If the length is unknown, the window grows once half of it has been received.
            (nil, 0, false), (nil, 32_767, false), (nil, 32_768, true), (nil, 65_535, true),
        ]
        for row in rows {
            var entry = UnfinishedRequests.Entry.sample(
                length: row.length.map { AnnouncedLength($0) }
            )
            _ = entry.window.receive(row.received)
            try? entry.length?.take(row.received, isLast: false)
            #expect(entry.needsRoom == row.needsRoom, "\(row)")
            entry.getsRoom = false
            #expect(!entry.needsRoom)
        }
    }

    @Test func `overdue requests are listed in the order of their streams`() {
        var requests = UnfinishedRequests()
        #expect(requests.isEmpty)
        #expect(requests.oldest == nil)
        for (stream, time) in [(9, 3), (5, 1), (7, 2)] as [(UInt32, UInt64)] {
            requests[stream] = .sample(length: nil, deadline: .uptimeNanoseconds(time))
        }
        #expect(requests.count == 3)
        #expect(requests.oldest == 5)
        #expect(requests.overdue(at: .uptimeNanoseconds(0)) == [])
        #expect(requests.overdue(at: .uptimeNanoseconds(2)) == [5, 7])
        requests[5] = nil
        #expect(requests.oldest == 7)
    }
}

extension UnfinishedRequests.Entry {
    /// Returns a request whose head has been received, but nothing else.
    static func sample(
        length: AnnouncedLength?,
        room: Int = HTTP2OwnSettings.firstWindow,
        deadline: NIODeadline = .distantFuture
    ) -> Self {
        Self(
            length: length,
            window: HTTP2ReceiveWindow(size: HTTP2OwnSettings.streamWindow, first: room),
            left: .max,
            getsRoom: true,
            end: .distantFuture,
            deadline: deadline,
            client: nil
        )
    }
}
