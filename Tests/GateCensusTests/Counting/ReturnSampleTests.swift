import GatePolicy
import GateTestSupport
import Testing

@testable import GateCensus

@Suite(.ownThread)
struct ReturnSampleTests {
    private static let start = Timestamp(secondsSinceEpoch: 1_800_000_000)

    private static func sighting(
        _ device: Int64,
        _ version: String?,
        build: String? = nil,
        refused rule: String? = nil
    ) -> ReturnSample.Sighting {
        let client = CensusClient(
            platform: .stated("ios"),
            version: version.map { .stated($0) } ?? .missing,
            build: build.map { .stated($0) } ?? .missing
        )
        let outcome = CensusOutcome(
            paths: .none,
            kind: rule == nil ? .allow : .require,
            rule: rule ?? "none"
        )
        return ReturnSample.Sighting(
            device: device,
            cell: CensusCell(client: client, outcome: outcome)
        )
    }

    private static func shares(_ sightings: ReturnSample.Sighting...) -> [String] {
        var sample = ReturnSample()
        for (second, sighting) in sightings.enumerated() {
            sample.add([sighting], at: Self.start.advanced(by: Int64(second)))
        }
        return sample.shares.sorted { $0.key < $1.key }.map {
            "\($0.key) \($0.value.returned)/\($0.value.refused)"
        }
    }

    @Test func `a device returned if it passes with a newer version or build`() {
        let refused = Self.sighting(1, "3.0", build: "7", refused: "floor")
        #expect(Self.shares(refused) == ["floor 0/1"])
        #expect(Self.shares(refused, refused, Self.sighting(1, "4.0")) == ["floor 1/1"])
        #expect(Self.shares(refused, Self.sighting(1, "3.0", build: "8")) == ["floor 1/1"])
        // The same version, an older one, none, another device, another denial; and a device that was never denied.
        for other in [
            Self.sighting(1, "3.0", build: "7"), Self.sighting(1, "2.9", build: "9"),
            Self.sighting(1, nil), Self.sighting(2, "4.0"),
            Self.sighting(1, "3.5", refused: "floor"),
        ] { #expect(Self.shares(refused, other) == ["floor 0/1"]) }
        #expect(Self.shares(Self.sighting(1, "4.0")) == [])
        // Each rule is counted separately.
        #expect(
            Self.shares(
                refused,
                Self.sighting(1, "3.5", refused: "second"),
                Self.sighting(1, "3.5"),
                Self.sighting(2, "1.0", refused: "second")
            ) == ["floor 1/1", "second 0/2"]
        )
    }

    @Test func `sightings of one take can have any order`() {
        var sample = ReturnSample()
        sample.add(
            [Self.sighting(1, "4.0"), Self.sighting(1, "3.0", refused: "floor")],
            at: Self.start
        )
        #expect(sample.shares["floor"] == ReturnSample.Share(refused: 1, returned: 1))
    }

    /// A month in which 50,000 devices are each denied on one day; some of them update some days later.
    @Test(arguments: [0.05, 0.37, 0.62, 0.95])
    func `within a month the share is accurate to two points`(_ part: Double) {
        var generator = SeededGenerator(seed: 7)
        var sample = ReturnSample()
        var truth = (refused: 0, returned: 0)
        var plan: [Int: [ReturnSample.Sighting]] = [:]
        for _ in 0..<50_000 {
            let device = Int64(generator.next() >> 1)
            let day = Int.random(in: 0..<30, using: &generator)
            plan[day, default: []].append(Self.sighting(device, "3.0", refused: "floor"))
            truth.refused += 1
            guard Double.random(in: 0..<1, using: &generator) < part else { continue }
            let later = day + Int.random(in: 0..<10, using: &generator)
            plan[later, default: []].append(Self.sighting(device, "4.0"))
            if later < 30 { truth.returned += 1 }
        }
        for day in 0..<30 {
            let now = Self.start.advanced(by: Int64(day) * 86_400)
            sample.add(plan[day] ?? [], at: now)
            sample.forget(before: now)
        }
        let count = sample.devices.count
        #expect(count <= ReturnSample.usualLimit && count > ReturnSample.usualLimit / 4)
        let share = sample.shares["floor"] ?? ReturnSample.Share()
        let told = Double(share.returned) / Double(share.refused)
        let wanted = Double(truth.returned) / Double(truth.refused)
        #expect(abs(told - wanted) < 0.02, "told \(told), and it was \(wanted)")
        // All devices are removed after another month.
        sample.forget(before: Self.start.advanced(by: 60 * 86_400))
        #expect(sample.devices.isEmpty)
    }
}
