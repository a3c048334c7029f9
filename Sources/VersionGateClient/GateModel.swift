#if canImport(Observation)
    public import Observation

    /// The gate's state for a build, for views that observe it.
    ///
    /// ```swift
    /// .task { await model.run() }
    /// .sheet(item: prompt) { … }
    /// ```
    @available(iOS 17, macOS 14, tvOS 17, watchOS 10, visionOS 1, *)
    @MainActor
    @Observable
    public final class GateModel {
        /// The gate's last state for the build.
        public private(set) var state: GateState
        /// The update to show; `nil` if there is nothing to show.
        public private(set) var prompt: UpdatePrompt?

        @ObservationIgnored private let client: VersionGateClient

        /// Makes the model of a client, which begins with what the gate said last.
        ///
        /// - Parameter client: The app's client.
        public init(_ client: VersionGateClient) {
            self.client = client
            self.state = client.state
            self.prompt = client.prompt(for: client.state)
        }

        /// Follows the gate until the task is cancelled; a view runs it in its `task`.
        public func run() async {
            for await state in self.client.states { self.show(state) }
        }

        /// Asks the gate at once, as after a denial or when the app comes to the front.
        public func check() async {
            self.show(await self.client.check())
        }

        /// The user said "later".
        ///
        /// - Returns: Whether the prompt is closed. One that is required stays until the gate lifts it, or cannot be reached.
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
