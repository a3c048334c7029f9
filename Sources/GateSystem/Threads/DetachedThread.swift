private import CLinux
private import Glibc

/// A detached thread for long-running work whose result is not awaited.
package enum DetachedThread {
    private final class Start {
        let name: String
        let work: @Sendable () -> Void

        init(name: String, work: @escaping @Sendable () -> Void) {
            self.name = name
            self.work = work
        }
    }

    /// Starts a thread; `name`, of at most 15 bytes, appears in system tools such as `top`.
    ///
    /// - Returns: `false` if the system cannot create another thread (`EAGAIN`).
    package static func start(_ name: String, _ work: @escaping @Sendable () -> Void) -> Bool {
        let start = unsafe Unmanaged.passRetained(Start(name: name, work: work))
        var thread = pthread_t()
        let code = unsafe pthread_create(
            &thread,
            nil,
            { argument in
                guard let argument = unsafe argument else { return nil }
                let start = unsafe Unmanaged<Start>.fromOpaque(argument).takeRetainedValue()
                _ = unsafe pthread_setname_np(pthread_self(), start.name)
                start.work()
                return nil
            },
            start.toOpaque()
        )
        guard code == 0 else {
            unsafe start.release()
            return false
        }
        pthread_detach(thread)
        return true
    }
}
