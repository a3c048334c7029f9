import Foundation

/// Certificates for one test, made by the `openssl` command in its folder.
package struct TestCertificates: Sendable {
    /// Whether they can be made here.
    package static var canBeMade: Bool { ToolProcess.isInstalled("openssl") }

    private let folder: TemporaryFolder

    /// Makes an authority, `ca.pem`.
    package init(in folder: TemporaryFolder) throws {
        self.folder = folder
        try self.makeAuthority("ca")
    }

    /// Makes one more authority, `NAME.pem`.
    package func makeAuthority(_ name: String) throws {
        try self.openssl([
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
            "-keyout", self.path("\(name).key"), "-out", self.path("\(name).pem"),
            "-days", "30", "-subj", "/CN=test authority \(name)",
        ])
    }

    /// Makes `NAME.pem` and `NAME.key`, signed by an authority.
    ///
    /// `names`: as openssl writes them, such as `DNS:a.example`; `days`: how long it is good,
    /// negative if it is over.
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
