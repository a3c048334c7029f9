import Foundation

/// A Python with grpcio, by which tests talk to real clients and servers of gRPC.
package enum GRPCPython {
    /// `VERSIONGATE_PYTHON`, or what `make test` has put into `.build/python`, or the one on the path.
    private static let program: String = {
        if let named = ProcessInfo.processInfo.environment["VERSIONGATE_PYTHON"] { return named }
        let own = FileManager.default.currentDirectoryPath + "/.build/python/bin/python3"
        return FileManager.default.isExecutableFile(atPath: own) ? own : "python3"
    }()

    package static let isInstalled =
        (try? ToolProcess.run("env", [Self.program, "-c", "import grpc"]))?.status == 0

    /// Runs a program to its end.
    package static func run(_ arguments: String...) throws -> ToolProcess.Result {
        try ToolProcess.run("env", [self.program] + arguments)
    }

    /// Starts a program that runs until the test ends it.
    package static func start(_ arguments: String...) throws -> BackgroundTool {
        try BackgroundTool("env", [self.program] + arguments)
    }
}
