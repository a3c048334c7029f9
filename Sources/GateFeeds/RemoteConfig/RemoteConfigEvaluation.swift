internal import GatePolicy
internal import GateRules

/// Determines the values that clients may have, and records undecided conditions.
struct RemoteConfigEvaluation {
    /// A parameter, or a part of one, with its path.
    struct Named {
        let name: String
        let parameter: RemoteConfigTemplate.Parameter
    }

    /// The value of a parameter for the clients of a piece.
    enum Outcome<Value: Equatable>: Equatable {
        /// Some or all of the clients may have no value, or use the in-app default.
        case nothing
        /// The lowest value that a client of the piece may have.
        case value(Value)
        /// A value that only Firebase can determine.
        case unknown(reason: String)
    }

    let template: RemoteConfigTemplate
    var client: RemoteConfigClient
    /// The floor in the previous template; `nil` if there was none.
    var before: AppVersion?
    /// The names of the conditions that only Firebase can evaluate.
    private(set) var undecided: [String] = []
    /// Remarks about the evaluation of values.
    private(set) var notes: [String] = []

    /// Returns the parameter at a path; `nil` if there is none.
    func parameter(_ path: String) -> Named? {
        self.template[path].map { Named(name: path, parameter: $0) }
    }

    /// Returns the pieces into which the conditions of the parameters divide all clients.
    mutating func cuts(
        of parameters: [Named]
    ) -> (forms: [FormPiece], builds: [BuildPiece], versions: [VersionPiece]) {
        let conditions = self.template.conditions.filter { name, _ in
            parameters.contains { $0.parameter.conditionalValues[name] != nil }
        }.map(\.condition)
        let tests = conditions.flatMap(\.writtenTests)
        if Set(tests).count > FormPiece.maximumTests {
            let names = parameters.map { "'\($0.name)'" }.joined(separator: ", ")
            self.note(
                "the conditions of \(names) have more than \(FormPiece.maximumTests) "
                    + "strings and patterns: only \(FormPiece.maximumTests) of them are evaluated"
            )
        }
        return (
            FormPiece.all(of: tests),
            BuildPiece.all(cutAt: conditions.flatMap(\.buildThresholds)),
            VersionPiece.all(cutAt: conditions.flatMap(\.thresholds))
        )
    }

    /// Returns the groups of clients that the conditions of the parameters distinguish; versions
    /// vary fastest.
    mutating func pieces(of parameters: [Named]) -> [ClientPiece] {
        let (forms, builds, versions) = self.cuts(of: parameters)
        return forms.flatMap { forms in
            builds.flatMap { builds in
                versions.map { ClientPiece(versions: $0, builds: builds, forms: forms) }
            }
        }
    }

    /// Returns the lowest version in a parameter that the clients of a piece may have.
    ///
    /// `key` is the key in `fields` for the corresponding build. Messages suggest it if the value
    /// is probably a build.
    ///
    /// - Throws: `RemoteConfigError` if an applicable value is not a version.
    mutating func version(
        _ named: Named,
        in piece: ClientPiece,
        or key: String
    ) throws(RemoteConfigError) -> Outcome<AppVersion> {
        let hint = "map it with `fields: { \(key): \"\(named.name)\" }`"
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
                    "'\(named.name)' is of type NUMBER, in which 1.10 equals 1.1: use "
                        + "STRING"
                )
            }
            return version
        }
        for remark in remarks { self.note(remark) }
        return outcome
    }

    /// Returns the build in a parameter for the clients of a piece.
    mutating func build(
        _ named: Named,
        in piece: ClientPiece
    ) throws(RemoteConfigError) -> Outcome<BuildNumber> {
        try self.outcome(named, in: piece, SourceValue.build)
    }

    /// Returns the value of a parameter for the clients of a piece.
    ///
    /// If several values are possible, the lowest applies, so that the gate does not deny clients
    /// that Firebase would allow. However, the floor for all clients is removed only by a value
    /// that is certain, not by one that only some clients may have.
    private mutating func outcome<Value: Comparable>(
        _ named: Named,
        in piece: ClientPiece,
        _ read: (JSONValue) throws(SourceValue.Fault) -> Value?
    ) throws(RemoteConfigError) -> Outcome<Value> {
        var lowest: Value?
        /// Adds a value; returns `false` if the value is empty.
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
                self.note(
                    "'\(name)' depends on a rollout or experiment \(place): the lowest version applies"
                )
                for text in texts { _ = try add(.text(text)) }
            case .inAppDefault:
                self.note("'\(name)' uses the in-app default \(place): nothing is required there")
                return .nothing
            case .personalized, .unreadable:
                return .unknown(reason: value.reasonUnknown(place))
            }
        }
        // If the default is a rollout, the value of clients outside of the rollout is unknown.
        guard named.parameter.defaultValue?.isDrawn == true, let lowest else { return .nothing }
        return .value(lowest)
    }

    /// Returns the value that is certain for all clients of a piece, ignoring values that only some
    /// of these clients may have.
    ///
    /// - Returns: The value; `nil` if none is certain, or if the app uses its in-app default.
    /// - Throws: `RemoteConfigError` if only Firebase can determine the value, or the value is
    ///   invalid.
    mutating func certain(
        _ named: Named,
        in piece: ClientPiece
    ) throws(RemoteConfigError) -> JSONValue? {
        for (value, place, isCertain) in self.values(of: named.parameter, in: piece) {
            switch value {
            case .drawn:
                self.note(
                    "'\(named.name)' depends on a rollout or experiment \(place), and is not used there"
                )
            case .text, .json:
                if isCertain { return value.stated }
            case .inAppDefault:
                self.note(
                    "'\(named.name)' uses the in-app default \(place), and is not used there"
                )
                return nil
            case .personalized, .unreadable:
                throw .unknowable(parameter: named.name, reason: value.reasonUnknown(place))
            }
        }
        return nil
    }

    /// Returns the values that clients may have, in order of priority, up to the first value that
    /// is certain for all remaining clients.
    ///
    /// Values that the template does not contain are omitted if only some clients may have them.
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
            // `outcome` and `certain` stop at a value that the template does not contain, so such a
            // value is omitted unless it is certain.
            guard holds == true || value.isDrawn || value.stated != nil else { continue }
            values.append((value, "where '\(name)' holds", holds == true))
            if holds == true, !value.isDrawn { return values }
        }
        if let value = parameter.defaultValue {
            values.append((value, "where no condition holds", true))
        }
        return values
    }

    mutating func note(_ note: String) {
        if !self.notes.contains(note) { self.notes.append(note) }
    }
}

extension RemoteConfigTemplate.Value {
    /// Whether a rollout or an experiment selects the clients that have the value.
    fileprivate var isDrawn: Bool {
        if case .drawn = self { true } else { false }
    }

    /// Returns the reason why a value is unknown, to append to the name of its parameter.
    fileprivate func reasonUnknown(_ place: String) -> String {
        if case .unreadable(let problem) = self { return "has an invalid value: \(problem)" }
        return "is chosen by Firebase for each client \(place)"
    }
}

extension RemoteConfigError {
    /// Creates the error for a value that does not fit its field.
    init(_ fault: SourceValue.Fault, _ name: String) {
        switch fault {
        case .unfit(let reason):
            self = .unknowable(parameter: name, reason: reason)
        case .unreadable(_, let text, let reason):
            self = .unreadable(parameter: name, value: text, reason: reason)
        }
    }
}
