package import GateSystem

/// The identities of the rules files, without their contents.
package enum RulesIdentity: Sendable, Equatable {
    case missing
    case file(FileIdentity)
    /// The rules files in a folder.
    ///
    /// This is an array, not a dictionary, because Swift treats some names as equal that file systems distinguish.
    case folder([Entry])

    /// A file in a folder; `identity` is `nil` if the file no longer exists.
    package struct Entry: Sendable, Equatable {
        let name: String
        let identity: FileIdentity?
    }

    /// Reads the identity of each file without opening the file.
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

/// A state of the rules: the identities of the files, and the revision or the errors.
package struct RulesState: Equatable {
    let identity: RulesIdentity
    let content: Result<Revision, RulesFileErrors>

    /// The identities of the files, for comparison after a reload has read them.
    package var sighting: RulesSighting { RulesSighting(identity: self.identity) }
}

extension RulesState {
    /// Reads the rules.
    package init(path: String) {
        // The identity is read before the content, so that the next check detects a change in
        // between.
        let identity = RulesIdentity(path: path)
        let content = Result { () throws(RulesFileErrors) in
            Revision(of: try RulesReader(path: path).read())
        }
        self.init(identity: identity, content: content)
    }
}

/// The identities of the rules files as the watcher saw them after the writer had finished.
package struct RulesSighting: Sendable {
    let identity: RulesIdentity

    /// Whether the files are unchanged; if not, they are being written again.
    func holds(at path: String) -> Bool { RulesIdentity(path: path) == self.identity }
}

/// Decides which of the observed states are reported.
///
/// A file with new timestamps and the same content is also reported, because a reload triggered by a signal may have
/// read a half-written file.
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

    /// Returns whether the files that a poll found are those reported last, and need not be read again.
    package mutating func know(_ identity: RulesIdentity) -> Bool {
        guard let reported = self.reported, identity == reported.identity else { return false }
        // Files that could not be read, for example for lack of file descriptors, are read again.
        if case .failure = reported.content, identity != .missing { return false }
        self.unconfirmed = nil
        return true
    }

    /// Adds a state that was read after the writer had finished, and returns whether to report it.
    package mutating func look(_ state: RulesState) -> Verdict {
        self.unconfirmed = nil
        guard state != self.reported else { return .skipReport }
        self.reported = state
        return .report
    }

    /// Adds a state that a poll found, and returns whether to report it; the files may be half-written.
    package mutating func glance(_ state: RulesState) -> Verdict {
        guard state != self.reported, state != self.unconfirmed else { return self.look(state) }
        self.unconfirmed = state
        return .skipReport
    }
}
