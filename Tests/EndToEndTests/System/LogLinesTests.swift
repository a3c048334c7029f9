import Testing

@testable import versiongate

struct LogLinesTests {
    @Test(arguments: [
        ("all is well\n", "all is well\n"),
        ("two\nlines\r\n", "two\\x0Alines\\x0D\n"),
        ("\u{1B}[31mred 日本\u{7F}\n", "\\x1B[31mred 日本\\x7F\n"),
        ("\n", "\n"),
    ])
    func `a log entry is always one line`(_ text: String, _ line: String) {
        #expect(String(decoding: LogLines.line(text), as: UTF8.self) == line)
    }
}
