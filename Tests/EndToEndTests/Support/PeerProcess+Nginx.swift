import Foundation
import GateTestSupport
import Glibc

extension PeerProcess {
    /// Starts nginx with its files in a folder; `http` is part of the `http` block.
    static func nginx(
        in folder: TemporaryFolder,
        port: UInt16,
        http: String
    ) throws -> PeerProcess {
        let paths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
            .map { "\($0)_temp_path \(folder.path(of: $0));" }.joined()
        // The nginx workers must be able to read the test user's files.
        let user = geteuid() == 0 ? "user root;" : ""
        try folder.writeInPlace(
            """
            \(user) daemon off; pid \(folder.path(of: "pid")); error_log stderr;
            events { worker_connections 512; }
            http {
                \(paths) access_log off;
                \(http)
            }
            """,
            to: "nginx.conf"
        )
        return try PeerProcess(
            executable: ToolProcess.locate("nginx"),
            arguments: ["-c", folder.path(of: "nginx.conf"), "-e", "stderr"],
            folder: URL(fileURLWithPath: folder.path(of: ".")),
            port: port
        )
    }
}
