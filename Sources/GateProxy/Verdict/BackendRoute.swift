import GatePolicy

/// The named backend that a verdict selects.
struct BackendRoute: Equatable {
    /// The index of the backend in the settings; `nil` if they have no backend of that name.
    let index: Int?
    /// Whether the default backend gets requests that cannot reach this one.
    let fallsBack: Bool

    /// Finds the backend among the names in the settings.
    init(_ destination: Decision.Destination, among names: [String]) {
        self.index = names.firstIndex(of: destination.backend)
        self.fallsBack = destination.fallback == .default
    }
}
