internal import GateSystem

/// The offsets of a time zone from UTC, from the system's zone data.
///
/// The format is RFC 8536 (tzfile(5)) version 2 or later, with 64-bit times.
struct ZoneOffsets: Sendable, Equatable {
    private struct Transition: Equatable {
        /// The time of the transition, in seconds since 1970.
        let at: Int64
        /// The offset from UTC in seconds after the transition.
        let offset: Int64
    }

    /// The maximum size of a zone file in bytes; the zone files of tzdata are at most about 4 kB.
    private static let maximumSize = 256 << 10
    private static let folders = ["/usr/share/zoneinfo", "/usr/lib/zoneinfo", "/etc/zoneinfo"]
    private static let day: Int64 = 86_400

    private let before: Int64
    private let transitions: [Transition]
    /// The rule for times after the last transition; `nil` if the offset is fixed from then on.
    private let rule: PosixZone?

    /// Reads one of the system's time zones by name, such as `Asia/Tokyo`; returns `nil` if there
    /// is none.
    init?(named name: String) {
        // A name is a path relative to the zone folder, and must not leave the folder.
        let parts = name.split(separator: "/", omittingEmptySubsequences: false)
        guard !parts.isEmpty,
            parts.allSatisfy({ $0.wholeMatch(of: /[A-Za-z0-9_+\-]+/) != nil })
        else { return nil }
        for folder in Self.folders {
            let path = "\(folder)/\(name)"
            guard let content = try? FileContent(path: path, atMost: Self.maximumSize),
                let offsets = ZoneOffsets(tzif: content.bytes)
            else { continue }
            self = offsets
            return
        }
        return nil
    }

    /// Parses zone data; returns `nil` if the data is invalid.
    init?(tzif bytes: [UInt8]) {
        var reader = BigEndianReader(rest: bytes[...])
        // The first block contains 32-bit times, for old readers.
        guard let old = TZifHeader(&reader), old.version >= 2,
            reader.skip(old.size(ofTimes: 4)), let header = TZifHeader(&reader)
        else { return nil }
        guard let times = reader.integers(header.times, of: 8),
            let kinds = reader.integers(header.times, of: 1),
            let offsets = Self.offsets(&reader, header), let first = offsets.first,
            reader.skip(header.restSize(ofTimes: 8))
        else { return nil }
        var transitions: [Transition] = []
        for (time, kind) in zip(times, kinds) {
            guard offsets.indices.contains(Int(UInt8(truncatingIfNeeded: kind))) else { return nil }
            let offset = offsets[Int(UInt8(truncatingIfNeeded: kind))]
            transitions.append(Transition(at: time, offset: offset))
        }
        guard transitions.map(\.at) == transitions.map(\.at).sorted() else { return nil }
        self.before = first
        self.transitions = transitions
        self.rule = reader.line().flatMap { PosixZone($0) }
    }

    private static func offsets(_ reader: inout BigEndianReader, _ header: TZifHeader) -> [Int64]? {
        var offsets: [Int64] = []
        for _ in 0..<header.kinds {
            guard let offset = reader.integer(of: 4), reader.skip(2), abs(offset) < self.day * 2
            else { return nil }
            offsets.append(offset)
        }
        return offsets
    }

    /// Returns the offset from UTC in seconds.
    ///
    /// `time` is in seconds since 1970.
    func offset(at time: Int64) -> Int64 {
        guard let last = self.transitions.last else {
            return self.rule?.offset(at: time) ?? self.before
        }
        if time >= last.at, let rule { return rule.offset(at: time) }
        return self.transitions.last { $0.at <= time }?.offset ?? self.before
    }

    /// Converts a local time, given as if it were UTC, to seconds since 1970.
    ///
    /// A time that occurs twice, because clocks are set back, is converted to its first occurrence.
    /// A skipped time is moved forward by the length of the gap.
    func time(ofLocal local: Int64) -> Int64 {
        let before = self.offset(at: local - Self.day)
        let after = self.offset(at: local + Self.day)
        for offset in [before, after] where self.offset(at: local - offset) == offset {
            return local - offset
        }
        return local - before
    }
}

/// The counts in a block of zone data (RFC 8536 section 3.1).
private struct TZifHeader {
    private static let magic: Int64 = 0x545A_6966
    /// The maximum value of a count, which no real zone reaches.
    private static let most: Int64 = 20_000

    let version: Int
    let times: Int
    let kinds: Int
    private let letters: Int
    private let leaps: Int
    private let marks: Int

    init?(_ reader: inout BigEndianReader) {
        guard reader.integer(of: 4) == Self.magic, let version = reader.integer(of: 1),
            reader.skip(15), let counts = reader.integers(6, of: 4),
            counts.allSatisfy({ (0...Self.most).contains($0) })
        else { return nil }
        // Version 1 is a zero byte; later versions are ASCII digits.
        self.version = version == 0 ? 1 : Int(version) - 0x30
        self.marks = Int(counts[0] + counts[1])
        self.leaps = Int(counts[2])
        self.times = Int(counts[3])
        self.kinds = Int(counts[4])
        self.letters = Int(counts[5])
    }

    /// Returns the size of the block in bytes, without its header.
    func size(ofTimes width: Int) -> Int {
        self.times * (width + 1) + self.kinds * 6 + self.restSize(ofTimes: width)
    }

    /// Returns the size in bytes of the part of the block that follows the local time types.
    func restSize(ofTimes width: Int) -> Int {
        self.letters + self.leaps * (width + 4) + self.marks
    }
}

/// Reads big-endian integers.
private struct BigEndianReader {
    var rest: ArraySlice<UInt8>

    mutating func skip(_ count: Int) -> Bool {
        guard count <= self.rest.count else { return false }
        self.rest = self.rest.dropFirst(count)
        return true
    }

    /// Reads a signed integer; returns `nil` at the end of the data.
    mutating func integer(of width: Int) -> Int64? {
        let bytes = self.rest.prefix(width)
        guard bytes.count == width, let first = bytes.first else { return nil }
        self.rest = self.rest.dropFirst(width)
        let start: Int64 = first >= 0x80 ? -1 : 0
        return bytes.reduce(start) { $0 << 8 | Int64($1) }
    }

    mutating func integers(_ count: Int, of width: Int) -> [Int64]? {
        guard count * width <= self.rest.count else { return nil }
        return (0..<count).compactMap { _ in self.integer(of: width) }
    }

    /// Reads the text between two line feeds; returns `nil` if there is none.
    mutating func line() -> String? {
        guard self.rest.popFirst() == 0x0A, let end = self.rest.firstIndex(of: 0x0A) else {
            return nil
        }
        return String(decoding: self.rest[..<end], as: UTF8.self)
    }
}
