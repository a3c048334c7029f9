import Foundation
import Testing

@testable import GatePolicy

/// Versions as sent by real apps, from `VersionsInTheWild.tsv`.
@Suite struct VersionsInTheWildTests {
    @Test(arguments: try WildVersion.all())
    func `a version is parsed as intended or not at all`(
        wild: WildVersion
    ) throws {
        let identity = try wild.identify()
        let build = identity.build.value?.description ?? "-"
        let platform = identity.platform.value?.name ?? "-"
        switch wild.reading {
        case .asMeant:
            let meant = try wild.version.map { Claim.stated(try version($0)) } ?? .missing
            #expect(identity.version == meant)
            #expect(build == wild.build ?? "-")
            #expect(platform == wild.platform ?? "-")
        case .unread:
            #expect(identity.version.isUnreadable)
        case .otherwise:
            let stated = identity.version.value?.description ?? "-"
            let text = platform == "-" ? stated : "\(platform)/\(stated)"
            #expect((build == "-" ? text : "\(text) (\(build))") == wild.readAs)
            #expect(wild.readAs != wild.written)
        }
    }

    @Test func `the collection is large and has many formats`() throws {
        let all = try WildVersion.all()
        #expect(all.count { $0.reading == .asMeant } >= 400)
        #expect(all.count { $0.pattern == nil } >= 300)
        #expect(Set(all.map(\.asSent)).count == all.count)
        let forms = Dictionary(grouping: all, by: \.form)
        #expect(forms.values.allSatisfy { $0.count <= 60 })
        let patterns = Set(all.compactMap(\.pattern))
        #expect(patterns == Set(try WildVersion.patterns().keys))
    }

    @Test func `the guide explains each reason for a version not parsed as intended`() throws {
        let all = try WildVersion.all()
        #expect(all.allSatisfy { ($0.reason == nil) == ($0.reading == .asMeant) })
        let guide = try String(contentsOf: WildVersion.guide, encoding: .utf8)
        for reason in Set(all.compactMap(\.reason)) {
            #expect(guide.contains("| \(reason) |"))
        }
    }
}
