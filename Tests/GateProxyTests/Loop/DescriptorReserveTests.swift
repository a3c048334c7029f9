import Testing

@testable import GateProxy

struct DescriptorReserveTests {
    @Test(arguments: [
        (48, 40, 44), (64, 56, 60), (1024, 944, 1008), (4096, 3808, 4064), (65_536, 65_248, 65_504),
    ])
    func `descriptors are reserved for backends and for the process`(
        limit: Int,
        clients: Int,
        backends: Int
    ) {
        let reserve = DescriptorReserve(limit: limit)
        #expect(reserve.end(for: .client) == clients)
        #expect(reserve.end(for: .backend) == backends)
    }

    @Test func `there is always capacity without a limit, and none at the limit`() {
        for purpose in [DescriptorReserve.Purpose.client, .backend] {
            #expect(DescriptorReserve(limit: nil).hasRoom(for: purpose))
            // The process has a few descriptors open.
            #expect(!DescriptorReserve(limit: 3).hasRoom(for: purpose))
        }
    }
}
