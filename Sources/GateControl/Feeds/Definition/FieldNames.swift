/// By which names a source calls what a feed looks for.
struct FieldNames: Sendable, Equatable {
    private let names: [String: String]
    private let usual: [String: String]

    /// Reads `fields`: names of the source by our names for them.
    ///
    /// - Parameters:
    ///   - element: A mapping; `nil` if the source uses our names.
    ///   - known: Our names.
    ///   - usual: What the source calls them if nobody says otherwise; ours, if that is not there.
    ///   - problems: Where names are reported that there are not.
    init(
        _ element: Element?,
        known: [String],
        usual: [String: String] = [:],
        _ problems: Problems
    ) {
        var names: [String: String] = [:]
        if let element, let fields = Fields(element, keys: known, problems: problems) {
            for key in known {
                names[key] = fields[key].flatMap { $0.text("the name of a field", problems) }
            }
        }
        self.names = names
        self.usual = usual
    }

    /// Whether somebody says how the source calls it.
    func isGiven(_ name: String) -> Bool { self.names[name] != nil }

    subscript(name: String) -> String { self.names[name] ?? self.usual[name] ?? name }
}
