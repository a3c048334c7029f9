/// The times at which a rule's requirements start, and the time at which the rule ends.
///
/// All times are exact to the second. Recommendations have no start time, and apply until the rule
/// ends.
package struct RuleSchedule: Sendable, Equatable {
    /// The time from which clients below the floor are warned.
    ///
    /// Without `enforceFrom`, the warning never becomes a requirement.
    package var warnFrom: Timestamp?
    /// The time from which clients below the floor have to upgrade.
    package var enforceFrom: Timestamp?
    /// The time from which the rule has no effect.
    package var until: Timestamp?
    /// The windows in which clients below the floor are temporarily denied, regardless of the
    /// rollout.
    ///
    /// The windows are sorted by time and do not overlap. They lie between `warnFrom` and `enforceFrom`,
    /// because there is no warning to reinforce at other times.
    package var brownouts: [BrownoutWindow]

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

    /// Returns the windows that have not ended, starting with the current or next window.
    func brownouts(notOverAt now: Timestamp) -> ArraySlice<BrownoutWindow> {
        // A binary search is used, because there can be a thousand windows, and every decision
        // needs the result.
        var range = self.brownouts.indices
        while !range.isEmpty {
            let middle = range.lowerBound + range.count / 2
            if self.brownouts[middle].until <= now {
                range = middle + 1..<range.upperBound
            } else {
                range = range.lowerBound..<middle
            }
        }
        return self.brownouts[range.lowerBound...]
    }
}
