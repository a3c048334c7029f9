/// Why no rules file can be made of what somebody asked for.
package enum RulesTemplateError: Error, Equatable, CustomStringConvertible {
    case appID(String)
    case storeURL(String, reason: String)
    case language(String)

    package var description: String {
        switch self {
        case .appID(let text):
            "'\(text)' is not an app identifier: 1 to 128 letters, digits, '.', '_' and '-'"
        case .storeURL(let text, let reason): "'\(text)' is not a store link: \(reason)"
        case .language(let text): "'\(text)' is not a language tag such as 'en' or 'zh-Hant'"
        }
    }
}
