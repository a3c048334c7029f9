extension ClientClasses {
    /// The parts of a client's identity that are included in the key of its class.
    package struct Told: Sendable {
        /// One bit for each part that has its own line.
        private var lines = 0
        /// One bit for each part that the version line contains besides the version.
        private var withVersion = 0
        /// Whether the version line is a list that is within the limits.
        var hasVersions = false
        /// The position, among the platforms in the rules, of the platform that was inserted last.
        private var platform = 0
        private var build: BuildNumber?

        package init() {}

        /// Whether fields whose values differ between clients of a class are added for the backend.
        package var isAdded: Bool { self.hasVersions || self.withVersion & ~self.lines != 0 }

        @inline(__always)
        func has(_ part: IdentityPart) -> Bool { self.lines & part.bit != 0 }

        @inline(__always)
        func isAdded(_ part: IdentityPart) -> Bool {
            self.withVersion & ~self.lines & part.bit != 0
        }

        @inline(__always)
        mutating func insert(_ part: IdentityPart) -> Bool {
            defer { self.lines |= part.bit }
            return self.lines & part.bit == 0
        }

        @inline(__always)
        mutating func insertWithVersion(_ part: IdentityPart) {
            self.withVersion |= part.bit
        }

        /// Whether the platform that was just inserted does not conflict with an earlier one.
        ///
        /// `place` is 0 if the rules do not contain the platform, or if it is unparsable. Two such
        /// platforms count as a conflict.
        mutating func agrees(onPlatform place: Int) -> Bool {
            defer { self.platform = place }
            return !self.isTwice(.platform) || place != 0 && place == self.platform
        }

        /// Whether the build that was just inserted does not conflict with an earlier one.
        ///
        /// `number` is `nil` if the build is unparsable. Two such builds count as a conflict.
        mutating func agrees(onBuild number: BuildNumber?) -> Bool {
            defer { self.build = number }
            return !self.isTwice(.build) || number != nil && number == self.build
        }

        private func isTwice(_ part: IdentityPart) -> Bool {
            self.lines & self.withVersion & part.bit != 0
        }
    }
}

extension IdentityPart {
    fileprivate var bit: Int { 1 << self.rawValue }
}
