import Glibc

/// A part of the last head on a connection, byte for byte.
///
/// An app sends the same header fields with request after request, and one that is refused or waits
/// for something often the same request; comparing them with the last ones costs a fraction of
/// reading them anew.
struct RememberedBytes: Sendable {
    /// Empty: none.
    private var bytes: [UInt8] = []
    /// Longer parts are read each time, so that an idle connection stays small.
    let limit: Int

    init(limit: Int) {
        self.limit = limit
    }

    var count: Int { self.bytes.count }

    /// Whether they stand there again, from the first to the last.
    func stands(in head: Span<UInt8>, at start: Int) -> Bool {
        let count = self.bytes.count
        guard count > 0, start + count <= head.count else { return false }
        return unsafe head.withUnsafeBytes { head in
            unsafe self.bytes.withUnsafeBytes { remembered in
                guard let head = head.baseAddress, let remembered = remembered.baseAddress else {
                    return false
                }
                return unsafe memcmp(head + start, remembered, count) == 0
            }
        }
    }

    mutating func remember(_ head: Span<UInt8>, from start: Int, to end: Int) {
        self.bytes.removeAll(keepingCapacity: true)
        guard end - start <= self.limit else { return }
        unsafe head.extracting(start..<end).withUnsafeBufferPointer {
            unsafe self.bytes.append(contentsOf: $0)
        }
    }

    mutating func forget() {
        self.bytes.removeAll(keepingCapacity: true)
    }
}
