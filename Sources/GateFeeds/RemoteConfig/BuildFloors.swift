internal import GatePolicy

/// The blocked builds: the builds below the floors, by version piece and by written form.
struct BuildFloors {
    private struct Floor {
        var versions: VersionSpan
        let forms: FormPiece
        /// Disjoint ranges in ascending order.
        var blocked: [ClosedRange<BuildNumber>] = []

        /// The build below which all builds are blocked; zero if there is none.
        var minimum: BuildNumber {
            guard let first = self.blocked.first, first.lowerBound == .zero else { return .zero }
            return first.upperBound.successor ?? .max
        }
    }

    private var floors: [Floor] = []

    /// Starts a part for a version piece and a written form; parts must be added in ascending
    /// order.
    mutating func begin(_ versions: VersionPiece, _ forms: FormPiece) {
        self.joinLast()
        self.floors.append(Floor(versions: VersionSpan(versions), forms: forms))
    }

    /// Blocks those builds of a piece that are below a floor; pieces must be added in ascending order.
    mutating func block(below floor: BuildNumber, in piece: BuildPiece) {
        let lowest = piece.builds.lowerBound
        guard floor > lowest, let highest = floor.predecessor else { return }
        let blocked = lowest...min(highest, piece.builds.upperBound)
        let index = self.floors.count - 1
        if let last = self.floors[index].blocked.last, last.upperBound.successor == lowest {
            self.floors[index].blocked.removeLast()
            self.floors[index].blocked.append(last.lowerBound...blocked.upperBound)
        } else {
            self.floors[index].blocked.append(blocked)
        }
    }

    /// Merges the last two parts if they block the same builds.
    private mutating func joinLast() {
        guard self.floors.count > 1 else { return }
        let (first, last) = (self.floors[self.floors.count - 2], self.floors[self.floors.count - 1])
        guard first.forms == last.forms, first.blocked == last.blocked else { return }
        self.floors.removeLast()
        self.floors[self.floors.count - 1].versions.join(last.versions)
    }

    private var joined: [Floor] {
        var floors = self
        floors.joinLast()
        return floors.floors
    }

    /// The build below which all clients are blocked; `nil` if some clients have no floor.
    var minimum: BuildNumber? {
        let lowest = self.joined.map(\.minimum).min() ?? .zero
        return lowest > .zero ? lowest : nil
    }

    /// The blocked builds that are not below the minimum.
    var surplus: [BlockedSurplus] {
        let minimum = self.minimum ?? .zero
        return self.joined.flatMap { floor in
            floor.blocked.compactMap { range in
                guard range.upperBound >= minimum else { return nil }
                return BlockedSurplus(
                    versions: floor.versions.range,
                    builds: max(range.lowerBound, minimum)...range.upperBound,
                    forms: floor.forms
                )
            }
        }
    }
}
