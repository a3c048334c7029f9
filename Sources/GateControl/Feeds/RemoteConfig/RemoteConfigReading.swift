internal import GatePolicy

/// Finds the values that clients may have, and remembers what left it open.
struct RemoteConfigReading {
    /// The value that the clients of a piece are told.
    enum Outcome: Equatable {
        /// Nothing, and that is certain.
        case nothing
        /// The lowest that any of them may be told.
        case version(AppVersion)
        /// A value that only Firebase knows.
        case unknown(reason: String)
    }

    let template: RemoteConfigTemplate
    let client: RemoteConfigClient
    /// The conditions that nobody but Firebase can decide, by name.
    private(set) var undecided: [String] = []
    /// Remarks on how values were found.
    private(set) var notes: [String] = []

    init(template: RemoteConfigTemplate, client: RemoteConfigClient) {
        self.template = template
        self.client = client
    }

    /// The clients whom the conditions of a parameter tell apart, versions last.
    mutating func pieces(
        of name: String,
        _ parameter: RemoteConfigTemplate.Parameter
    ) -> [ClientPiece] {
        let conditions = self.template.conditions.filter {
            parameter.conditionalValues[$0.name] != nil
        }.map(\.condition)
        let tests = Set(conditions.flatMap(\.writtenTests))
        if tests.count > FormPiece.maximumTests {
            self.note(
                "the conditions of '\(name)' have more than \(FormPiece.maximumTests) texts and "
                    + "patterns: the others are left open"
            )
        }
        let versions = VersionPiece.all(cutAt: conditions.flatMap(\.thresholds))
        let builds = BuildPiece.all(cutAt: conditions.flatMap(\.buildThresholds))
        return FormPiece.all(of: conditions.flatMap(\.writtenTests)).flatMap { forms in
            builds.flatMap { builds in
                versions.map { ClientPiece(versions: $0, builds: builds, forms: forms) }
            }
        }
    }

    /// The value that the clients of a piece are told by a parameter.
    ///
    /// Of several versions the lowest counts, so that nobody is turned away whom Firebase would let pass.
    /// But what only some clients may be told never takes the floor away for all: that takes a value
    /// that is certain.
    mutating func outcome(
        _ name: String,
        _ parameter: RemoteConfigTemplate.Parameter,
        in piece: ClientPiece
    ) throws(RemoteConfigError) -> Outcome {
        var lowest: AppVersion?
        func add(_ text: String) throws(RemoteConfigError) {
            do throws(VersionError) {
                let version = try AppVersion(parsing: text)
                lowest = lowest.map { min($0, version) } ?? version
            } catch {
                throw .unreadable(parameter: name, value: text, reason: "\(error)")
            }
        }
        for (value, place, isCertain) in self.values(of: parameter, in: piece) {
            switch value {
            case .text(let text) where text.isEmpty:
                if isCertain { return .nothing }
            case .text(let text):
                try add(text)
                if isCertain { return lowest.map { .version($0) } ?? .nothing }
            case .drawn(let texts):
                self.note("'\(name)' is drawn by Firebase \(place): the lowest version counts")
                for text in texts where !text.isEmpty { try add(text) }
            case .inAppDefault:
                guard isCertain else { continue }
                self.note("'\(name)' is what the app brings along \(place): nothing is asked there")
                return .nothing
            case .personalized:
                guard isCertain else { continue }
                return .unknown(reason: "is chosen by Firebase for each client \(place)")
            case .unreadable(let problem):
                guard isCertain else { continue }
                return .unknown(reason: "has a value that cannot be read: \(problem)")
            }
        }
        // A draw by default leaves nothing for those who are not drawn that the gate could know.
        guard parameter.defaultValue?.isDrawn == true, let lowest else { return .nothing }
        return .version(lowest)
    }

    /// The values that clients may be told, in the order of priority, up to what is certain for all
    /// that are left.
    private mutating func values(
        of parameter: RemoteConfigTemplate.Parameter,
        in piece: ClientPiece
    ) -> [(value: RemoteConfigTemplate.Value, place: String, isCertain: Bool)] {
        var values: [(RemoteConfigTemplate.Value, String, Bool)] = []
        for (name, condition) in self.template.conditions {
            guard let value = parameter.conditionalValues[name] else { continue }
            let holds = self.client.meets(condition, in: piece)
            if holds == false { continue }
            if holds == nil, !self.undecided.contains(name) { self.undecided.append(name) }
            values.append((value, "where '\(name)' holds", holds == true))
            if holds == true, !value.isDrawn { return values }
        }
        if let value = parameter.defaultValue { values.append((value, "by default", true)) }
        return values
    }

    private mutating func note(_ note: String) {
        if !self.notes.contains(note) { self.notes.append(note) }
    }
}

extension RemoteConfigTemplate.Value {
    /// Whether clients whom it could be for may have another value.
    fileprivate var isDrawn: Bool {
        if case .drawn = self { true } else { false }
    }
}
