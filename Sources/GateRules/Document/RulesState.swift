package import GateSystem

/// Which files the rules are made of, and in which state, without their content.
package enum RulesIdentity: Sendable, Equatable {
    case missing
    case file(FileIdentity)
    case folder([String: FileIdentity?])

    /// Asks for the state of each file; none is opened.
    package init(path: String) {
        guard let identity = FileIdentity(path: path) else {
            self = .missing
            return
        }
        guard identity.isFolder, let names = (try? FolderListing(path: path))?.names else {
            self = .file(identity)
            return
        }
        let identities = names.map { ($0, FileIdentity(path: "\(path)/\($0)")) }
        self = .folder(Dictionary(uniqueKeysWithValues: identities))
    }
}

/// The rules as they were seen: their files, and their revision or why there is none.
package struct RulesState: Equatable {
    let identity: RulesIdentity
    let content: Result<Revision, RulesFileErrors>

    init(identity: RulesIdentity, content: Result<Revision, RulesFileErrors>) {
        self.identity = identity
        self.content = content
    }

    /// Reads the rules.
    package init(path: String) {
        // Before the content: what changes in between makes the next look another one.
        let identity = RulesIdentity(path: path)
        let content = Result { () throws(RulesFileErrors) in
            Revision(of: try RulesReader(path: path).read())
        }
        self.init(identity: identity, content: content)
    }

    /// The part of it that a reload is told.
    package var sighting: RulesSighting { RulesSighting(identity: self.identity) }
}

/// One state of the rules that the watch has seen, when its writer was done.
package struct RulesSighting: Sendable {
    private let identity: RulesIdentity

    init(identity: RulesIdentity) {
        self.identity = identity
    }

    /// Whether the files are as they were; if not, somebody writes them again.
    func holds(at path: String) -> Bool { RulesIdentity(path: path) == self.identity }
}

/// The sightings of the rules so far, which tell whether another one is worth a report.
///
/// A file that has other times and the same text is reported, too: what the gate has read
/// meanwhile, when somebody sent a signal, may have been half of it.
package struct RulesSightings {
    /// The use of a sighting.
    package enum Verdict {
        case report
        case keepQuiet
    }

    private var reported: RulesState?
    /// The sighting of a glance, to be confirmed by another one.
    private var unconfirmed: RulesState?

    package init() {}

    /// Whether a glance shows the files that were reported last, so that they need not be read.
    package mutating func know(_ identity: RulesIdentity) -> Bool {
        guard identity == self.reported?.identity else { return false }
        self.unconfirmed = nil
        return true
    }

    /// Takes what a look saw, when the writer was done.
    package mutating func look(_ state: RulesState) -> Verdict {
        self.unconfirmed = nil
        guard state != self.reported else { return .keepQuiet }
        self.reported = state
        return .report
    }

    /// Takes what a glance saw, which may be half written.
    package mutating func glance(_ state: RulesState) -> Verdict {
        guard state != self.reported, state != self.unconfirmed else { return self.look(state) }
        self.unconfirmed = state
        return .keepQuiet
    }
}
