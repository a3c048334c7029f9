/// A Python with grpcio, for real gRPC clients and servers.
package enum GRPCPython {
    package static let isInstalled =
        (try? Self.run("-c", "import grpc"))?.status == 0

    /// Runs a program to its end.
    package static func run(_ arguments: String...) throws -> ToolProcess.Result {
        try ToolProcess.run("python3", arguments)
    }

    /// Starts a program that runs until the test ends it.
    package static func start(_ arguments: String...) throws -> BackgroundTool {
        try BackgroundTool("python3", arguments)
    }
}
