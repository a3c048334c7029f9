import GateTestSupport
package import Testing

/// Runs each test on a thread that may block, because these tests wait on sockets, or compute for
/// longer than others can wait.
package struct OwnThreadTrait: TestTrait, SuiteTrait, TestScoping {
    package var isRecursive: Bool { true }

    package init() {}

    package func scopeProvider(for test: Test, testCase: Test.Case?) -> Self? {
        testCase == nil ? nil : self
    }

    package func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @Sendable @concurrent () async throws -> Void
    ) async throws {
        try await withTaskExecutorPreference(BlockingExecutor.shared) {
            try await function()
        }
    }
}
