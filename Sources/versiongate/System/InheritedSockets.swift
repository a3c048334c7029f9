import GateProxy
import Glibc

/// Listening sockets passed by the service manager (socket activation).
///
/// See sd_listen_fds(3): `LISTEN_PID` is the ID of the process that receives the sockets,
/// `LISTEN_FDS` is the number of sockets, and `LISTEN_FDNAMES` contains their names. The first
/// socket is descriptor 3.
struct InheritedSockets: Equatable {
    var descriptors: [Int32]
    var names: [String]

    /// The value without inherited sockets.
    static let none = InheritedSockets(descriptors: [], names: [])

    /// The names of sockets for the admin listener and for gateways; all other sockets are for clients.
    static let adminName = "admin"
    static let decideName = "decide"

    private static let first: Int32 = 3
    private static let most: Int32 = 64

    /// Reads the sockets from the environment.
    ///
    /// - Throws: `SettingsError` if the variables are for this process but invalid.
    static func announced(
        in environment: [String: String],
        processIdentifier: Int32
    ) throws(SettingsError) -> InheritedSockets {
        // The variables may have been inherited from an activated parent process.
        guard environment["LISTEN_PID"] == "\(processIdentifier)" else { return .none }
        let text = environment["LISTEN_FDS"] ?? ""
        guard let count = Int32(text), (1...Self.most).contains(count) else {
            throw SettingsError("LISTEN_FDS '\(text)': expected a number from 1 to \(Self.most)")
        }
        let names =
            environment["LISTEN_FDNAMES"]?
            .split(separator: ":", omittingEmptySubsequences: false).map(String.init) ?? []
        guard names.isEmpty || names.count == Int(count) else {
            throw SettingsError("LISTEN_FDNAMES has \(names.count) names for \(count) sockets")
        }
        return InheritedSockets(descriptors: (0..<count).map { Self.first + $0 }, names: names)
    }

    /// Returns the sockets whose names satisfy `isChosen`; the name is `nil` if the sockets are not named.
    func sockets(where isChosen: (_ name: String?) -> Bool) -> [Int32] {
        self.descriptors.enumerated().compactMap { index, descriptor in
            isChosen(self.names.isEmpty ? nil : self.names[index]) ? descriptor : nil
        }
    }

    /// The sockets of the data plane.
    var listeners: InheritedListeners {
        InheritedListeners(
            clients: self.sockets { $0 != Self.adminName && $0 != Self.decideName },
            gateways: self.sockets { $0 == Self.decideName }
        )
    }

    /// Checks that each descriptor is a listening stream socket, and sets close-on-exec.
    func takeOver() throws(SettingsError) {
        for (index, descriptor) in self.descriptors.enumerated() {
            let name = self.names.isEmpty ? "\(descriptor)" : "\(descriptor) (\(self.names[index]))"
            guard fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0,
                Self.option(SO_TYPE, of: descriptor) == Int32(SOCK_STREAM.rawValue),
                Self.option(SO_ACCEPTCONN, of: descriptor) == 1
            else {
                throw SettingsError("LISTEN_FDS: \(name) is not a listening stream socket")
            }
        }
    }

    private static func option(_ name: Int32, of descriptor: Int32) -> Int32? {
        var value: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        let status = unsafe getsockopt(descriptor, SOL_SOCKET, name, &value, &size)
        return status == 0 ? value : nil
    }
}
