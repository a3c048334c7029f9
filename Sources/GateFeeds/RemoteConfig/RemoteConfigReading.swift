internal import GatePolicy
internal import GateRules

/// Finds the values that clients may have, and remembers what left it open.
struct RemoteConfigReading {
    /// A parameter, or a part of one, with the path that it is found at.
    struct Named {
        let name: String
        let parameter: RemoteConfigTemplate.Parameter
    }

    /// The value that the clients of a piece are told.
    enum Outcome<Value: Equatable>: Equatable {
        /// Nothing, and that is certain.
        case nothing
        /// The lowest that any of them may be told.
        case value(Value)
        /// A value that only Firebase knows.
        case unknown(reason: String)
    }

    let template: RemoteConfigTemplate
    var client: RemoteConfigClient
    /// The floor that the template stated last.
    let before: AppVersion?
    /// The conditions that nobody but Firebase can decide, by name.
    private(set) var undecided: [String] = []
    /// Remarks on how values were found.
    private(set) var notes: [String] = []

    init(
        template: RemoteConfigTemplate,
        client: RemoteConfigClient,
        before: AppVersion? = nil
    ) {
        self.template = template
        self.client = client
        self.before = before
    }

    /// A parameter by its path; `nil` if there is none.
    func parameter(_ path: String) -> Named? {
        self.template[path].map { Named(name: path, parameter: $0) }
    }

    /// The parts of all clients that the conditions of some parameters tell apart.
    mutating func cuts(
        of parameters: [Named]
    ) -> (forms: [FormPiece], builds: [BuildPiece], versions: [VersionPiece]) {
        let conditions = self.template.conditions.filter { name, _ in
            parameters.contains { $0.parameter.conditionalValues[name] != nil }
        }.map(\.condition)
        let tests = conditions.flatMap(\.writtenTests)
        if Set(tests).count > FormPiece.maximumTests {
            self.note(
                "the conditions of '\(parameters[0].name)' have more than \(FormPiece.maximumTests) texts "
                    + "and patterns: the others are left open"
            )
        }
        return (
            FormPiece.all(of: tests),
            BuildPiece.all(cutAt: conditions.flatMap(\.buildThresholds)),
            VersionPiece.all(cutAt: conditions.flatMap(\.thresholds))
        )
    }

    /// The clients whom the conditions of some parameters tell apart, versions last.
    mutating func pieces(of parameters: [Named]) -> [ClientPiece] {
        let (forms, builds, versions) = self.cuts(of: parameters)
        return forms.flatMap { forms in
            builds.flatMap { builds in
                versions.map { ClientPiece(versions: $0, builds: builds, forms: forms) }
            }
        }
    }

    /// The version that the clients of a piece are told by a parameter.
    ///
    /// - Parameters:
    ///   - named: The parameter.
    ///   - piece: The clients.
    ///   - key: The key of `fields` for the same in builds, for a text that is probably one.
    /// - Returns: The lowest version that they may be told.
    /// - Throws: `RemoteConfigError` if a value that counts is no version.
    mutating func version(
        _ named: Named,
        in piece: ClientPiece,
        or key: String
    ) throws(RemoteConfigError) -> Outcome<AppVersion> {
        let hint = "map it by `fields: { \(key): \"\(named.name)\" }`"
        var remarks: [String] = []
        let before = self.before
        let outcome = try self.outcome(named, in: piece) {
            (value) throws(SourceValue.Fault) in
            guard let version = try SourceValue.version(value), let stated = value.text else {
                return nil as AppVersion?
            }
            let text = VersionText(stated, version)
            let isNumber = named.parameter.isNumber
            if let fault = text.fault(isNumber: isNumber, before: before, hint: hint) {
                throw .unfit(fault)
            }
            if let remark = text.remark(hint: hint) {
                remarks.append("'\(named.name)' \(remark)")
            } else if isNumber, stated.contains(".") {
                remarks.append(
                    "'\(named.name)' is of the type NUMBER, in which 1.10 and 1.1 are the same: make it "
                        + "a STRING"
                )
            }
            return version
        }
        for remark in remarks { self.note(remark) }
        return outcome
    }

    /// The build that the clients of a piece are told by a parameter.
    mutating func build(
        _ named: Named,
        in piece: ClientPiece
    ) throws(RemoteConfigError) -> Outcome<BuildNumber> {
        try self.outcome(named, in: piece, SourceValue.build)
    }

    /// The value that the clients of a piece are told by a parameter.
    ///
    /// Of several values the lowest counts, so that nobody is turned away whom Firebase would let pass.
    /// But what only some clients may be told never takes the floor away for all: that takes a value
    /// that is certain.
    private mutating func outcome<Value: Comparable>(
        _ named: Named,
        in piece: ClientPiece,
        _ read: (JSONValue) throws(SourceValue.Fault) -> Value?
    ) throws(RemoteConfigError) -> Outcome<Value> {
        var lowest: Value?
        /// Adds a value; false if it is empty.
        func add(_ stated: JSONValue) throws(RemoteConfigError) -> Bool {
            do throws(SourceValue.Fault) {
                guard let value = try read(stated) else { return false }
                lowest = lowest.map { min($0, value) } ?? value
                return true
            } catch {
                throw RemoteConfigError(error, named.name)
            }
        }
        let name = named.name
        for (value, place, isCertain) in self.values(of: named.parameter, in: piece) {
            switch value {
            case .text, .json:
                guard let stated = value.stated else { continue }
                guard try add(stated) else {
                    if isCertain { return .nothing }
                    continue
                }
                if isCertain { return lowest.map { .value($0) } ?? .nothing }
            case .drawn(let texts):
                self.note("'\(name)' is drawn by Firebase \(place): the lowest version counts")
                for text in texts { _ = try add(.text(text)) }
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
        guard named.parameter.defaultValue?.isDrawn == true, let lowest else { return .nothing }
        return .value(lowest)
    }

    /// What is certain for all clients of a piece, whatever only some of them may be told.
    ///
    /// - Returns: The value; `nil` if nothing is certain, or if it is the app's own.
    /// - Throws: `RemoteConfigError` if only Firebase knows it, or it cannot be read.
    mutating func certain(
        _ named: Named,
        in piece: ClientPiece
    ) throws(RemoteConfigError) -> JSONValue? {
        for (value, place, isCertain) in self.values(of: named.parameter, in: piece) {
            switch value {
            case .drawn:
                self.note("'\(named.name)' is drawn by Firebase \(place), and is not used there")
            case .text, .json:
                if isCertain { return value.stated }
            case .inAppDefault:
                guard isCertain else { continue }
                self.note(
                    "'\(named.name)' is what the app brings along \(place), and is not used there"
                )
                return nil
            case .personalized:
                guard isCertain else { continue }
                throw .unknowable(
                    parameter: named.name,
                    reason: "is chosen by Firebase for each client \(place)"
                )
            case .unreadable(let problem):
                guard isCertain else { continue }
                throw .unknowable(
                    parameter: named.name,
                    reason: "has a value that cannot be read: \(problem)"
                )
            }
        }
        return nil
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

    mutating func note(_ note: String) {
        if !self.notes.contains(note) { self.notes.append(note) }
    }
}

extension RemoteConfigTemplate.Value {
    /// Whether clients whom it could be for may have another value.
    fileprivate var isDrawn: Bool {
        if case .drawn = self { true } else { false }
    }
}

extension RemoteConfigError {
    /// A value that is not what its field needs.
    init(_ fault: SourceValue.Fault, _ name: String) {
        switch fault {
        case .unfit(let reason):
            self = .unknowable(parameter: name, reason: reason)
        case .unreadable(_, let text, let reason):
            self = .unreadable(parameter: name, value: text, reason: reason)
        }
    }
}
