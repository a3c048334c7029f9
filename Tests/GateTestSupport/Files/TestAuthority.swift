/// A certificate authority for one test, created by openssl.
package struct TestAuthority: Sendable {
    private let folder: TemporaryFolder

    /// The path of the CA certificate.
    package var certificate: String { self.folder.path(of: "ca.pem") }

    /// Creates a certificate authority with its files in a folder.
    package init(in folder: TemporaryFolder) throws {
        self.folder = folder
        try Self.openssl([
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
            "-days", "30", "-subj", "/CN=Test authority", "-keyout", folder.path(of: "ca.key"),
            "-out", folder.path(of: "ca.pem"),
        ])
    }

    /// Writes `NAME.pem` and `NAME.key`, a certificate for a server or a client with these names.
    ///
    /// - Returns: The paths of the certificate and its key.
    @discardableResult
    package func issue(
        _ name: String,
        names: String = "DNS:localhost,IP:127.0.0.1"
    ) throws -> (certificate: String, key: String) {
        let key = self.folder.path(of: "\(name).key")
        let request = self.folder.path(of: "\(name).csr")
        let certificate = self.folder.path(of: "\(name).pem")
        let extensions = self.folder.path(of: "\(name).ext")
        try self.folder.writeInPlace("subjectAltName=\(names)\n", to: "\(name).ext")
        try Self.openssl([
            "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj",
            "/CN=\(name)", "-keyout", key, "-out", request,
        ])
        try Self.openssl([
            "x509", "-req", "-in", request, "-CA", self.certificate, "-CAkey",
            self.folder.path(of: "ca.key"), "-days", "20", "-extfile", extensions, "-out",
            certificate,
        ])
        return (certificate, key)
    }

    private static func openssl(_ arguments: [String]) throws {
        let result = try ToolProcess.run("openssl", arguments)
        guard result.status == 0 else {
            throw HarnessError("openssl \(arguments.joined(separator: " ")): \(result.errors)")
        }
    }
}
