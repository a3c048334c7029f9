import Glibc

/// Descriptors 0, 1 and 2, which whoever starts the gate may have closed.
enum StandardDescriptors {
    /// Opens those that are closed on `/dev/null`: the next file or socket would get their number, and
    /// with it all that is written to standard error.
    static func open() {
        while true {
            // The lowest number that is free.
            let descriptor = unsafe Glibc.open("/dev/null", O_RDWR)
            guard descriptor > STDERR_FILENO else {
                if descriptor < 0 { return }
                continue
            }
            _ = close(descriptor)
            return
        }
    }
}
