import Glibc
import Testing

@testable import GateControl

struct InotifyEventTests {
    /// Returns a notice in the format of the kernel: watch, mask, cookie, length, name padded with
    /// zeros.
    private func bytes(_ watch: Int32, _ mask: Int32, _ name: String, padding: Int) -> [UInt8] {
        let name = Array(name.utf8) + [UInt8](repeating: 0, count: padding)
        let numbers = [UInt32(bitPattern: watch), UInt32(mask), 0, UInt32(name.count)]
        let head = numbers.flatMap { number in
            (0..<4).map { UInt8(truncatingIfNeeded: number.littleEndian >> (8 * $0)) }
        }
        return head + name
    }

    @Test func `notices are parsed`() {
        let bytes =
            self.bytes(1, IN_MODIFY, "rules.yaml", padding: 6)
            + self.bytes(2, IN_DELETE_SELF, "", padding: 0)
            + self.bytes(-1, IN_Q_OVERFLOW, "", padding: 0)
        let notices = InotifyEvent.parse(bytes[...])
        #expect(
            notices == [
                InotifyEvent(watch: 1, mask: UInt32(IN_MODIFY), name: "rules.yaml"),
                InotifyEvent(watch: 2, mask: UInt32(IN_DELETE_SELF), name: ""),
                InotifyEvent(watch: -1, mask: UInt32(IN_Q_OVERFLOW), name: ""),
            ]
        )
    }
}
