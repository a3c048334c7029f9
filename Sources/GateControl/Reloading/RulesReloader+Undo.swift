package import GatePolicy
internal import GateRecords
package import GateRules
internal import GateSystem
internal import Logging

/// Makes earlier rules active again, regardless of the current contents of the files.
extension RulesReloader {
    /// The result of an undo.
    package enum UndoOutcome: Sendable {
        /// The undo was applied; these rules are active now.
        case done(LoadedRules)
        /// The rules were changed after the sender had read the active revision.
        case stale(revision: String)
        /// The archive does not contain the revision.
        case unknown
        /// The rules are invalid, or a finding rejects them.
        case refused(LoadFailure)
    }

    /// The effects that an undo would have.
    package struct UndoPreview: Sendable {
        /// The active revision, which an undo request must name.
        package let revision: String
        package let to: String
        /// The edits that the undo would make, as text.
        package fileprivate(set) var changes: [String] = []
        /// The rules that would become active; `nil` if they cannot be loaded.
        package fileprivate(set) var rules: RuleSet?
        /// The findings on the rules and on the change; empty if the rules cannot be loaded.
        package fileprivate(set) var findings: [Finding] = []
        /// The reason why the undo would be rejected; `nil` if it would succeed.
        package fileprivate(set) var failure: LoadFailure?
    }

    /// A pending undo.
    struct Undo {
        let target: String
        let seen: String
        let name: String?
        let answer: CheckedContinuation<UndoOutcome, Never>
    }

    /// Applies the files of an earlier revision again, with the current values of feeds.
    ///
    /// The undo is pinned: neither a signal nor a restart ends it while the files are unchanged.
    ///
    /// - Parameters:
    ///   - target: The revision to restore.
    ///   - seen: The revision that the sender considers active.
    ///   - name: The name of the sender.
    /// - Returns: The outcome of the undo.
    package func undo(
        to target: String,
        seen: String,
        by name: String? = nil
    ) async -> UndoOutcome {
        await withCheckedContinuation { answer in
            self.undos.append(Undo(target: target, seen: seen, name: name, answer: answer))
            guard !self.isReloading else { return }
            self.isReloading = true
            // The sender gets the response as soon as the undo is applied, without waiting for
            // other requests.
            Task { await self.servePendingRequests(hasJustRead: false) }
        }
    }

    /// Returns the effects that an undo would have now; `nil` if the archive does not contain the
    /// revision.
    ///
    /// `target` is the revision to restore; `nil` selects the last one with different files.
    package func preview(undoTo target: String?) async -> UndoPreview? {
        guard let current, let archive = self.collaborators.archive,
            let target = target ?? (try? archive.revision(before: current.filesRevision)),
            let texts = try? archive.texts(of: target)
        else { return nil }
        var preview = UndoPreview(revision: current.definition.revision, to: target)
        do throws(LoadFailure) {
            let reading = Reading.archived(texts, nil)
            if let loaded = try await self.loaded(reading, self.contributions, isUndo: true) {
                // Comparing thousands of rules takes a while.
                preview.changes = await BackgroundThread.reloads.run {
                    RulesEdits(from: current, to: loaded).words
                }
                preview.rules = loaded.ruleSet
                preview.findings = loaded.findings.all
            }
        } catch {
            preview.failure = error
        }
        return preview
    }

    /// Performs a pending undo.
    func putBack(_ undo: Undo) async -> UndoOutcome {
        guard let current, let archive = self.collaborators.archive,
            let texts = try? archive.texts(of: undo.target),
            let files = try? archive.files(of: undo.target)
        else { return .unknown }
        let revision = current.definition.revision
        // Only the files are compared, because feed values are not undone, and may change at any
        // time.
        let seenFiles = try? archive.files(of: undo.seen)
        guard undo.seen == revision || seenFiles == current.filesRevision else {
            return .stale(revision: revision)
        }
        guard files != current.filesRevision else { return .done(current) }
        let origin = RulesChange.Origin(.undo, name: undo.name)
        let pin = self.pin(against: current, for: files, by: undo.name)
        do throws(LoadFailure) {
            let reading = Reading.archived(texts, pin)
            let loaded = try await self.loaded(reading, self.contributions, isUndo: true)
            guard let loaded else { return .unknown }
            await self.use(loaded, origin)
            // An undo does not change the result of the last read of the file.
            self.status.use(loaded)
            return .done(loaded)
        } catch {
            FindingsLog(self.logger).report(error, ["reason": "\(origin.reason.rawValue)"])
            self.tell(error, origin)
            return .refused(error)
        }
    }

    /// Returns the pin for an undo; `nil` if the undo restores the current files.
    private func pin(against current: LoadedRules, for files: String, by name: String?) -> RulesPin?
    {
        var undone = current.pin?.undone ?? [current.filesRevision]
        // Files that were rejected must not become active when the reason for the rejection no
        // longer applies.
        if let refused = self.failure?.files, !undone.contains(refused) { undone.append(refused) }
        undone.removeAll { $0 == files }
        guard !undone.isEmpty else { return nil }
        return RulesPin(
            undone: undone,
            files: current.pin.map(\.files) ?? RulesTexts(current),
            time: self.now().secondsSinceEpoch,
            name: name
        )
    }

    /// Logs when the active rules start to differ from the files, and when they stop differing.
    func logPin(of loaded: LoadedRules, after former: LoadedRules?, _ origin: RulesChange.Origin) {
        if let pin = loaded.pin {
            guard origin.reason != .feed else { return }
            pin.tell(self.logger, of: loaded)
        } else if former?.pin != nil {
            self.logger.info(
                "the undo has ended: the rules from the files are active again",
                metadata: ["revision": "\(loaded.definition.revision)"]
            )
        }
    }
}

extension RulesPin {
    func tell(_ logger: Logger, of rules: LoadedRules) {
        var metadata: Logger.Metadata = ["revision": "\(rules.definition.revision)"]
        metadata["by"] = self.name.map { "\($0)" }
        logger.warning(
            "an undo is active: the rules differ from the files until the files change",
            metadata: metadata
        )
    }
}
