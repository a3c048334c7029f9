package import GateSystem

/// The rules files and their states, without their contents.
package enum RulesIdentity: Sendable, Equatable {
    case missing
    case file(FileIdentity)
    /// An array, because Swift considers names equal that file systems distinguish.
    case folder([Entry])

    /// A file of a folder; `identity` is `nil` if the file no longer exists.
    package struct Entry: Sendable, Equatable {
        let name: String
        let identity: FileIdentity?
    }

    /// Reads the state of each file without opening it.
    package init(path: String) {
        guard let identity = FileIdentity(path: path) else {
            self = .missing
            return
        }
        guard identity.isFolder, let names = (try? FolderListing(path: path))?.names else {
            self = .file(identity)
            return
        }
        self = .folder(
            names.map { Entry(name: $0, identity: FileIdentity(path: "\(path)/\($0)")) }
        )
    }
}

/// A state of the rules: their files, and their revision or, if they cannot be read, the errors.
package struct RulesState: Equatable {
    let identity: RulesIdentity
    let content: Result<Revision, RulesFileErrors>

    /// The identity of this state, for a reload.
    package var sighting: RulesSighting { RulesSighting(identity: self.identity) }
}

extension RulesState {
    /// Reads the rules.
    package init(path: String) {
        // The identity is read before the content, so that a change in between is found at the next
        // check.
        let identity = RulesIdentity(path: path)
        let content = Result { () throws(RulesFileErrors) in
            Revision(of: try RulesReader(path: path).read())
        }
        self.init(identity: identity, content: content)
    }
}

/// A state of the rules that the watcher has seen after the writer finished.
package struct RulesSighting: Sendable {
    let identity: RulesIdentity

    /// Whether the files are unchanged; otherwise they are being written again.
    func holds(at path: String) -> Bool { RulesIdentity(path: path) == self.identity }
}

/// Decides which of the observed states are reported.
///
/// A file with new timestamps and the same content is also reported, because a reload that a signal
/// triggered may have read a half-written file.
package struct RulesSightings {
    /// Whether a state is reported.
    package enum Verdict {
        case report
        case skipReport
    }

    private var reported: RulesState?
    /// The state that a poll found, until the next poll confirms it.
    private var unconfirmed: RulesState?

    package init() {}

    /// Whether the files that a poll found are those that were reported last, so that they need
    /// not be read.
    package mutating func know(_ identity: RulesIdentity) -> Bool {
        guard let reported = self.reported, identity == reported.identity else { return false }
        // Files that could not be read, for instance for lack of descriptors, are read again.
        if case .failure = reported.content, identity != .missing { return false }
        self.unconfirmed = nil
        return true
    }

    /// Adds a state that was read after the writer finished.
    package mutating func look(_ state: RulesState) -> Verdict {
        self.unconfirmed = nil
        guard state != self.reported else { return .skipReport }
        self.reported = state
        return .report
    }

    /// Adds a state that a poll found; the files may be half-written.
    package mutating func glance(_ state: RulesState) -> Verdict {
        guard state != self.reported, state != self.unconfirmed else { return self.look(state) }
        self.unconfirmed = state
        return .skipReport
    }
}
