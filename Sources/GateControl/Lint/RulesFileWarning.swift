/// Something in a rules file that is not wrong, and probably not meant.
package struct RulesFileWarning: Sendable, Equatable {
    /// The same as an error, for whoever wants none of it.
    package let asError: RulesFileError
}

extension RulesFileWarning: CustomStringConvertible {
    /// `file:line:col: warning: message`, which editors and terminals turn into a link.
    package var description: String {
        let error = self.asError
        return "\(error.file):\(error.line):\(error.column): warning: \(error.message)"
    }
}
