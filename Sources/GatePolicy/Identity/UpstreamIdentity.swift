/// What the gate changes in the identity headers before a request goes on, so that the backend
/// reads one value where the gate has read one.
package struct UpstreamIdentity: Sendable, Equatable {
    /// Lower-case names of the fields whose lines are removed.
    package var drop: [String]
    /// Fields that are added.
    package var add: [HeaderField]

    package init(drop: [String] = [], add: [HeaderField] = []) {
        self.drop = drop
        self.add = add
    }
}
