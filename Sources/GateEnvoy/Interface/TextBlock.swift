import CEnvoyModule

/// Texts in memory of the module, as Envoy takes the values of labels.
@safe
final class TextBlock: @unchecked Sendable {
    private let bytes: UnsafeMutableBufferPointer<UInt8>
    private let texts: UnsafeMutableBufferPointer<ModuleBytes>

    init(_ texts: [String]) {
        unsafe self.bytes = .allocate(capacity: texts.reduce(0) { $0 + $1.utf8.count })
        unsafe self.texts = .allocate(capacity: texts.count)
        var end = 0
        for (index, text) in texts.enumerated() {
            let start = end
            for byte in text.utf8 {
                unsafe self.bytes.initializeElement(at: end, to: byte)
                end += 1
            }
            let place = unsafe UnsafeBufferPointer(rebasing: self.bytes[start..<end])
            unsafe self.texts.initializeElement(at: index, to: ModuleBytes(place))
        }
    }

    deinit {
        unsafe self.bytes.deallocate()
        unsafe self.texts.deallocate()
    }

    /// Calls `body` with all texts.
    func withTexts<Result>(_ body: (UnsafeMutableBufferPointer<ModuleBytes>) -> Result) -> Result {
        unsafe body(self.texts)
    }
}
