#if canImport(Observation)
    public import Observation

    /// The gate's state for a build, as an observable model for views.
    ///
    /// ```swift
    /// .task { await model.run() }
    /// .sheet(item: prompt) { … }
    /// ```
    @available(iOS 17, macOS 14, tvOS 17, watchOS 10, visionOS 1, *)
    @MainActor
    @Observable
    public final class GateModel {
        /// The last known state of the build.
        public private(set) var state: GateState
        /// The update prompt to show; `nil` if there is none.
        public private(set) var prompt: UpdatePrompt?

        @ObservationIgnored private let client: VersionGateClient

        /// Creates a model for a client, starting with the client's last known state.
        ///
        /// - Parameter client: The app's client.
        public init(_ client: VersionGateClient) {
            self.client = client
            self.state = client.state
            self.prompt = client.prompt(for: client.state)
        }

        /// Follows the state until the task is canceled; call it in the `task` modifier of a view.
        public func run() async {
            for await state in self.client.states { self.show(state) }
        }

        /// Requests the state immediately, for example after a denial or when the app becomes
        /// active.
        public func check() async {
            self.show(await self.client.check())
        }

        /// Closes the prompt because the user chose "later".
        ///
        /// - Returns: Whether the prompt was closed. A required prompt stays until the gate allows the build, or cannot
        ///   be reached.
        @discardableResult
        public func dismiss() -> Bool {
            guard let prompt = self.prompt, prompt.isDismissible else { return false }
            self.client.snooze(prompt.update)
            self.prompt = nil
            return true
        }

        private func show(_ state: GateState) {
            if self.state != state { self.state = state }
            let prompt = self.client.prompt(for: state)
            if self.prompt != prompt { self.prompt = prompt }
        }
    }
#endif
