/// As whom the gate asks Google.
enum GoogleIdentity: Sendable, Equatable {
    /// By a file as Google's consoles hand out: the key of a service account, or where a workload has
    /// its identity from.
    case file(Secret)
    /// As the service account of the machine, or of the workload on GKE, without any key.
    case metadataServer

    /// The word for the second in a rules file.
    static let metadataWord = "metadata"
}

extension Element {
    /// `{ env: NAME }`, `{ file: PATH }` or `metadata`.
    func googleIdentity(_ problems: Problems) -> GoogleIdentity? {
        guard case .text(let text) = self.content else {
            return self.secret(problems).map { .file($0) }
        }
        if text == GoogleIdentity.metadataWord { return .metadataServer }
        guard Spelling.nearest(to: text, among: [GoogleIdentity.metadataWord]) == nil else {
            problems.report(
                "'\(text)' is no account of Google; did you mean '\(GoogleIdentity.metadataWord)'?",
                at: self.place
            )
            return nil
        }
        problems.report(
            """
            a key does not belong in the rules; name its place: { env: NAME } or { file: PATH }, \
            or write '\(GoogleIdentity.metadataWord)' for the account of the machine
            """,
            at: self.place
        )
        return nil
    }
}
