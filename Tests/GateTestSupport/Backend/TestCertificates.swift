import Foundation

/// Certificates for one test, created in its folder by the `openssl` command.
package struct TestCertificates: Sendable {
    /// Whether `openssl` is installed.
    package static var canBeMade: Bool { ToolProcess.isInstalled("openssl") }

    private let folder: TemporaryFolder

    /// Creates a certificate authority, `ca.pem`.
    package init(in folder: TemporaryFolder) throws {
        self.folder = folder
        try self.makeAuthority("ca")
    }

    /// Creates another certificate authority, `NAME.pem`.
    package func makeAuthority(_ name: String) throws {
        try self.openssl([
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
            "-keyout", self.path("\(name).key"), "-out", self.path("\(name).pem"),
            "-days", "30", "-subj", "/CN=test authority \(name)",
        ])
    }

    /// Creates `NAME.pem` and `NAME.key`, signed by an authority.
    ///
    /// `names` are in openssl's format, such as `DNS:a.example`. `days` is the period of validity; with a negative
    /// value, the certificate has expired.
    package func make(
        _ name: String,
        names: String,
        days: Int = 30,
        authority: String = "ca"
    ) throws {
        try self.folder.writeInPlace("subjectAltName=\(names)\n", to: "\(name).ext")
        try self.openssl([
            "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
            "-keyout", self.path("\(name).key"), "-out", self.path("\(name).csr"),
            "-subj", "/CN=\(name)",
        ])
        try self.openssl([
            "x509", "-req", "-in", self.path("\(name).csr"), "-out", self.path("\(name).pem"),
            "-CA", self.path("\(authority).pem"), "-CAkey", self.path("\(authority).key"),
            "-CAcreateserial", "-days", "\(days)", "-extfile", self.path("\(name).ext"),
        ])
    }

    package func path(_ file: String) -> String { self.folder.path(of: file) }

    private func openssl(_ arguments: [String]) throws {
        let result = try ToolProcess.run("openssl", arguments)
        guard result.status == 0 else { throw HarnessError("openssl: \(result.errors)") }
    }
}
