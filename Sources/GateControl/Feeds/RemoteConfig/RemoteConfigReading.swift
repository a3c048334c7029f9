internal import GatePolicy

/// Finds the values that clients may have, and remembers which conditions left it open.
struct RemoteConfigReading {
    let template: RemoteConfigTemplate
    let client: RemoteConfigClient
    private(set) var undecided: [String] = []

    init(template: RemoteConfigTemplate, client: RemoteConfigClient) {
        self.template = template
        self.client = client
    }

    /// The parts of all versions that the conditions of a parameter tell apart.
    func pieces(of parameter: RemoteConfigTemplate.Parameter) -> [VersionPiece] {
        VersionPiece.all(
            cutAt: self.template.conditions
                .filter { parameter.conditionalValues[$0.name] != nil }
                .flatMap(\.condition.thresholds)
        )
    }

    /// The lowest version that a client may be told; `nil` if it may be told none.
    mutating func lowest(
        _ name: String,
        _ parameter: RemoteConfigTemplate.Parameter,
        in piece: VersionPiece
    ) throws(RemoteConfigError) -> AppVersion? {
        var lowest: AppVersion?
        for value in self.values(of: parameter, in: piece) {
            guard let text = value else { return nil }
            let version: AppVersion
            do throws(VersionError) {
                version = try AppVersion(parsing: text)
            } catch {
                throw .unreadable(parameter: name, value: text, reason: "\(error)")
            }
            lowest = lowest.map { min($0, version) } ?? version
        }
        return lowest
    }

    /// What clients may be told: the value of the first condition that holds and of those before it
    /// that may hold; `nil` among them for what the gate does not know.
    private mutating func values(
        of parameter: RemoteConfigTemplate.Parameter,
        in piece: VersionPiece
    ) -> [String?] {
        var values: [String?] = []
        for (name, condition) in self.template.conditions {
            guard let value = parameter.conditionalValues[name] else { continue }
            let holds = self.client.meets(condition, in: piece)
            if holds == false { continue }
            if holds == nil, !self.undecided.contains(name) { self.undecided.append(name) }
            if Self.add(value, to: &values), holds == true { return values }
        }
        if let value = parameter.defaultValue {
            _ = Self.add(value, to: &values)
        } else {
            values.append(nil)
        }
        return values
    }

    /// - Returns: whether every client that the value is for has it.
    private static func add(
        _ value: RemoteConfigTemplate.Value,
        to values: inout [String?]
    ) -> Bool {
        switch value {
        case .text(let text):
            values.append(text)
            return true
        case .drawn(let texts):
            values += texts
            return false
        case .inAppDefault, .personalized:
            values.append(nil)
            return true
        }
    }
}
