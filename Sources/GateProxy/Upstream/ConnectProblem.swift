import Glibc
import NIOCore

/// Why a backend cannot be connected to, in words that say what to look at.
enum ConnectProblem {
    /// The words for the log about an error.
    static func words(_ error: any Error) -> String {
        if case .connectTimeout(let time)? = error as? ChannelError {
            return "no answer within \(Double(time.nanoseconds) / 1_000_000_000) s: look at the "
                + "address, and whether a firewall lets the gate through"
        }
        guard let error = error as? IOError else { return "\(error)" }
        let hint: String? =
            switch error.errnoCode {
            case ECONNREFUSED: "nothing listens there: look whether the backend is up, and its port"
            case ENOENT: "there is no such socket: look whether the backend is up, and the path"
            case EACCES, EPERM: "the gate's user may not use it: look at its permissions"
            case EHOSTUNREACH, ENETUNREACH: "no way leads there from this machine"
            default: nil
            }
        return hint.map { "\($0) (\(Self.name(error.errnoCode)))" } ?? "\(error)"
    }

    private static func name(_ code: CInt) -> String {
        unsafe String(cString: strerror(code))
    }
}
