import CEnvoyModule
import GatePolicy

/// Header lines in the module's memory, in the form that Envoy expects.
///
/// The lines are written once, and passed to Envoy for every request that needs them.
@safe
final class FieldBlock: @unchecked Sendable {
    private let bytes: UnsafeMutableBufferPointer<UInt8>
    private let lines: UnsafeMutableBufferPointer<ModuleLine>

    /// Creates the lines; names are converted to lower case, as in Envoy.
    init(_ fields: [HeaderField]) {
        let count = fields.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count }
        unsafe self.bytes = .allocate(capacity: count)
        unsafe self.lines = .allocate(capacity: fields.count)
        var end = 0
        for (index, field) in fields.enumerated() {
            let name = unsafe self.bytes.write(field.name.lowercasedASCII, at: &end)
            let value = unsafe self.bytes.write(field.value, at: &end)
            unsafe self.lines.initializeElement(
                at: index,
                to: ModuleLine(
                    key_ptr: name.baseAddress,
                    key_length: name.count,
                    value_ptr: value.baseAddress,
                    value_length: value.count
                )
            )
        }
    }

    deinit {
        unsafe self.bytes.deallocate()
        unsafe self.lines.deallocate()
    }

    var isEmpty: Bool { unsafe self.lines.isEmpty }

    /// Calls `body` with each name and value.
    func forEach(_ body: (_ name: ModuleBytes, _ value: ModuleBytes) -> Void) {
        for index in unsafe self.lines.indices {
            let line = unsafe self.lines[index]
            unsafe body(
                ModuleBytes(ptr: line.key_ptr, length: line.key_length),
                ModuleBytes(ptr: line.value_ptr, length: line.value_length)
            )
        }
    }

    /// Calls `body` with all lines.
    func withLines(_ body: (UnsafeMutableBufferPointer<ModuleLine>) -> Void) {
        unsafe body(self.lines)
    }
}

/// Strings in the module's memory, in the form that Envoy expects for label values.
@safe
final class TextBlock: @unchecked Sendable {
    private let bytes: UnsafeMutableBufferPointer<UInt8>
    private let texts: UnsafeMutableBufferPointer<ModuleBytes>

    init(_ texts: [String]) {
        unsafe self.bytes = .allocate(capacity: texts.reduce(0) { $0 + $1.utf8.count })
        unsafe self.texts = .allocate(capacity: texts.count)
        var end = 0
        for (index, text) in texts.enumerated() {
            let place = unsafe self.bytes.write(text, at: &end)
            unsafe self.texts.initializeElement(at: index, to: ModuleBytes(place))
        }
    }

    deinit {
        unsafe self.bytes.deallocate()
        unsafe self.texts.deallocate()
    }

    /// Calls `body` with all strings.
    func withTexts<Result>(_ body: (UnsafeMutableBufferPointer<ModuleBytes>) -> Result) -> Result {
        unsafe body(self.texts)
    }
}

extension UnsafeMutableBufferPointer<UInt8> {
    /// Copies a string to index `end`, and advances `end` past it.
    fileprivate func write(_ text: String, at end: inout Int) -> UnsafeBufferPointer<UInt8> {
        let start = end
        for byte in text.utf8 {
            unsafe self.initializeElement(at: end, to: byte)
            end += 1
        }
        // An empty string also needs a pointer, because Envoy interprets a null pointer as a missing value.
        return unsafe UnsafeBufferPointer(rebasing: self[start..<end])
    }
}
