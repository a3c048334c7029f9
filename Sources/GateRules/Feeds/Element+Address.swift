package import GateSystem

extension Element {
    /// Decodes a URL to fetch from.
    package func address(_ problems: Problems) -> FetchURL? {
        guard let text = self.text("a URL", problems) else { return nil }
        do {
            return try FetchURL(parsing: text)
        } catch {
            // The string may contain a secret, so the message does not repeat it.
            return problems.reject("this URL cannot be fetched: \(error)", at: self.place)
        }
    }
}
