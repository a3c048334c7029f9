/// The origin of the rules.
enum RulesOrigin: Hashable {
    /// A rules file or folder.
    case files(path: String)
    /// The file into which a gate writes its rules in force.
    case gate(path: String)

    var path: String {
        switch self {
        case .files(let path), .gate(let path): path
        }
    }
}
