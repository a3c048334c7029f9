import Testing

@testable import GateCensus

struct SipHashTests {
    private static let key = (0..<16).map { UInt8($0) }

    /// `vectors_sip64` of the reference implementation: the hash of 0, 1, 2 … with that key.
    @Test(
        arguments: zip(
            [0, 1, 7, 8, 9, 15, 16, 36],
            [
                0x726F_DB47_DD0E_0E31, 0x74F8_39C5_93DC_67FD, 0xAB02_00F5_8B01_D137,
                0x93F5_F579_9A93_2462, 0x9E00_82DF_0BA9_E4B0, 0xA129_CA61_49BE_45E5,
                0x3F2A_CC7F_57C2_9BDB, 0x314D_FFBE_0815_A3B4,
            ] as [UInt64]
        )
    )
    func `the hashes are those of the reference vectors`(length: Int, expected: UInt64) throws {
        let hash = try #require(SipHash(key: Self.key))
        let bytes = (0..<length).map { UInt8($0) }
        #expect(hash.hash(bytes.span) == expected)
    }

    @Test func `a different key gives a different hash, and a key that is too short is rejected`()
        throws
    {
        let other = try #require(SipHash(key: Self.key.reversed()))
        let hash = try #require(SipHash(key: Self.key))
        let device = Array("4f6b1d9c".utf8)
        #expect(hash.hash(device.span) != other.hash(device.span))
        #expect(SipHash(key: Array(Self.key.dropLast())) == nil)
    }
}
