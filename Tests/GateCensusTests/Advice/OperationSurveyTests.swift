import GatePolicy
import Testing

@testable import GateCensus

/// Calls of API operations, tested with known traffic.
@Suite struct OperationSurveyTests {
    private static let now = Timestamp(secondsSinceEpoch: 1_800_000_000)

    /// Returns the requests of a version; `shapeless`: the number of requests without a path shape.
    private static func row(
        _ requests: [String: UInt64],
        version: CensusClient.Part = .stated("3.0"),
        shapeless: UInt64 = 0,
        unseen: UInt64 = 0,
        early: UInt64 = 0,
        isUnknown: Bool = false
    ) throws -> CensusRow {
        var counts: [PathShape: UInt64] = [:]
        for (request, count) in requests {
            let parts = request.split(separator: " ")
            let shape = PathShape(method: parts[0].utf8.span, target: parts[1].utf8.span)
            counts[try #require(shape, "\(request)"), default: 0] += count
        }
        let covered = counts.values.reduce(0, +) + shapeless + unseen
        let client = CensusClient(platform: .stated("ios"), version: version)
        return CensusRow(
            cell: CensusCell(
                client: isUnknown ? nil : client,
                outcome: CensusOutcome(paths: .none, kind: .allow, rule: "none")
            ),
            known: [],
            figures: CensusFigures(
                requests: covered + early,
                shapes: ShapeCounts(covered: covered, counts: counts, shapeless: shapeless)
            )
        )
    }

    private static func survey(
        _ operations: [APIOperation],
        _ rows: CensusRow...
    ) throws -> OperationSurvey {
        var survey = OperationSurvey(
            SunsetFilter(.below(try AppVersion(parsing: "4.0"))),
            operations
        )
        for row in rows { survey.add(row) }
        return survey
    }

    /// Returns the operations of a document from methods and paths.
    private static func operations(
        _ texts: [String],
        bases: [String] = [""],
        otherBases: [String] = [],
        document: Int = 0
    ) -> [APIOperation] {
        texts.map { text in
            let parts = text.split(separator: " ").map(String.init)
            return APIOperation(
                method: parts[0],
                path: parts[1],
                bases: bases,
                otherBases: otherBases,
                document: document
            )
        }
    }

    private static func lines(_ survey: OperationSurvey) -> [String] {
        survey.found().map { line in
            let name = line.place.text(survey.operations)
            switch line.calls {
            case .some: return "\(name) \(Int(line.figures.requests.rounded()))"
            case .possible: return "\(name) <=\(Int(line.figures.requests.rounded()))"
            case .none: return "\(name) -"
            case .unknown(let doubt): return "\(name) ? \(doubt)"
            }
        }
    }

    @Test func `called and uncalled operations are listed`() throws {
        let operations = Self.operations(
            ["GET /orders", "POST /orders", "GET /orders/{id}", "GET /orders/latest"],
            bases: ["/v1"]
        )
        let row = try Self.row([
            "GET /v1/orders": 3, "GET /v1/orders/17": 2, "GET /v1/orders/latest": 1,
            "GET /v1/other": 1,
        ])
        #expect(
            Self.lines(try Self.survey(operations, row)) == [
                "GET /v1/orders 3", "GET /v1/orders/{id} 2", "(GET /v1/other) 1",
                "GET /v1/orders/latest 1", "POST /v1/orders -",
            ]
        )
    }

    @Test func `calls are listed per server, and an uncalled operation is listed once`() throws {
        let operations = Self.operations(
            ["GET /orders", "POST /orders"],
            bases: ["/v0", "/v1", "/v2"]
        )
        let row = try Self.row(["GET /v1/orders": 3, "GET /v2/orders": 2])
        #expect(
            Self.lines(try Self.survey(operations, row))
                == ["GET /v1/orders 3", "GET /v2/orders 2", "POST /v0/orders -"]
        )
    }

    @Test(arguments: [
        ("GET /users/2024", "GET /users/{id}", "GET /users/2024"),
        ("POST /o/17:cancel", "POST /o/{id}", "POST /o/{id}:cancel"),
        ("GET /books/me", "GET /{x}/me", "GET /books/{id}"),
        ("GET /jobs/PENDING", "GET /jobs/{s}", "GET /jobs/PENDING"),
        ("GET /jobs/CANCELLED", "GET /jobs/PENDING", "GET /jobs/CANCELLED"),
        ("GET /0815.csv", "GET /{file}.json", "GET /{file}.csv"),
        ("GET /o", "GET /o", "GET /o?x=1"),
    ])
    func `both operations that match a shape may be called`(
        request: String,
        first: String,
        second: String
    ) throws {
        let operations = Self.operations([first, second, "DELETE /never"])
        let survey = try Self.survey(operations, try Self.row([request: 3]))
        #expect(
            Set(Self.lines(survey)) == ["\(first) <=3", "\(second) <=3", "DELETE /never -"]
        )
    }

    @Test func `a word in capitals may match lower case in the document`() throws {
        let operations = Self.operations(["GET /orders/{id}", "GET /stock/{id}", "GET /EUR/{id}"])
        let row = try Self.row(["GET /INVENTORY/summary": 3, "GET /stock/1": 2])
        #expect(
            Self.lines(try Self.survey(operations, row)) == [
                "(GET /*/summary) 3", "GET /orders/{id} <=3", "GET /stock/{id} 2",
                "GET /EUR/{id} -",
            ]
        )
    }

    @Test func `a path that may belong to an operation is not unmatched`() throws {
        let row = try Self.row([
            "GET /v2/orders": 3, "HEAD /v1/items": 2, "GET /v1/files/a/b": 1, "GET /v1/health": 5,
        ])
        let operations = Self.operations(
            ["GET /orders", "GET /items", "GET /files/{path}", "GET /health", "GET /never"],
            bases: ["/v1"],
            otherBases: ["/{+version}"]
        )
        #expect(
            Self.lines(try Self.survey(operations, row)) == [
                "GET /v1/health 5", "(GET /v2/orders) 3", "GET /v1/orders <=3",
                "(HEAD /v1/items) 2", "GET /v1/items <=2", "(GET /v1/files/a/b) 1",
                "GET /v1/files/{path} <=1", "GET /v1/never -",
            ]
        )
        // Calls of the exact path are not added to possible calls.
        let both = try Self.row(["GET /v1/orders": 4, "GET /v2/orders": 3])
        #expect(
            Self.lines(try Self.survey(operations, both)).prefix(2)
                == ["GET /v1/orders 4", "(GET /v2/orders) 3"]
        )
    }

    /// Traffic in addition to `GET /a`.
    ///
    /// `GET /b` must not be reported as uncalled if requests are missing from the data.
    @Test func `no operation is reported as uncalled if requests are missing`() throws {
        let operations = Self.operations(["GET /a", "GET /b"])
        let called = try Self.row(["GET /a": 3])
        func other(_ row: CensusRow) throws -> String? {
            Self.lines(try Self.survey(operations, called, row)).last
        }
        let unknown = "GET /b ? missingShapes"
        #expect(try other(Self.row(["GET /a": 1])) == "GET /b -")
        #expect(try other(Self.row([:], shapeless: 1)) == unknown)
        #expect(try other(Self.row(["GET /a": 1], unseen: 1)) == unknown)
        #expect(try other(Self.row(["GET /a": 1], early: 1)) == unknown)
        #expect(try other(Self.row(["GET /a": 1], isUnknown: true)) == unknown)
        // New versions do not matter.
        #expect(
            try other(Self.row(["GET /b": 1], version: .stated("4.0"), shapeless: 9)) == "GET /b -"
        )
        for part in [.missing, .unreadable, .stated("x")] as [CensusClient.Part] {
            #expect(
                try other(Self.row(["GET /b": 1], version: part)) == "GET /b ? unversionedClients"
            )
            #expect(try other(Self.row(["GET /c": 1], version: part)) == "GET /b -")
        }
    }

    @Test(arguments: [
        ("PURGE /b", "noShape"), ("COPY /b", "noShape"), ("GET /a//b", "noShape"),
        ("GET /b;x", "noShape"), ("GET /" + String(repeating: "a/", count: 13), "noShape"),
        ("GET /" + String(repeating: "a", count: 201), "noShape"), ("OPTIONS /b", "uncounted"),
        ("GET /.versiongate/status", "uncounted"),
    ])
    func `an operation whose requests have no shape is unknown`(operation: String, doubt: String)
        throws
    {
        let operations = Self.operations(["GET /a", operation])
        let survey = try Self.survey(operations, try Self.row(["GET /a": 3]))
        #expect(Self.lines(survey) == ["GET /a 3", "\(operation) ? \(doubt)"])
        let found = survey.found(isCovered: false)
        #expect(found.allSatisfy { $0.calls != .none })
    }

    @Test func `an uncovered period does not count as a period without calls`() throws {
        let operations = Self.operations(["GET /a", "GET /b"])
        let survey = try Self.survey(operations, try Self.row(["GET /a": 3]))
        #expect(survey.found(isCovered: false).map(\.calls) == [.some, .unknown(.uncoveredTime)])
        #expect(survey.found().map(\.calls) == [.some, .none])
    }

    /// Request paths, and the base path that is missing from the document.
    @Test(
        arguments: [
            (["GET /api/v1/orders", "GET /api/v1/orders/17"], "/api/v1"),
            (["GET /orders/17"], "/"), (["GET /v2/orders"], "/v2"), (["GET /17/orders"], nil),
            (["GET /something/else"], nil), (["POST /v2/orders"], nil),
        ] as [([String], String?)]
    )
    func `a document that matches no request is reported with the observed base`(
        requests: [String],
        base: String?
    ) throws {
        let operations = Self.operations(["GET /orders", "GET /orders/{id}"], bases: ["/v1"])
        let rows = try requests.map { try Self.row([$0: 3]) }
        var survey = OperationSurvey(
            SunsetFilter(.below(try AppVersion(parsing: "4.0"))),
            operations
        )
        for row in rows { survey.add(row) }
        let misfit = try #require(survey.mismatches.first)
        #expect(misfit.isWhole && misfit.base == base)
        #expect(
            Set(misfit.seen.map(\.method))
                == Set(requests.map { String($0.split(separator: " ")[0]) })
        )
        #expect(
            survey.found().filter { if case .operation = $0.place { true } else { false } }
                .allSatisfy { $0.calls == .unknown(.misfit) }
        )
    }

    @Test func `a server that matches no request is reported without affecting others`() throws {
        let operations =
            Self.operations(["GET /orders", "GET /never"], bases: ["/v1"])
            + Self.operations(["GET /reports", "GET /audits"], bases: ["/internal"])
        let row = try Self.row(["GET /v1/orders": 3, "GET /admin/reports": 2])
        let survey = try Self.survey(operations, row)
        #expect(
            Self.lines(survey) == [
                "GET /v1/orders 3", "(GET /admin/reports) 2", "GET /internal/audits -",
                "GET /internal/reports ? misfit", "GET /v1/never -",
            ]
        )
        #expect(survey.mismatches.map(\.base) == ["/admin"])
        #expect(survey.mismatches.map(\.isWhole) == [false])
    }

    @Test func `without requests of old versions, no operation is called`() throws {
        let operations = Self.operations(["GET /a"])
        #expect(Self.lines(try Self.survey(operations)) == ["GET /a -"])
        let new = try Self.row(["GET /a": 3], version: .stated("4.1"))
        #expect(Self.lines(try Self.survey(operations, new)) == ["GET /a -"])
    }

    @Test func `a path with unparsed operations matches any method`() throws {
        let operations =
            Self.operations(["GET /a"])
            + [APIOperation(method: nil, path: "/b/{id}", unread: "it is elsewhere")]
        let called = try Self.row(["GET /a": 3, "PUT /b/1": 2])
        #expect(Self.lines(try Self.survey(operations, called)) == ["GET /a 3", "(any) /b/{id} 2"])
        let other = try Self.row(["GET /a": 3])
        #expect(
            Self.lines(try Self.survey(operations, other)).last
                == "(any) /b/{id} ? unread(\"it is elsewhere\")"
        )
    }
}
