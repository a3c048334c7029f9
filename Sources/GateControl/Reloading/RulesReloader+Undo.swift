package import GatePolicy
internal import GateRecords
package import GateRules
internal import GateSystem
internal import Logging

/// The way back: rules that were in force before, whatever the files say.
extension RulesReloader {
    /// The end of an undo.
    package enum UndoOutcome: Sendable {
        /// The rules that are in force now.
        case done(LoadedRules)
        /// Others have changed the rules since the sender looked.
        case stale(revision: String)
        /// Nobody remembers the rules of that revision.
        case unknown
        /// The rules cannot be read, or a finding refuses them.
        case refused(LoadFailure)
    }

    /// The effect that an undo would have.
    package struct UndoPreview: Sendable {
        /// The revision in force, which the undo has to name.
        package let revision: String
        package let to: String
        /// The change in words, edit by edit.
        package let changes: [String]
        /// The rules that it would put in force; `nil` where they cannot be loaded.
        package let rules: RuleSet?
        /// The findings on the rules beside those in force; empty where they cannot be loaded.
        package let findings: [Finding]
        /// The reason to refuse it; `nil`: there is none.
        package let failure: LoadFailure?
    }

    /// An undo that was asked for.
    struct Undo {
        let target: String
        let seen: String
        let name: String?
        let answer: CheckedContinuation<UndoOutcome, Never>
    }

    /// Puts the files of an earlier revision in force again, with what feeds say now.
    ///
    /// It is pinned: the files as they are do not end it, neither by a signal nor by a restart.
    ///
    /// - Parameters:
    ///   - target: The revision to go back to.
    ///   - seen: The revision that the sender takes to be in force.
    ///   - name: The name of the sender.
    /// - Returns: What became of it.
    package func undo(
        to target: String,
        seen: String,
        by name: String? = nil
    ) async -> UndoOutcome {
        await withCheckedContinuation { answer in
            self.undos.append(Undo(target: target, seen: seen, name: name, answer: answer))
            guard !self.isReloading else { return }
            self.isReloading = true
            // Its sender is answered as soon as it holds, whoever else waits.
            Task {
                await self.answerThoseWhoWait(hasJustRead: false)
                self.isReloading = false
            }
        }
    }

    /// The effect that an undo would have at the moment.
    ///
    /// `target`: the revision to go back to; `nil`: the last one with other files. There is no preview
    /// if nobody remembers it.
    package func preview(undoTo target: String?) async -> UndoPreview? {
        guard let current, let archive,
            let target = target ?? (try? archive.revision(before: current.filesRevision)),
            let texts = try? archive.texts(of: target)
        else { return nil }
        let revision = current.definition.revision
        do throws(LoadFailure) {
            let reading = Reading.archived(texts, nil)
            let loaded = try await self.loaded(reading, self.contributions, isUndo: true)
            // Of rules of thousands, the words take a while.
            let words = await BackgroundThread.reloads.run {
                loaded.map { RulesEdits(from: current, to: $0).words } ?? []
            }
            return UndoPreview(
                revision: revision,
                to: target,
                changes: words,
                rules: loaded?.ruleSet,
                findings: loaded?.findings.all ?? [],
                failure: nil
            )
        } catch {
            return UndoPreview(
                revision: revision,
                to: target,
                changes: [],
                rules: nil,
                findings: [],
                failure: error
            )
        }
    }

    /// Carries out an undo whose turn it is.
    func putBack(_ undo: Undo) async -> UndoOutcome {
        guard let current, let archive,
            let texts = try? archive.texts(of: undo.target),
            let files = try? archive.files(of: undo.target)
        else { return .unknown }
        let revision = current.definition.revision
        // Values of feeds are not undone, and may change at any time.
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
            // Whether the file is right is another question.
            self.status.use(loaded)
            return .done(loaded)
        } catch {
            FindingsLog(self.logger).report(error, ["reason": "\(origin.reason.rawValue)"])
            self.tell(error, origin)
            return .refused(error)
        }
    }

    /// The undo of the rules in force; `nil` where it leads back to what the files say.
    private func pin(against current: LoadedRules, for files: String, by name: String?) -> RulesPin?
    {
        var undone = current.pin?.undone ?? [current.filesRevision]
        // Files that were refused must not come into force where they fit by now.
        if let refused = self.failure?.files, !undone.contains(refused) { undone.append(refused) }
        undone.removeAll { $0 == files }
        guard !undone.isEmpty else { return nil }
        return RulesPin(undone: undone, time: self.second.secondsSinceEpoch, name: name)
    }

    /// Says where the files and the rules in force part, and where they meet again.
    func tellPin(of loaded: LoadedRules, after former: LoadedRules?, _ origin: RulesChange.Origin) {
        if let pin = loaded.pin {
            guard origin.reason != .feed else { return }
            pin.tell(self.logger, of: loaded)
        } else if former?.pin != nil {
            let metadata: Logger.Metadata = ["revision": "\(loaded.definition.revision)"]
            self.logger.info("the undo is over: the files are in force", metadata: metadata)
        }
    }
}

extension RulesPin {
    func tell(_ logger: Logger, of rules: LoadedRules) {
        var metadata: Logger.Metadata = ["revision": "\(rules.definition.revision)"]
        metadata["by"] = self.name.map { "\($0)" }
        logger.warning(
            "an undo is in force: it differs from the files, and holds until they are changed",
            metadata: metadata
        )
    }
}
