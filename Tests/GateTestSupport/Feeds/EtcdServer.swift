import Foundation

/// A real etcd with one member, on free ports and in a folder of its own.
package final class EtcdServer: Sendable {
    /// The client port.
    package let port: UInt16
    private let peerPort: UInt16
    private let folder: TemporaryFolder
    private let authority: String?
    private let identity: FeedServer.Identity?
    private let asksForCertificates: Bool
    private let process = Watched<PeerProcess?>(nil)
    private let account = Watched<String?>(nil)

    /// Starts etcd.
    ///
    /// With an identity, it uses TLS, and its own tools trust the CA.
    ///
    /// With `asksForCertificates`, clients must present a certificate issued by that CA.
    package init(
        identity: FeedServer.Identity? = nil,
        authority: String? = nil,
        asksForCertificates: Bool = false
    ) throws {
        self.asksForCertificates = asksForCertificates
        self.port = try FreePort.find()
        self.peerPort = try FreePort.find()
        self.folder = try TemporaryFolder()
        (self.identity, self.authority) = (identity, authority)
        try self.start()
    }

    deinit {
        self.stop()
        self.folder.remove()
    }

    package var url: String {
        "\(self.identity == nil ? "http" : "https")://localhost:\(self.port)"
    }

    /// Starts etcd again with the same data.
    package func start() throws {
        let peers = "http://127.0.0.1:\(self.peerPort)"
        var arguments = [
            "--name", "one", "--data-dir", self.folder.path(of: "data"), "--logger", "zap",
            "--listen-client-urls", self.url.replacing("localhost", with: "127.0.0.1"),
            "--advertise-client-urls", self.url, "--listen-peer-urls", peers,
            "--initial-advertise-peer-urls", peers, "--initial-cluster", "one=\(peers)",
        ]
        if let identity {
            arguments += ["--cert-file", identity.certificate, "--key-file", identity.key]
        }
        if self.asksForCertificates, let authority {
            arguments += ["--client-cert-auth", "--trusted-ca-file", authority]
        }
        let process = try PeerProcess(
            executable: ToolProcess.locate("etcd"),
            arguments: arguments,
            folder: self.folder.url,
            port: self.port
        )
        self.process.update { $0 = process }
        // etcd listens before it accepts writes.
        try self.control("get", "/")
    }

    package func stop() {
        self.process.current?.stop()
        self.process.update { $0 = nil }
    }

    package func put(_ key: String, _ value: String) throws {
        try self.control("put", key, "--", value)
    }

    package func delete(_ key: String) throws {
        try self.control("del", key)
    }

    /// Compacts all revisions except the current one.
    package func compact() throws {
        struct Answer: Decodable {
            struct Header: Decodable {
                var revision: Int64
            }

            var header: Header
        }
        let text = try self.control("get", "/", "--write-out=json")
        let answer = try JSONDecoder().decode(Answer.self, from: Data(text.utf8))
        try self.control("compact", "\(answer.header.revision)")
    }

    /// Enables authentication; the user `gate` may read all keys.
    package func requireAccounts(gatePassword: String) throws {
        try self.control("user", "add", "root:root")
        try self.control("user", "grant-role", "root", "root")
        try self.control("role", "add", "reader")
        try self.control("role", "grant-permission", "reader", "--prefix=true", "read", "/")
        try self.control("user", "add", "gate:\(gatePassword)")
        try self.control("user", "grant-role", "gate", "reader")
        try self.control("auth", "enable")
        self.account.update { $0 = "root:root" }
    }

    @discardableResult
    private func control(_ arguments: String...) throws -> String {
        var trust = self.authority.map { ["--cacert", $0] } ?? []
        if self.asksForCertificates, let identity {
            trust += ["--cert", identity.certificate, "--key", identity.key]
        }
        let account = self.account.current.map { ["--user", $0] } ?? []
        let endpoint = ["--endpoints", self.url, "--command-timeout", "30s"]
        var result = try ToolProcess.run("etcdctl", endpoint + trust + account + arguments)
        // On a busy machine, a command can wait for its response until the timeout.
        if result.errors.contains("DeadlineExceeded") {
            result = try ToolProcess.run("etcdctl", endpoint + trust + account + arguments)
        }
        guard result.status == 0 else {
            throw HarnessError("etcdctl \(arguments.joined(separator: " ")): \(result.errors)")
        }
        return result.output
    }
}
