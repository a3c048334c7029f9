import Glibc

/// A SIGHUP that comes before it is trapped would end the process.
enum EarlyHangups {
    /// Ignores SIGHUP until it is trapped: whatever it asks to read again is read only then.
    static func ignore() {
        _ = signal(SIGHUP, SIG_IGN)
    }
}
