internal import GatePolicy

/// Decodes a string with placeholders such as `{currentVersion}`.
struct TemplateDecoder {
    let use: NoticeTemplate.Use
    let problems: Problems

    func decode(_ text: String, at place: Place) -> NoticeTemplate? {
        do throws(NoticeTemplateError) {
            return try NoticeTemplate(parsing: text, for: self.use)
        } catch {
            return self.problems.reject(Self.message(for: error), at: place)
        }
    }

    private static func message(for error: NoticeTemplateError) -> String {
        guard case .unknownPlaceholder(let name, let known) = error,
            let nearest = Spelling.nearest(to: name, among: known)
        else { return "\(error)" }
        return "unknown placeholder {\(name)}; did you mean {\(nearest)}?"
    }
}
