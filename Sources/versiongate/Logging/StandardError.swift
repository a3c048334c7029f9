import Glibc

/// Standard error, for log lines and for what is wrong with a call.
enum StandardError {
    /// Writes one line in one call, so that lines of several threads do not mix.
    static func write(_ line: String) {
        var bytes = Array((line + "\n").utf8)[...]
        while !bytes.isEmpty {
            let written = unsafe bytes.withUnsafeBytes {
                unsafe Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count)
            }
            // Nobody is left to be told that standard error is gone.
            guard written > 0 || errno == EINTR else { return }
            bytes = bytes.dropFirst(Swift.max(0, written))
        }
    }
}
