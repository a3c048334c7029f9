import ArgumentParser
import Glibc

/// Standard error, for log lines and error messages of commands.
enum StandardError {
    /// Writes a line in one system call, so that lines of concurrent threads do not mix.
    static func write(_ line: String) {
        var bytes = Array((line + "\n").utf8)[...]
        while !bytes.isEmpty {
            let written = unsafe bytes.withUnsafeBytes {
                unsafe Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count)
            }
            // If standard error is closed, the failure cannot be reported anywhere else.
            guard written > 0 || errno == EINTR else { return }
            bytes = bytes.dropFirst(Swift.max(0, written))
        }
    }

    /// Writes lines, and ends the command with exit code 1.
    static func fail(_ lines: [String]) throws -> Never {
        for line in lines { self.write(line) }
        throw ExitCode.failure
    }

    static func fail(_ line: String) throws -> Never { try self.fail([line]) }
}
