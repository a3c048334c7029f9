import Foundation
import GateFuzzing
import OwnThread
import Testing

/// Checks every input in the corpora, and every input for which fuzzing has found a failure.
@Suite(OwnThreadTrait())
struct FuzzTargetTests {
    struct Input: Sendable, CustomTestStringConvertible {
        var target: String
        var file: URL

        var testDescription: String { "\(self.target)/\(self.file.lastPathComponent)" }
    }

    private static let folder = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Fuzzing")

    private static func inputs(_ kind: String) -> [Input] {
        FuzzTarget.all.flatMap { target in
            let folder = Self.folder.appending(path: "\(kind)/\(target.name)")
            let files = try? FileManager.default.contentsOfDirectory(
                at: folder,
                includingPropertiesForKeys: nil
            )
            return (files ?? []).sorted { $0.path < $1.path }
                .map { Input(target: target.name, file: $0) }
        }
    }

    @Test func `every target has a corpus, and every folder has a target`() throws {
        for kind in ["Corpus", "FailCases"] {
            let folder = Self.folder.appending(path: kind)
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            #expect(names.allSatisfy { FuzzTarget.named($0) != nil || $0.hasPrefix(".") })
        }
        let begun = Set(Self.inputs("Corpus").map(\.target))
        #expect(begun == Set(FuzzTarget.all.map(\.name)))
    }

    @Test(.timeLimit(.minutes(5)), arguments: Self.inputs("Corpus") + Self.inputs("FailCases"))
    func `the properties of the target hold for an input`(_ input: Input) throws {
        let target = try #require(FuzzTarget.named(input.target))
        try target.check(Array(try Data(contentsOf: input.file)))
    }

    @Test(.timeLimit(.minutes(5)), arguments: FuzzTarget.all.map(\.name))
    func `the properties of the target hold for every truncated input`(_ name: String) throws {
        let target = try #require(FuzzTarget.named(name))
        for input in Self.inputs("Corpus") where input.target == name {
            let bytes = Array(try Data(contentsOf: input.file))
            for end in stride(from: 0, to: min(bytes.count, 512), by: 7) {
                try target.check(Array(bytes[..<end]))
            }
        }
    }
}
