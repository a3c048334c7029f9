/// From when a rule asks something, and until when there is a rule at all.
///
/// Every time takes effect at its very second. What a rule merely recommends is not scheduled: it
/// is said until the rule is over.
package struct RuleSchedule: Sendable, Equatable {
    /// From then on, whoever is below the floor is told that it is going to be required.
    ///
    /// Without `enforceFrom`, the warning never becomes more.
    package var warnFrom: Timestamp?
    /// From then on, whoever is below the floor must upgrade.
    package var enforceFrom: Timestamp?
    /// From then on, the rule says nothing at all.
    package var until: Timestamp?
    /// In these windows, whoever is below the floor must upgrade for a while, whatever the roll-out
    /// says.
    ///
    /// In order, apart from each other, and between `warnFrom` and `enforceFrom`: outside of these
    /// there is no warning to reinforce.
    package var brownouts: [BrownoutWindow]

    /// In force from the beginning and for ever.
    package static let always = RuleSchedule()

    package init(
        warnFrom: Timestamp? = nil,
        enforceFrom: Timestamp? = nil,
        until: Timestamp? = nil,
        brownouts: [BrownoutWindow] = []
    ) {
        self.warnFrom = warnFrom
        self.enforceFrom = enforceFrom
        self.until = until
        self.brownouts = brownouts
    }
}
