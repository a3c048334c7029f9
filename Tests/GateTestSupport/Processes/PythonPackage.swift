/// Packages for the tests' Python that contain real clients for various protocols.
package enum PythonPackage {
    package static let isConnectInstalled = Self.isInstalled("connectrpc")
    package static let isGraphQLInstalled = Self.isInstalled("gql")

    private static func isInstalled(_ name: String) -> Bool {
        (try? ToolProcess.run("python3", ["-c", "import \(name)"]))?.status == 0
    }
}
