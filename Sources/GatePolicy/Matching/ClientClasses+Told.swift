extension ClientClasses {
    /// The parts of a client's identity that are included in the key of its class.
    package struct Told: Sendable {
        /// One bit for each part that has its own line.
        private var lines = 0
        /// One bit for each part that the version line contains besides the version.
        private var withVersion = 0
        /// Whether the version line is a list that is within the limits.
        var hasVersions = false
        /// The last platform, as its position among the platforms in the rules, and the last build.
        private var platform = 0
        private var build: BuildNumber?

        package init() {}

        /// Whether fields are added for the backend, with values that differ between clients of a
        /// class.
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

        /// Whether a platform that was just inserted is certainly the only one.
        ///
        /// The platform is 0 if rules do not contain it, or if it is unparsable.
        mutating func agrees(onPlatform place: Int) -> Bool {
            defer { self.platform = place }
            return !self.isTwice(.platform) || place != 0 && place == self.platform
        }

        /// Whether a build that was just inserted is certainly the only one.
        ///
        /// The build is `nil` if it is unparsable.
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
