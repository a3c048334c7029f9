internal import GateSystem
import Glibc

/// The name and the bytes of a file in a rule set.
package struct RulesSource: Sendable, Equatable {
    /// The maximum size of a file in bytes: four times the maximum size of a Kubernetes ConfigMap.
    package static let maximumSize = FileContent.maximumRulesSize

    /// The name for messages: the path as given by the operator.
    let name: String
    let bytes: [UInt8]
    /// The maximum size in bytes.
    let limit: Int

    package init(name: String, bytes: [UInt8], atMost limit: Int = Self.maximumSize) {
        self.name = name
        self.bytes = bytes
        self.limit = limit
    }

    init(name: String, text: String) {
        self.init(name: name, bytes: Array(text.utf8))
    }

    /// Reads a file.
    init(path: String, atMost limit: Int = Self.maximumSize) throws(RulesFileError) {
        do throws(FileContent.Failure) {
            let content = try FileContent(path: path, atMost: limit)
            self.init(name: path, bytes: content.bytes, atMost: limit)
        } catch {
            throw RulesFileError(file: path, message: "\(error)")
        }
    }

    /// Reads standard input to its end; messages refer to it as `name`.
    static func standardInput(as name: String) throws(RulesFileErrors) -> RulesSource {
        do throws(FileContent.Failure) {
            let bytes = try FileContent.bytes(of: STDIN_FILENO, atMost: Self.maximumSize)
            return RulesSource(name: name, bytes: bytes)
        } catch {
            throw RulesFileErrors(RulesFileError(file: name, message: "\(error)"))
        }
    }

    /// Returns the content without a byte order mark.
    package func text() throws(RulesFileError) -> String {
        guard self.bytes.count <= self.limit else { throw .tooLarge(self.name) }
        let text: String
        do {
            text = String(copying: try UTF8Span(validating: self.bytes.span))
        } catch {
            let offset = error.byteOffsets.lowerBound
            let before = String(decoding: self.bytes[..<offset], as: UTF8.self)
            throw RulesFileError(self.place(after: before), "the file is not valid UTF-8")
        }
        try self.refuseControlCharacters(in: text)
        return text.unicodeScalars.first == "\u{FEFF}"
            ? String(text.unicodeScalars.dropFirst()) : text
    }

    /// Throws an error that names the first forbidden control character; libyaml would report only
    /// an offset.
    private func refuseControlCharacters(in text: String) throws(RulesFileError) {
        let scalars = text.unicodeScalars
        guard let index = scalars.firstIndex(where: Self.isForbidden) else { return }
        let number = String(scalars[index].value, radix: 16, uppercase: true)
        let padded = String(repeating: "0", count: max(0, 4 - number.count)) + number
        throw RulesFileError(
            self.place(after: String(scalars[..<index])),
            "the control character U+\(padded) is not allowed in a rules file"
        )
    }

    private static func isForbidden(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x09, 0x0A, 0x0D, 0x85: false
        case 0..<0x20, 0x7F..<0xA0, 0xFFFE, 0xFFFF: true
        default: false
        }
    }

    private func place(after text: String) -> Place {
        let lines = text.split(separator: /\r\n|\n|\r/, omittingEmptySubsequences: false)
        let last = lines.last?.unicodeScalars.filter { $0 != "\u{FEFF}" }.count ?? 0
        return Place(file: self.name, line: lines.count, column: last + 1)
    }
}

extension RulesFileError {
    static func tooLarge(_ file: String) -> RulesFileError {
        let limit = RulesSource.maximumSize >> 20
        return RulesFileError(file: file, message: "the file is larger than \(limit) MiB")
    }
}
