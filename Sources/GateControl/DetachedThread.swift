private import CLinux
private import Glibc

/// A thread of its own for work that lasts, and that nobody waits for.
enum DetachedThread {
    private final class Start {
        let name: String
        let work: @Sendable () -> Void

        init(name: String, work: @escaping @Sendable () -> Void) {
            self.name = name
            self.work = work
        }
    }

    /// Starts it, under a name of up to 15 bytes by which the system shows it.
    static func start(_ name: String, _ work: @escaping @Sendable () -> Void) {
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
        // It is wanted at the start of a gate, which does not hold without it.
        guard code == 0 else { fatalError("no thread for \(name): error \(code)") }
        pthread_detach(thread)
    }
}
