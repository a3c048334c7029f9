/// What one client finds in its store at one second, as far as a rule looks at it.
///
/// A class, so that the stage of a rule that does not look at a store stays small.
final class StoreView: Sendable {
    /// From when on the floor can be asked of the client.
    let floor: Onset
    /// The version that the rule recommends now.
    let recommended: AppVersion?
    /// The newest release that the client can get and the rule does not block.
    let newest: Release?
    /// The next second at which any of this may change; `nil`: never.
    let nextChange: Timestamp?

    init(
        floor: Onset,
        recommended: AppVersion?,
        newest: Release?,
        nextChange: Timestamp?
    ) {
        self.floor = floor
        self.recommended = recommended
        self.newest = newest
        self.nextChange = nextChange
    }
}
